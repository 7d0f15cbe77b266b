#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace bartizan {

/// Writes a file whole, or not at all: under a name that nothing has first, which then takes the
/// place. Only its owner may read it.
std::error_code write_file(const std::filesystem::path& path, std::string_view text);
/// Writes a file whole, or not at all, where there is nothing yet. Only its owner may read it. What
/// is there stays, and is an error, `file_exists`. On a file system that can give a file no second
/// name, it is renamed, without taking another's place; on one that cannot do that either, the
/// error is `invalid_argument`, and nothing is written.
/// Where its draft is left under a name of its own, why it could not be removed is the error, and
/// the file is whole all the same.
std::error_code write_new_file(const std::filesystem::path& path, std::string_view text);

namespace limits {
/// How long it is waited for another program that replaces a file of the same folder.
inline constexpr std::chrono::seconds replace_file_deadline{10};
}  // namespace limits

/// Writes a file whole in the place of what was read of it before, `nullopt` where there was none.
/// Of two programs that do so one waits for the other, and then has something else before it. Who
/// may read and write it stays; of a new one it is who may do so with `like`.
///
/// Errors: operation_canceled where something else stands there than `before`; timed_out where
///         another program did not come to its end; no_such_file_or_directory for a link that leads
///         nowhere; those of writing.
/// Source: flock(2), on the folder.
std::error_code replace_file(const std::filesystem::path& path,
                             const std::optional<std::string>& before, std::string_view text,
                             const std::filesystem::path& like);

/// Renames a file to a name that nothing has: what has it stays, and is an error. Some file systems
/// cannot promise that, and rename nothing: `invalid_argument`.
/// Source: renameat2(2), RENAME_NOREPLACE.
std::error_code move_to_free_name(const std::filesystem::path& from,
                                  const std::filesystem::path& to);

}  // namespace bartizan
