#include "gateway/review/format_change.h"

#include <cstddef>
#include <functional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bartizan {
namespace {

/// The most names in a line of bounded length.
constexpr std::size_t kFew = 8;

/// Formats a list of names.
using ListNames = std::function<std::string(std::span<const std::string>)>;

std::string all_of(std::span<const std::string> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// `role analyst`, `roles analyst, editor and principal eve`; empty for none.
std::string list(std::string_view noun, const std::vector<std::string>& names,
                 const ListNames& list_names) {
  if (names.empty()) return "";
  return fmt::format("{}{} {}", noun, names.size() == 1 ? "" : "s", list_names(names));
}

std::string who(const PolicyChange& change, const ListNames& list_names) {
  const std::string roles = list("role", roles_of(change), list_names);
  const std::string principals = list("principal", principals_of(change), list_names);
  return roles + (roles.empty() || principals.empty() ? "" : " and ") + principals;
}

/// `gains more of files/read_file`
std::string verb(const PolicyChange& change) {
  const bool is_gain = change.kind == PolicyChange::Kind::gained;
  const bool is_one = change.callers.size() == 1;
  const std::string_view whole =
      is_gain ? (is_one ? "gains" : "gain") : (is_one ? "loses" : "lose");
  if (change.is_whole) return std::string(whole);
  return fmt::format("{} {} of", whole, is_gain ? "more" : "some");
}

std::string told(const PolicyChange& change, const ListNames& list_names) {
  return fmt::format("{} {} {}", who(change, list_names), verb(change), list_names(change.what));
}

}  // namespace

std::string format_change(const PolicyChange& change) {
  return told(change, all_of);
}

std::string few_text(const PolicyChange& change) {
  return told(change, few_of);
}

std::string few_of(std::span<const std::string> names) {
  if (names.size() <= kFew) return all_of(names);
  return fmt::format("{} and {} more", all_of(names.first(kFew)), names.size() - kFew);
}

std::vector<std::string> roles_of(const PolicyChange& change) {
  std::vector<std::string> roles;
  for (const DiffCaller& caller : change.callers) {
    if (caller.principal.empty()) roles.push_back(caller.role);
  }
  return roles;
}

std::vector<std::string> principals_of(const PolicyChange& change) {
  std::vector<std::string> principals;
  for (const DiffCaller& caller : change.callers) {
    if (!caller.principal.empty()) principals.push_back(caller.principal);
  }
  return principals;
}

std::string refusal_text(const PolicyChange& change) {
  std::string why(text(change.reason));
  if (!change.pointer.empty()) why += " at " + change.pointer;
  if (!change.rule.empty()) why += ", by rule " + change.rule;
  return why;
}

}  // namespace bartizan
