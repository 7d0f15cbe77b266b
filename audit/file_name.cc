#include "audit/file_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "audit/encode_record.h"

namespace bartizan {
namespace {

/// The least digits of the number, so that names of the same second sort as well.
constexpr std::size_t kDigitsMin = 12;
constexpr std::size_t kStampSize = 16;

/// The name before its last dot, and from it on. A leading dot marks a hidden file, not an
/// extension.
struct NameParts {
  std::string_view stem;
  std::string_view extension;
};

NameParts split(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {name, {}};
  return {name.substr(0, dot), name.substr(dot)};
}

// `2026-11-21T12:00:00.000000Z` without separators and fractions of a second.
std::string stamp(std::chrono::system_clock::time_point time) {
  const std::array<char, 27> text = time_text(time);
  std::string stamp;
  for (const char letter : std::string_view(text.data(), 19)) {
    if (letter != '-' && letter != ':') stamp += letter;
  }
  return stamp + 'Z';
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

bool is_stamp(std::string_view text) {
  if (text.size() != kStampSize || text[8] != 'T' || text[15] != 'Z') return false;
  return std::ranges::all_of(text.substr(0, 8), is_digit) &&
         std::ranges::all_of(text.substr(9, 6), is_digit);
}

}  // namespace

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "./" : std::string(path.substr(0, slash + 1));
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string rotated_name(std::string_view path, std::chrono::system_clock::time_point time,
                         std::uint64_t first_sequence) {
  const NameParts parts = split(name_of(path));
  std::string number = std::to_string(first_sequence);
  if (number.size() < kDigitsMin) number.insert(0, kDigitsMin - number.size(), '0');
  return std::string(parts.stem) + "-" + stamp(time) + "-" + number + std::string(parts.extension);
}

std::optional<std::uint64_t> rotated_sequence(std::string_view path, std::string_view name) {
  const NameParts parts = split(name_of(path));
  if (!name.starts_with(parts.stem) || !name.ends_with(parts.extension)) return std::nullopt;
  if (name.size() < parts.stem.size() + parts.extension.size()) return std::nullopt;
  name.remove_prefix(parts.stem.size());
  name.remove_suffix(parts.extension.size());
  if (name.size() < kStampSize + 2 + kDigitsMin || name[0] != '-') return std::nullopt;
  if (!is_stamp(name.substr(1, kStampSize)) || name[kStampSize + 1] != '-') return std::nullopt;
  const std::string_view digits = name.substr(kStampSize + 2);
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  // Each number has one spelling, so a parsed name is exactly the generated one.
  if (error != std::errc() || stop != end || !is_digit(digits[0])) return std::nullopt;
  if (digits.size() > kDigitsMin && digits[0] == '0') return std::nullopt;
  return number;
}

std::string next_path(std::string_view path) {
  return std::string(path) + ".next";
}

std::string spool_path(std::string_view path) {
  return std::string(path) + ".spool";
}

}  // namespace bartizan
