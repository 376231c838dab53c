/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/staging.cc - find, lock and sweep staging folders
 */
#include "staging.h"

#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <random>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

#include <jansson.h>

#include "guard.h"
#include "tree.h"

namespace sluice_io {

namespace {

constexpr char INSIDE_PREFIX[] = ".sluice-";

std::string sibling_prefix(const output_path &output)
{
    return "." + output.name + INSIDE_PREFIX;
}

bool never_skips(const std::string &)
{
    return false;
}

/* The folders directly inside parent whose names begin with prefix. */
arrow::Result<std::vector<std::string>> find_folders(const std::string &parent,
                                                     const std::string &prefix)
{
    std::vector<std::string> found;
    std::error_code failure;
    std::filesystem::directory_iterator entry(parent, failure);

    for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (name.rfind(prefix, 0) == 0 &&
            std::filesystem::is_directory(entry->symlink_status(failure)))
            found.push_back(parent + "/" + name);
    }
    /* What cannot be listed cannot hold folders of ours. */
    const int number = failure.value();
    if (failure && number != ENOENT && number != EACCES && number != ENOTDIR)
        return fail_system(parent, "list the directory", number);
    return found;
}

/* A relative path that stays inside. */
bool is_inside(const std::string &path)
{
    if (path.empty() || path.front() == '/' || path.find('\0') != std::string::npos)
        return false;
    for (const auto &part : std::filesystem::path(path)) {
        if (part == ".." || part == ".")
            return false;
    }
    return true;
}

void collect_files(const json_t *partition, std::set<std::string> *files)
{
    size_t index;
    json_t *file;

    json_array_foreach (json_object_get(partition, "files"), index, file) {
        const json_t *path = json_object_get(file, "path");
        if (!json_is_string(path))
            continue;
        const std::string text(json_string_value(path), json_string_length(path));
        if (is_inside(text))
            files->insert(std::filesystem::path(text).lexically_normal().string());
    }
}

arrow::Status sweep_folder(const std::string &folder, const output_path &output)
{
    locked_directory lock;

    ARROW_RETURN_NOT_OK(lock.lock(folder, output.target));
    ARROW_RETURN_NOT_OK(undo_moves(folder, output.target));
    return remove_tree(folder);
}

arrow::Status rename_file(const std::string &from, const std::string &to)
{
    if (rename(from.c_str(), to.c_str()) != 0)
        return fail_system(from, "move to " + to, errno);
    return arrow::Status::OK();
}

} /* namespace */

locked_directory::~locked_directory()
{
    unlock();
}

void locked_directory::unlock()
{
    if (descriptor_ >= 0)
        close(descriptor_);
    descriptor_ = -1;
}

arrow::Status locked_directory::lock(const std::string &path, const std::string &output)
{
    descriptor_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0)
        return fail_system(path, "open the directory", errno);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0)
        return arrow::Status::OK();
    const int number = errno;
    unlock();
    if (number == EWOULDBLOCK)
        return fail(SLUICE_INVALID, output + ": another run is writing into it");
    return fail_system(path, "lock the directory", number);
}

arrow::Status locked_directory::wait(const std::string &path)
{
    descriptor_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0)
        return errno == EACCES ? arrow::Status::OK()
                               : fail_system(path, "open the directory", errno);
    while (flock(descriptor_, LOCK_EX) != 0) {
        if (errno != EINTR)
            break;
    }
    return arrow::Status::OK();
}

arrow::Result<output_path> resolve_output(const std::string &path)
{
    output_path result;
    std::error_code failure;

    if (path.empty())
        return fail(SLUICE_INVALID, "the output directory has no name");
    /* What does not exist is only made absolute when it is so before. */
    const auto whole = std::filesystem::absolute(path, failure);
    const auto absolute =
        failure ? whole : std::filesystem::weakly_canonical(whole, failure);
    if (failure)
        return fail_system(path, "resolve the path", failure.value());
    result.target = absolute.string();
    while (result.target.size() > 1 && result.target.back() == '/')
        result.target.pop_back();
    result.parent = std::filesystem::path(result.target).parent_path().string();
    result.name = std::filesystem::path(result.target).filename().string();
    if (result.name.empty())
        return fail(SLUICE_INVALID, path + ": not a directory that can be replaced");
    return result;
}

bool is_staging_name(const std::string &name)
{
    return name.rfind(INSIDE_PREFIX, 0) == 0;
}

arrow::Result<std::string> new_staging_path(const output_path &output, bool is_inside_target)
{
    std::random_device random;
    char id[32];
    const uint64_t number = (static_cast<uint64_t>(random()) << 32) | random();

    snprintf(id, sizeof(id), "%016" PRIx64, number);
    if (is_inside_target)
        return output.target + "/" + INSIDE_PREFIX + id;
    const std::string name = sibling_prefix(output) + id;
    if (name.size() > NAME_MAX)
        return fail(SLUICE_INVALID, output.target + ": the name is too long for a staging folder");
    return output.parent + (output.parent == "/" ? "" : "/") + name;
}

arrow::Result<uint32_t> sweep_staging(const output_path &output)
{
    uint32_t removed = 0;

    ARROW_ASSIGN_OR_RAISE(auto folders, find_folders(output.parent, sibling_prefix(output)));
    ARROW_ASSIGN_OR_RAISE(const auto inside, find_folders(output.target, INSIDE_PREFIX));
    folders.insert(folders.end(), inside.begin(), inside.end());
    for (const auto &folder : folders) {
        ARROW_RETURN_NOT_OK(sweep_folder(folder, output));
        removed++;
    }
    return removed;
}

/*
 * The manifest of OUT is the first thing that is pushed aside and the last that moves in, so the
 * moves are complete, or have not begun, when there is one.
 */
arrow::Status undo_moves(const std::string &staging, const std::string &target)
{
    const std::string replaced = staging + "/" + REPLACED_NAME;

    if (!path_exists(staging + "/" + JOURNAL_NAME) ||
        path_exists(target + "/" + MANIFEST_NAME))
        return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto journal, read_text(staging + "/" + JOURNAL_NAME));
    std::istringstream lines(journal);
    for (std::string file; std::getline(lines, file);) {
        if (!is_inside(file) || path_exists(staging + "/" + file))
            continue;
        if (unlink((target + "/" + file).c_str()) != 0 && errno != ENOENT)
            return fail_system(target + "/" + file, "remove", errno);
    }
    if (!path_exists(replaced))
        return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto listing, list_tree(replaced, never_skips));
    for (const auto &file : listing.files) {
        if (file != MANIFEST_NAME)
            ARROW_RETURN_NOT_OK(rename_file(replaced + "/" + file, target + "/" + file));
    }
    if (path_exists(replaced + "/" + MANIFEST_NAME))
        return rename_file(replaced + "/" + MANIFEST_NAME, target + "/" + MANIFEST_NAME);
    return arrow::Status::OK();
}

std::set<std::string> files_of_manifest(const std::string &manifest)
{
    std::set<std::string> files;
    const std::unique_ptr<json_t, decltype(&json_decref)> root(
        json_loadb(manifest.data(), manifest.size(), 0, nullptr), json_decref);
    size_t index;
    json_t *partition;

    json_array_foreach (json_object_get(root.get(), "partitions"), index, partition)
        collect_files(partition, &files);
    return files;
}

} /* namespace sluice_io */
