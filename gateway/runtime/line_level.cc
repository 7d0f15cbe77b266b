#include "gateway/runtime/line_level.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// Time, thread and name of a logger come before a level, and sentences after it.
constexpr int kWordsMax = 6;
constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kOpening = "[(<|", kClosing = "])>|:,";

constexpr std::array<std::pair<std::string_view, LogLevel>, 10> kLevels{
    {{"TRACE", LogLevel::debug},
     {"DEBUG", LogLevel::debug},
     {"INFO", LogLevel::info},
     {"NOTICE", LogLevel::info},
     {"WARN", LogLevel::warning},
     {"WARNING", LogLevel::warning},
     {"ERR", LogLevel::error},
     {"ERROR", LogLevel::error},
     {"FATAL", LogLevel::error},
     {"CRITICAL", LogLevel::error}}};

bool is_name_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

/// The letters, digits and `_` that a text begins with.
std::string_view leading_name(std::string_view text) {
  const auto* const end = std::ranges::find_if_not(text, is_name_byte);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::optional<LogLevel> level_of_name(std::string_view name) {
  const auto in_upper_case = [](char c) {
    return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  };
  const auto* const found = std::ranges::find_if(kLevels, [&](const auto& one) {
    return std::ranges::equal(one.first, name, {}, {}, in_upper_case);
  });
  return found == kLevels.end() ? std::nullopt : std::optional(found->second);
}

/// The value after `level=` or a similar key, with or without quotes.
std::optional<LogLevel> level_of_pair(std::string_view word) {
  for (const std::string_view key : {"level=", "lvl=", "severity="}) {
    if (!word.starts_with(key)) continue;
    word.remove_prefix(key.size());
    if (word.starts_with('"')) word.remove_prefix(1);
    return level_of_name(leading_name(word));
  }
  return std::nullopt;
}

std::optional<LogLevel> level_of_word(std::string_view word) {
  if (const auto level = level_of_pair(word)) return level;
  const std::size_t begin = word.find_first_not_of(kOpening);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view name = leading_name(word.substr(begin));
  const std::string_view rest = word.substr(begin + name.size());
  if (!rest.empty() && !kClosing.contains(rest.front())) return std::nullopt;
  const bool is_enclosed = begin > 0 && !rest.empty();
  const bool is_upper_case = std::ranges::none_of(name, is_lower);
  return is_enclosed || is_upper_case ? level_of_name(name) : std::nullopt;
}

/// The first member `level` whose value is a string. Within a string its quotes would be escaped.
std::optional<LogLevel> level_of_object(std::string_view line) {
  constexpr std::string_view kMember = "\"level\"";
  const std::size_t at = line.find(kMember);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + kMember.size());
  const auto skip = [&rest](std::string_view bytes) {
    rest.remove_prefix(std::min(rest.find_first_not_of(bytes), rest.size()));
  };
  skip(kBlanks);
  if (!rest.starts_with(':')) return std::nullopt;
  rest.remove_prefix(1);
  skip(kBlanks);
  if (!rest.starts_with('"')) return std::nullopt;
  rest.remove_prefix(1);
  const std::string_view name = leading_name(rest);
  return rest.substr(name.size()).starts_with('"') ? level_of_name(name) : std::nullopt;
}

std::optional<LogLevel> level_of_words(std::string_view line) {
  for (int words = 0; words < kWordsMax; ++words) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return std::nullopt;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    if (const auto level = level_of_word(word)) return level;
    line.remove_prefix(word.size());
  }
  return std::nullopt;
}

}  // namespace

LogLevel level_of_line(std::string_view line) {
  const auto level = line.starts_with('{') ? level_of_object(line) : level_of_words(line);
  return level.value_or(LogLevel::info);
}

}  // namespace bartizan
