#include <fmt/format.h>

#include <algorithm>

#include "policy/redact/redactor.h"

namespace bartizan {

std::string text(const Redacted& redacted) {
  return fmt::format("{} {} {}", redacted.detector, redacted.action, redacted.count);
}

void add(std::vector<Redacted>& all, const Redacted& one) {
  const auto same = std::ranges::find_if(all, [&](const Redacted& other) {
    return other.detector == one.detector && other.action == one.action;
  });
  if (same == all.end()) {
    all.push_back(one);
  } else {
    same->count += one.count;
  }
}

void append_redacted(std::string& out, std::string_view bytes,
                     const std::vector<Redaction::Edit>& edits) {
  std::size_t at = 0;
  for (const Redaction::Edit& edit : edits) {
    out.append(bytes, at, edit.range.begin - at);
    out += edit.replacement;
    at = edit.range.end;
  }
  out.append(bytes.substr(at));
}

}  // namespace bartizan
