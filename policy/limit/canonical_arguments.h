#pragma once

#include <string>

#include "policy/verdict/call.h"

namespace bartizan {

/// The arguments of a tool call in one spelling: those that the tool's input schema declares, with
/// members sorted, strings unescaped, no insignificant space and numbers by their value. A member
/// that the server does not know of makes no other call of it, nor does another spelling. All
/// count where the schema declares none.
std::string canonical_arguments(const Call& call);

}  // namespace bartizan
