/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/directory.cc - an output directory that changes in one step
 *
 *     OUT is not there    rename(STAGING, OUT)
 *     OUT is there        hard links of the files that stay into STAGING, exchange the two
 *                         directories, remove what is now in STAGING
 *     neither can be      STAGING lies in OUT; a journal, what is in the way pushed aside, the
 *                         files one by one, the manifest last
 *
 * Each way can be interrupted anywhere: staging.cc cleans up after it.  Once the new data set is in
 * place nothing is a failure of the commit any more.
 */
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "guard.h"
#include "sluice/io.h"
#include "staging.h"
#include "tree.h"

using sluice_io::fail;
using sluice_io::fail_system;

struct sluice_output_directory {
    sluice_io::output_path output;
    sluice_if_exists if_exists = SLUICE_IF_EXISTS_ERROR;
    bool has_target = false;  /* OUT was there at the start. */
    bool is_stepwise = false;
    bool is_committed = false;
    std::string staging;      /* Empty until it exists. */
    std::string first_parent; /* The topmost parent of OUT that was made for it; may be empty. */
    std::optional<std::string> manifest;
    std::set<std::string> named_files; /* By the manifest. */
    sluice_io::locked_directory target_lock;
    sluice_io::locked_directory staging_lock;
};

namespace sluice_io {

namespace {

using output_directory = sluice_output_directory;

bool is_own_name(const std::string &name)
{
    return name == MANIFEST_NAME || is_staging_name(name) || name == JOURNAL_NAME ||
           name == REPLACED_NAME;
}

/* Does a file that lies in OUT stay there? */
bool stays(const output_directory &directory, const std::string &file)
{
    return directory.if_exists == SLUICE_IF_EXISTS_APPEND ||
           directory.named_files.count(file) == 0;
}

arrow::Result<bool> is_mount_point(const output_path &output)
{
    struct stat inside;
    struct stat outside;

    if (stat(output.target.c_str(), &inside) != 0)
        return fail_system(output.target, "look at", errno);
    if (stat(output.parent.c_str(), &outside) != 0)
        return fail_system(output.parent, "look at", errno);
    return inside.st_dev != outside.st_dev;
}

/* Look at OUT: may this run begin, and what does it have to keep? */
arrow::Status inspect_target(output_directory *directory)
{
    const std::string &target = directory->output.target;
    struct stat status;

    if (stat(target.c_str(), &status) != 0)
        return errno == ENOENT ? arrow::Status::OK() : fail_system(target, "look at", errno);
    if (!S_ISDIR(status.st_mode))
        return fail(SLUICE_INVALID, target + ": exists and is not a directory");
    directory->has_target = true;
    ARROW_RETURN_NOT_OK(directory->target_lock.lock(target, target));
    if (path_exists(target + "/" + MANIFEST_NAME)) {
        ARROW_ASSIGN_OR_RAISE(directory->manifest, read_text(target + "/" + MANIFEST_NAME));
        directory->named_files = files_of_manifest(*directory->manifest);
    }
    std::error_code failure;
    const bool is_empty = std::filesystem::is_empty(target, failure);
    if (failure)
        return fail_system(target, "list the directory", failure.value());
    if (!is_empty && directory->if_exists == SLUICE_IF_EXISTS_ERROR)
        return fail(SLUICE_INVALID, target + ": exists and is not empty");
    ARROW_ASSIGN_OR_RAISE(directory->is_stepwise, is_mount_point(directory->output));
    return arrow::Status::OK();
}

/* Make the folder beside OUT, or in it when that cannot be. */
arrow::Status make_staging(output_directory *directory)
{
    for (;;) {
        ARROW_ASSIGN_OR_RAISE(const auto path, new_staging_path(directory->output,
                                                                directory->is_stepwise));
        if (mkdir(path.c_str(), 0777) == 0) {
            directory->staging = path;
            return directory->staging_lock.lock(path, directory->output.target);
        }
        const bool is_refused = errno == EACCES || errno == EPERM || errno == EROFS;
        if (!is_refused || !directory->has_target || directory->is_stepwise)
            return fail_system(path, "create the directory", errno);
        directory->is_stepwise = true;
    }
}

arrow::Status make_parents(output_directory *directory)
{
    std::filesystem::path missing = directory->output.parent;

    while (!missing.empty() && !path_exists(missing.string())) {
        directory->first_parent = missing.string();
        missing = missing.parent_path();
    }
    return create_folders(directory->output.parent);
}

/* Remove the parents that were made for OUT, as far as they are empty. */
void remove_parents(const output_directory &directory)
{
    std::filesystem::path path = directory.output.parent;

    while (!directory.first_parent.empty() && rmdir(path.c_str()) == 0 &&
           path.string() != directory.first_parent)
        path = path.parent_path();
}

arrow::Status begin(output_directory *directory)
{
    locked_directory parent_lock; /* Two runs that begin at once do so one after the other. */

    ARROW_RETURN_NOT_OK(make_parents(directory));
    ARROW_RETURN_NOT_OK(parent_lock.wait(directory->output.parent));
    ARROW_RETURN_NOT_OK(sweep_staging(directory->output).status());
    ARROW_RETURN_NOT_OK(inspect_target(directory));
    return make_staging(directory);
}

/* Hard links cannot be made here at all, as opposed to: this one failed. */
bool is_without_links(int error_number)
{
    return error_number == EPERM || error_number == EOPNOTSUPP || error_number == EXDEV ||
           error_number == EMLINK || error_number == ENOSYS;
}

bool is_same_file(const std::string &left, const std::string &right)
{
    struct stat left_status;
    struct stat right_status;

    return lstat(left.c_str(), &left_status) == 0 && lstat(right.c_str(), &right_status) == 0 &&
           left_status.st_dev == right_status.st_dev && left_status.st_ino == right_status.st_ino;
}

/*
 * Link the files of one folder that stay into the other.  *can_link_out becomes false when the file
 * system has no such links.
 */
arrow::Status bring_over(const output_directory &directory, const std::string &from,
                         const std::string &to, bool *can_link_out)
{
    ARROW_ASSIGN_OR_RAISE(const auto listing, list_tree(from, is_own_name));

    *can_link_out = true;
    for (const auto &file : listing.files) {
        if (!stays(directory, file))
            continue;
        const std::string source = from + "/" + file;
        const std::string target = to + "/" + file;
        ARROW_RETURN_NOT_OK(create_folders(std::filesystem::path(target).parent_path().string()));
        if (linkat(AT_FDCWD, source.c_str(), AT_FDCWD, target.c_str(), 0) == 0 ||
            is_same_file(source, target))
            continue;
        if (errno == EEXIST)
            return fail(SLUICE_INVALID, directory.output.target + "/" + file +
                                            ": the file stays, and a new one has its name");
        if (!is_without_links(errno))
            return fail_system(source, "link to " + target, errno);
        *can_link_out = false;
        return arrow::Status::OK();
    }
    for (const auto &folder : listing.empty_directories)
        ARROW_RETURN_NOT_OK(create_folders(to + "/" + folder));
    return arrow::Status::OK();
}

/* OUT keeps its permissions, and its owner where that is allowed. */
void copy_permissions(const std::string &from, const std::string &to)
{
    struct stat status;

    if (stat(from.c_str(), &status) != 0)
        return;
    if (chown(to.c_str(), status.st_uid, status.st_gid) != 0 && errno != EPERM)
        return;
    (void)chmod(to.c_str(), status.st_mode & 07777);
}

/* *is_done_out stays false when directories cannot be exchanged here. */
arrow::Status commit_exchange(output_directory *directory, bool *is_done_out)
{
    const std::string &target = directory->output.target;
    const std::string &staging = directory->staging;
    bool can_link;

    ARROW_RETURN_NOT_OK(bring_over(*directory, target, staging, &can_link));
    if (!can_link)
        return arrow::Status::OK();
    copy_permissions(target, staging);
    ARROW_RETURN_NOT_OK(sync_tree(staging));
    if (renameat2(AT_FDCWD, staging.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) {
        if (errno == EINVAL || errno == ENOSYS || errno == EBUSY || errno == EXDEV ||
            errno == EACCES || errno == EPERM)
            return arrow::Status::OK();
        return fail_system(target, "exchange with " + staging, errno);
    }
    *is_done_out = true;
    directory->is_committed = true;
    /* What cannot be removed is left to the next run.  Files that came into OUT meanwhile move. */
    (void)sync_path(directory->output.parent);
    const auto status = bring_over(*directory, staging, target, &can_link);
    if (status.ok() && can_link)
        (void)remove_tree(staging);
    return arrow::Status::OK();
}

arrow::Status commit_rename(output_directory *directory)
{
    const std::string &target = directory->output.target;

    ARROW_RETURN_NOT_OK(sync_tree(directory->staging));
    int failed =
        renameat2(AT_FDCWD, directory->staging.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE);
    if (failed != 0 && (errno == EINVAL || errno == ENOSYS))
        failed = rename(directory->staging.c_str(), target.c_str());
    if (failed != 0 && (errno == EEXIST || errno == ENOTEMPTY))
        return fail(SLUICE_INVALID, target + ": was created by somebody else during the run");
    if (failed != 0)
        return fail_system(directory->staging, "rename to " + target, errno);
    directory->is_committed = true;
    (void)sync_path(directory->output.parent);
    return arrow::Status::OK();
}

/* Move a file from one folder to the other, with the folders above it. */
arrow::Status move_file(const std::string &from, const std::string &to, const std::string &file)
{
    const std::string source = from + "/" + file;
    const std::string target = to + "/" + file;

    ARROW_RETURN_NOT_OK(create_folders(std::filesystem::path(target).parent_path().string()));
    if (rename(source.c_str(), target.c_str()) != 0)
        return fail_system(source, "move to " + target, errno);
    return arrow::Status::OK();
}

/* What the run wrote.  Links that a commit by exchange had begun to make are not part of it. */
arrow::Result<std::vector<std::string>> list_new_files(const output_directory &directory)
{
    std::vector<std::string> files;

    ARROW_ASSIGN_OR_RAISE(const auto listing, list_tree(directory.staging, is_own_name));
    for (const auto &file : listing.files) {
        const std::string in_target = directory.output.target + "/" + file;
        if (is_same_file(directory.staging + "/" + file, in_target))
            continue;
        if (path_exists(in_target) && stays(directory, file))
            return fail(SLUICE_INVALID,
                        in_target + ": the file stays, and a new one has its name");
        files.push_back(file);
    }
    return files;
}

arrow::Status move_everything(const output_directory &directory,
                              const std::vector<std::string> &new_files)
{
    const std::string &target = directory.output.target;
    const std::string replaced = directory.staging + "/" + REPLACED_NAME;

    if (directory.manifest.has_value())
        ARROW_RETURN_NOT_OK(move_file(target, replaced, MANIFEST_NAME));
    for (const auto &file : directory.named_files) {
        if (!stays(directory, file) && path_exists(target + "/" + file))
            ARROW_RETURN_NOT_OK(move_file(target, replaced, file));
    }
    for (const auto &file : new_files)
        ARROW_RETURN_NOT_OK(move_file(directory.staging, target, file));
    ARROW_RETURN_NOT_OK(sync_path(target));
    return move_file(directory.staging, target, MANIFEST_NAME);
}

arrow::Status commit_stepwise(output_directory *directory)
{
    std::string journal;

    directory->is_stepwise = true;
    ARROW_RETURN_NOT_OK(sync_tree(directory->staging));
    ARROW_ASSIGN_OR_RAISE(const auto new_files, list_new_files(*directory));
    for (const auto &file : new_files)
        journal += file + "\n";
    ARROW_RETURN_NOT_OK(write_text(directory->staging + "/" + JOURNAL_NAME, journal));
    const auto status = move_everything(*directory, new_files);
    if (!status.ok()) {
        const auto undone = undo_moves(directory->staging, directory->output.target);
        return undone.ok() ? status
                           : status.WithMessage(status.message(), "; and then: ", undone.message());
    }
    directory->is_committed = true;
    (void)sync_path(directory->output.target);
    (void)remove_tree(directory->staging);
    return arrow::Status::OK();
}

arrow::Status commit(output_directory *directory, const char *manifest)
{
    bool is_done = false;

    if (directory->is_committed)
        return fail(SLUICE_INVALID, directory->output.target + ": is committed already");
    ARROW_RETURN_NOT_OK(write_text(directory->staging + "/" + MANIFEST_NAME, manifest));
    if (!directory->has_target)
        return commit_rename(directory);
    if (!directory->is_stepwise)
        ARROW_RETURN_NOT_OK(commit_exchange(directory, &is_done));
    return is_done ? arrow::Status::OK() : commit_stepwise(directory);
}

} /* namespace */

} /* namespace sluice_io */

using sluice_io::direction;
using sluice_io::guard;

sluice_status sluice_output_directory_begin(const char *path, sluice_if_exists if_exists,
                                            sluice_output_directory **out, sluice_error *error)
{
    sluice_output_directory *directory = nullptr;

    *out = nullptr;
    const sluice_status status = guard(direction::write, error, [&]() -> arrow::Status {
        directory = new sluice_output_directory;
        directory->if_exists = if_exists;
        if (if_exists != SLUICE_IF_EXISTS_ERROR && if_exists != SLUICE_IF_EXISTS_APPEND &&
            if_exists != SLUICE_IF_EXISTS_REPLACE)
            return fail(SLUICE_INVALID, "there is no policy " + std::to_string(if_exists));
        ARROW_ASSIGN_OR_RAISE(directory->output, sluice_io::resolve_output(path));
        return sluice_io::begin(directory);
    });
    if (status == SLUICE_OK)
        *out = directory;
    else
        sluice_output_directory_free(directory);
    return status;
}

const char *sluice_output_directory_get_path(const sluice_output_directory *directory)
{
    return directory->staging.c_str();
}

bool sluice_output_directory_is_stepwise(const sluice_output_directory *directory)
{
    return directory->is_stepwise;
}

const char *sluice_output_directory_get_manifest(const sluice_output_directory *directory)
{
    return directory->manifest.has_value() ? directory->manifest->c_str() : nullptr;
}

bool sluice_output_directory_has_file(const sluice_output_directory *directory,
                                      const char *relative_path)
{
    bool result = false;

    (void)guard(direction::write, nullptr, [&]() -> arrow::Status {
        const std::string file =
            std::filesystem::path(relative_path).lexically_normal().string();
        result = directory->has_target && sluice_io::stays(*directory, file) &&
                 sluice_io::path_exists(directory->output.target + "/" + file);
        return arrow::Status::OK();
    });
    return result;
}

sluice_status sluice_output_directory_commit(sluice_output_directory *directory,
                                             const char *manifest, sluice_error *error)
{
    const sluice_status status = guard(direction::write, error, [&] {
        return sluice_io::commit(directory, manifest);
    });

    if (directory->is_committed) {
        directory->target_lock.unlock();
        directory->staging_lock.unlock();
    }
    return status;
}

void sluice_output_directory_free(sluice_output_directory *directory)
{
    if (directory == nullptr)
        return;
    (void)guard(direction::write, nullptr, [&]() -> arrow::Status {
        if (!directory->staging.empty() && !directory->is_committed)
            (void)sluice_io::remove_tree(directory->staging);
        if (!directory->is_committed)
            sluice_io::remove_parents(*directory);
        return arrow::Status::OK();
    });
    delete directory;
}

sluice_status sluice_output_directory_clean(const char *path, uint32_t *removed_out,
                                            sluice_error *error)
{
    return guard(direction::write, error, [&]() -> arrow::Status {
        sluice_io::locked_directory parent_lock;
        ARROW_ASSIGN_OR_RAISE(const auto output, sluice_io::resolve_output(path));
        ARROW_RETURN_NOT_OK(parent_lock.wait(output.parent));
        ARROW_ASSIGN_OR_RAISE(const uint32_t removed, sluice_io::sweep_staging(output));
        if (removed_out != nullptr)
            *removed_out = removed;
        return arrow::Status::OK();
    });
}
