#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace bartizan {

/// Writes a file whole, or not at all: first under an unused name, which is then renamed. Only its
/// owner may read it.
std::error_code write_file(const std::filesystem::path& path, std::string_view text);
/// Creates a file whole, or not at all. Only its owner may read it. An existing file is not
/// changed, and is the error `file_exists`. If the file system has no hard links, the draft is
/// renamed without replacing a file. If that is not possible either, the error is
/// `invalid_argument`, and nothing is written. If the draft cannot be removed, that is the error,
/// although the file is whole.
std::error_code write_new_file(const std::filesystem::path& path, std::string_view text);

namespace limits {
/// The longest wait for another program that replaces a file of the same folder.
inline constexpr std::chrono::seconds replace_file_deadline{10};
}  // namespace limits

/// Replaces a file whole if its content is still `before`; `nullopt` for no file. Of two programs
/// that do so, one waits for the other, and then finds other content. The access rights stay the
/// same. A new file gets those of `like`.
///
/// Errors: operation_canceled if the content is not `before`; timed_out if another program did not
///         finish; no_such_file_or_directory for a link that leads nowhere; those of writing.
/// Source: flock(2), on the folder.
std::error_code replace_file(const std::filesystem::path& path,
                             const std::optional<std::string>& before, std::string_view text,
                             const std::filesystem::path& like);

/// Renames a file to an unused name. A used name is an error and its file stays. Some file systems
/// cannot guarantee that, and rename nothing: `invalid_argument`.
/// Source: renameat2(2), RENAME_NOREPLACE.
std::error_code move_to_free_name(const std::filesystem::path& from,
                                  const std::filesystem::path& to);

}  // namespace bartizan
