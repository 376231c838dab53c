/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/tree.h - whole folders: listing, removing, making durable
 *
 * Symbolic links are files here; nothing is ever followed out of a folder.
 */
#ifndef SLUICE_IO_TREE_H
#define SLUICE_IO_TREE_H

#include <string>
#include <vector>

#include <arrow/result.h>

namespace sluice_io {

/* What lies below a folder, as paths relative to it, in the order of their names. */
struct tree_listing {
    std::vector<std::string> files;             /* Everything that is not a directory. */
    std::vector<std::string> directories;       /* Parents before children. */
    std::vector<std::string> empty_directories; /* Those with nothing in them. */
};

/* Top-level entries for which skips() is true are left out. */
arrow::Result<tree_listing> list_tree(const std::string &root, bool (*skips)(const std::string &));

/* Remove a folder and everything in it; it need not exist. */
arrow::Status remove_tree(const std::string &root);

/* Create a folder and its missing parents. */
arrow::Status create_folders(const std::string &path);

/* Wait until a file's bytes, or a folder's entries, are on the disk. */
arrow::Status sync_path(const std::string &path);

/* sync_path() for everything below root, and for root. */
arrow::Status sync_tree(const std::string &root);

/* The text of a small file. */
arrow::Result<std::string> read_text(const std::string &path);

/* Create a file with this text and wait for the disk. */
arrow::Status write_text(const std::string &path, const std::string &text);

bool path_exists(const std::string &path);

} /* namespace sluice_io */

#endif /* SLUICE_IO_TREE_H */
