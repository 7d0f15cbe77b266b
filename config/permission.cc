#include "config/permission.h"

#include <algorithm>

namespace bartizan {
namespace {

/// Takes the first segment from a text; the rest starts after its colon.
std::string_view take_segment(std::string_view& text) {
  const std::size_t end = std::min(text.find(':'), text.size());
  const std::string_view segment = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return segment;
}

bool is_segment(std::string_view segment) {
  return !segment.empty() && std::ranges::all_of(segment, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

/// Whether a text is one or more such segments, separated by colons.
template <class IsSegment>
bool has_segments(std::string_view text, IsSegment is_one) {
  if (text.ends_with(':')) return false;
  do {
    if (!is_one(take_segment(text))) return false;
  } while (!text.empty());
  return true;
}

}  // namespace

bool is_permission(std::string_view text) {
  return has_segments(text, is_segment);
}

bool is_permission_grant(std::string_view text) {
  return has_segments(
      text, [](std::string_view segment) { return segment == "*" || is_segment(segment); });
}

bool grants_permission(std::string_view grant, std::string_view permission) {
  while (!grant.empty() && !permission.empty()) {
    const std::string_view granted = take_segment(grant);
    const std::string_view asked = take_segment(permission);
    if (granted != "*" && granted != asked) return false;
  }
  return grant.empty() && permission.empty();
}

}  // namespace bartizan
