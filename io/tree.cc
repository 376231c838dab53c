/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/tree.cc - folders through std::filesystem and the calls it lacks
 */
#include "tree.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "guard.h"

namespace sluice_io {

namespace {

namespace fs = std::filesystem;

/* A manifest of this size would name millions of files. */
constexpr size_t TEXT_BYTES_MAX = size_t{1} << 30;

arrow::Status write_all(int descriptor, const std::string &path, const std::string &text)
{
    size_t done = 0;

    while (done < text.size()) {
        const ssize_t written = write(descriptor, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail_system(path, "write", errno);
        done += static_cast<size_t>(written);
    }
    if (fsync(descriptor) != 0)
        return fail_system(path, "write to the disk", errno);
    return arrow::Status::OK();
}

arrow::Status read_all(int descriptor, const std::string &path, std::string *text)
{
    char block[16384];

    for (;;) {
        const ssize_t got = read(descriptor, block, sizeof(block));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_system(path, "read", errno);
        if (got == 0)
            return arrow::Status::OK();
        text->append(block, static_cast<size_t>(got));
        if (text->size() > TEXT_BYTES_MAX)
            return fail(SLUICE_BAD_DATA, path + ": larger than 1 GiB");
    }
}

} /* namespace */

arrow::Result<tree_listing> list_tree(const std::string &root, bool (*skips)(const std::string &))
{
    tree_listing listing;
    std::error_code failure;
    fs::recursive_directory_iterator entry(root, failure);

    for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
        const std::string relative = entry->path().lexically_relative(root).string();
        if (entry.depth() == 0 && skips(relative)) {
            entry.disable_recursion_pending();
            continue;
        }
        if (!fs::is_directory(entry->symlink_status(failure))) {
            listing.files.push_back(relative);
        } else {
            listing.directories.push_back(relative);
            if (fs::is_empty(entry->path(), failure))
                listing.empty_directories.push_back(relative);
        }
        if (failure)
            break;
    }
    if (failure)
        return fail_system(root, "list the directory", failure.value());
    std::sort(listing.files.begin(), listing.files.end());
    std::sort(listing.directories.begin(), listing.directories.end());
    return listing;
}

arrow::Status remove_tree(const std::string &root)
{
    std::error_code failure;

    fs::remove_all(root, failure);
    return failure ? fail_system(root, "remove the directory", failure.value())
                   : arrow::Status::OK();
}

arrow::Status create_folders(const std::string &path)
{
    std::error_code failure;

    fs::create_directories(path, failure);
    return failure ? fail_system(path, "create the directory", failure.value())
                   : arrow::Status::OK();
}

arrow::Status sync_path(const std::string &path)
{
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (descriptor < 0)
        return errno == ELOOP ? arrow::Status::OK() : fail_system(path, "open", errno);
    /* Some file systems cannot do it for directories. */
    const int failed = fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
    close(descriptor);
    return failed != 0 ? fail_system(path, "write to the disk", failed) : arrow::Status::OK();
}

arrow::Status sync_tree(const std::string &root)
{
    ARROW_ASSIGN_OR_RAISE(const auto listing,
                          list_tree(root, [](const std::string &) { return false; }));

    for (const auto &file : listing.files)
        ARROW_RETURN_NOT_OK(sync_path(root + "/" + file));
    for (auto folder = listing.directories.rbegin(); folder != listing.directories.rend();
         ++folder)
        ARROW_RETURN_NOT_OK(sync_path(root + "/" + *folder));
    return sync_path(root);
}

arrow::Result<std::string> read_text(const std::string &path)
{
    std::string text;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);

    if (descriptor < 0)
        return fail_system(path, "open", errno);
    const auto status = read_all(descriptor, path, &text);
    close(descriptor);
    ARROW_RETURN_NOT_OK(status);
    return text;
}

arrow::Status write_text(const std::string &path, const std::string &text)
{
    const int descriptor =
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);

    if (descriptor < 0)
        return fail_system(path, "create", errno);
    const auto status = write_all(descriptor, path, text);
    if (close(descriptor) != 0 && status.ok())
        return fail_system(path, "write", errno);
    return status;
}

bool path_exists(const std::string &path)
{
    struct stat status;

    return lstat(path.c_str(), &status) == 0;
}

} /* namespace sluice_io */
