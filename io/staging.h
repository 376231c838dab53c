/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/staging.h - the staging folders of runs into one output directory
 *
 * The staging folder of OUT is .OUT.sluice-ID beside it, or .sluice-ID inside it.  A run that is
 * alive holds a lock (flock) on its staging folder and on OUT; whatever folder can be locked is
 * left over from a run that was killed.
 */
#ifndef SLUICE_IO_STAGING_H
#define SLUICE_IO_STAGING_H

#include <set>
#include <string>

#include <arrow/result.h>

namespace sluice_io {

constexpr char MANIFEST_NAME[] = "_sluice.json";

/* In a staging folder, while its files move into OUT one by one. */
constexpr char JOURNAL_NAME[] = ".journal";   /* The files that move, one a line. */
constexpr char REPLACED_NAME[] = ".replaced"; /* A folder: what they push aside. */

/* An open directory with a lock on it.  Both go with it. */
class locked_directory {
public:
    locked_directory() = default;
    ~locked_directory();
    locked_directory(const locked_directory &) = delete;
    locked_directory &operator=(const locked_directory &) = delete;

    /* SLUICE_INVALID when somebody else holds the lock. */
    arrow::Status lock(const std::string &path, const std::string &output);

    /* Wait for the lock; a directory that cannot be locked counts as locked. */
    arrow::Status wait(const std::string &path);

    void unlock();

private:
    int descriptor_ = -1;
};

/* Where a run writes to: OUT without links, its parent, its name. */
struct output_path {
    std::string target;
    std::string parent;
    std::string name;
};

arrow::Result<output_path> resolve_output(const std::string &path);

/* Is this top-level entry of OUT a staging folder? */
bool is_staging_name(const std::string &name);

/* A name for a new staging folder. */
arrow::Result<std::string> new_staging_path(const output_path &output, bool is_inside);

/*
 * Remove the staging folders of killed runs; a run that was killed while it moved its files one by
 * one is undone.  SLUICE_INVALID when one of them is alive.  The caller holds the parent's lock.
 */
arrow::Result<uint32_t> sweep_staging(const output_path &output);

/* Put OUT back to what it was before the files of the staging folder began to move. */
arrow::Status undo_moves(const std::string &staging, const std::string &target);

/* The files that a manifest names, relative to its folder; those that point out of it are not. */
std::set<std::string> files_of_manifest(const std::string &manifest);

} /* namespace sluice_io */

#endif /* SLUICE_IO_STAGING_H */
