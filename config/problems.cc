#include "config/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace bartizan {
namespace {

constexpr std::size_t kQuotedMax = 64;

/// Levenshtein distance over the first 64 bytes of each, in one row.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kQuotedMax);
  b = b.substr(0, kQuotedMax);
  std::array<std::size_t, kQuotedMax + 1> row{};
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

void replace_controls(std::string& text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
}

}  // namespace

std::uint32_t Problems::add_file(std::string name) {
  files_.push_back(std::move(name));
  return static_cast<std::uint32_t>(files_.size() - 1);
}

void Problems::error(Position where, std::string message, std::string hint) {
  add({where, {ConfigProblem::Severity::error, {}, std::move(message), std::move(hint)}});
}

void Problems::warning(Position where, std::string message, std::string hint) {
  add({where, {ConfigProblem::Severity::warning, {}, std::move(message), std::move(hint)}});
}

void Problems::add(Found found) {
  // Messages of toml++ quote keys verbatim.
  replace_controls(found.problem.message);
  found.order = found_.size() + dropped_;
  const bool is_error = found.problem.severity == ConfigProblem::Severity::error;
  if (found_.size() < kProblemsMax) {
    found_.push_back(std::move(found));
    return;
  }
  ++dropped_;
  // Warnings must not crowd out the error that makes a configuration unusable.
  if (is_error) found_.back() = std::move(found);
}

std::vector<ConfigProblem> Problems::sorted() const {
  std::vector<Found> ordered = found_;
  std::ranges::sort(ordered, {}, [](const Found& found) {
    return std::tuple(found.where.file, found.where.line, found.where.column, found.order);
  });
  std::vector<ConfigProblem> problems;
  for (Found& found : ordered) {
    found.problem.where = place(files_, found.where);
    problems.push_back(std::move(found.problem));
  }
  if (dropped_ > 0) {
    problems.push_back({.where = place(files_, {}),
                        .message = fmt::format("{} more problems are not shown", dropped_)});
  }
  return problems;
}

std::string place(const std::vector<std::string>& files, const Position& where) {
  const std::string file = where.file < files.size() ? files[where.file] : "configuration";
  return where.line == 0 ? file : fmt::format("{}:{}:{}", file, where.line, where.column);
}

std::string quote(std::string_view text) {
  std::string shown(text.substr(0, kQuotedMax));
  replace_controls(shown);
  // A cut through a UTF-8 sequence would make the whole line invalid.
  while (text.size() > kQuotedMax && !shown.empty() && (shown.back() & 0x80) != 0)
    shown.pop_back();
  return fmt::format("\"{}{}\"", shown, text.size() > kQuotedMax ? "…" : "");
}

std::string hint_near(std::string_view name, const std::vector<std::string_view>& candidates) {
  std::string_view nearest;
  // Two swapped letters are two edits, which must be accepted even for a short name.
  const std::size_t allowed = name.size() < 4 ? 1 : std::max<std::size_t>(2, name.size() / 3);
  std::size_t least = std::min<std::size_t>(allowed, 4) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    // Most of the word must be the same: "tofu" is not a misspelling of "off".
    const bool is_other_word = name.size() >= 4 && 2 * distance > candidate.size();
    if (distance >= least || is_other_word) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest.empty() ? std::string() : fmt::format("did you mean {}?", quote(nearest));
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += quote(names[i]);
  }
  return text;
}

}  // namespace bartizan
