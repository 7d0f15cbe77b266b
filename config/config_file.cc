#include "config/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <utility>

namespace bartizan {

std::string absolute_path(std::string_view path, const std::string& file) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::absolute(file, ignored).parent_path();
  std::string whole = (folder / path).lexically_normal().string();
  while (whole.size() > 1 && whole.ends_with('/'))
    whole.pop_back();
  return whole;
}

std::optional<std::string> read_config_file(const std::filesystem::path& path,
                                            std::size_t bytes_max, Position where,
                                            Problems& problems) {
  std::error_code error;
  // A FIFO or a device could block the start or never end.
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::is_regular_file(status)) {
    const bool is_missing = status.type() == std::filesystem::file_type::not_found;
    const bool is_folder = std::filesystem::is_directory(status);
    problems.error(where, fmt::format("cannot read {}: {}", quote(path.string()),
                                      is_missing  ? "no such file"
                                      : is_folder ? "it is a folder"
                                                  : "it is not a regular file"));
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  std::string bytes;
  // Most files are far smaller than the limit.
  std::array<char, 16384> block{};
  while (stream && bytes.size() <= bytes_max) {
    const std::size_t size = std::min(block.size(), bytes_max + 1 - bytes.size());
    stream.read(block.data(), static_cast<std::streamsize>(size));
    bytes.append(block.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.is_open() || stream.bad()) {
    problems.error(where, fmt::format("cannot read {}", quote(path.string())));
    return std::nullopt;
  }
  return bytes;
}

FileTexts read_named_files(const NamedFiles& named, const FileBounds& bounds,
                           std::size_t& bytes_left, Problems& problems) {
  FileTexts files;
  std::size_t count = 0;
  for (const auto& [path, where] : named) {
    if (count++ == bounds.count) {
      problems.error(where,
                     fmt::format("more than {} files hold {}", bounds.count, bounds.holding));
      return files;
    }
    problems.add_file(path);
    auto bytes = read_config_file(path, bounds.size, where, problems);
    if (!bytes) continue;
    if (bytes->size() > bounds.size) {
      problems.error(where, fmt::format("{} is larger than {}", quote(path), bounds.bytes_max));
      continue;
    }
    if (bytes->size() > bytes_left) {
      problems.error(where, "all files together are larger than 16 MiB");
      return files;
    }
    bytes_left -= bytes->size();
    files.emplace(path, std::move(*bytes));
  }
  return files;
}

}  // namespace bartizan
