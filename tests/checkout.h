#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace bartizan {

/// The path of a file or folder of the project; `below` is its path from the project's root.
std::string project_file(std::string_view below);

/// The folder of the public test suites: BARTIZAN_CORPORA, or where the build expects it.
std::filesystem::path corpora_folder();

/// The gateway's program, as the build made it.
std::string gateway_program();

}  // namespace bartizan
