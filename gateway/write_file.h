#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

namespace bartizan {

/// Writes a file whole, or not at all: under a name that nothing has first, which then takes the
/// place. Only its owner may read it.
std::error_code write_file(const std::filesystem::path& path, std::string_view text);
/// The same where there is nothing yet: what is there stays, and is an error.
std::error_code write_new_file(const std::filesystem::path& path, std::string_view text);

}  // namespace bartizan
