#include "gateway/change_text.h"

#include <fmt/format.h>

namespace bartizan {
namespace {

std::string who(const PolicyChange& change) {
  return change.principal.empty() ? "role " + change.role : "principal " + change.principal;
}

/// `gains more of files/read_file`
std::string verb(const PolicyChange& change) {
  const bool is_gain = change.kind == PolicyChange::Kind::gained;
  if (change.is_whole) return is_gain ? "gains" : "loses";
  return is_gain ? "gains more of" : "loses some of";
}

}  // namespace

std::string change_text(const PolicyChange& change) {
  return fmt::format("{} {} {}", who(change), verb(change), change.what);
}

std::string refusal_text(const PolicyChange& change) {
  std::string why(text(change.reason));
  if (!change.pointer.empty()) why += " at " + change.pointer;
  if (!change.rule.empty()) why += ", by rule " + change.rule;
  return why;
}

}  // namespace bartizan
