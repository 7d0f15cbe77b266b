#include "gateway/write_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "gateway/child_process.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

std::error_code write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(file, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return {errno, std::system_category()};
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return {};
}

/// Writes a draft beside the file, which `place` then gives its name.
template <class Place>
std::error_code write_draft(const fs::path& path, std::string_view text, Place&& place) {
  std::string draft = path.string() + ".XXXXXX";
  const Descriptor file(::mkostemp(draft.data(), O_CLOEXEC));
  if (file.get() < 0) return {errno, std::system_category()};
  std::error_code error = write_all(file.get(), text);
  if (!error) error = place(draft);
  if (error) ::unlink(draft.c_str());
  return error;
}

}  // namespace

std::error_code write_file(const fs::path& path, std::string_view text) {
  return write_draft(path, text, [&path](const std::string& draft) {
    std::error_code error;
    fs::rename(draft, path, error);
    return error;
  });
}

std::error_code write_new_file(const fs::path& path, std::string_view text) {
  return write_draft(path, text, [&path](const std::string& draft) -> std::error_code {
    // A name replaces no other; a file system without second names makes nothing here.
    if (::link(draft.c_str(), path.c_str()) != 0) return {errno, std::system_category()};
    ::unlink(draft.c_str());
    return {};
  });
}

}  // namespace bartizan
