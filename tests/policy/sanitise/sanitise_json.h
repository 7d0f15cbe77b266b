#pragma once

#include <string_view>

#include "policy/sanitise/sanitiser.h"
#include "tests/policy/read_json.h"

namespace bartizan {

/// Sanitises a message whose `result` says something, and reads what is left of it, as the gateway
/// does.
inline Sanitisation sanitise_json(const Sanitising& wanted, std::string_view json) {
  const ReadJson read(json);
  if (!read.root) return {};
  Sanitisation sanitised = sanitise(wanted, read.root, read.root.find("result"));
  if (sanitised.is_withheld || !sanitised.left.has_value()) return sanitised;
  const ReadJson left(*sanitised.left);
  // Two names may be one now.
  if (!left.root) return sanitised;
  const Sanitisation unjudged = find_unjudged_app(wanted, left.root, left.root.find("result"));
  for (const Sanitised& one : unjudged.found)
    add(sanitised.found, one);
  sanitised.is_withheld = unjudged.is_withheld;
  return sanitised;
}

}  // namespace bartizan
