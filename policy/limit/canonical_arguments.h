#pragma once

#include <string>

#include "policy/verdict/call.h"

namespace bartizan {

/// The arguments of a tool call in one spelling. Members are sorted, strings unescaped,
/// insignificant space is dropped, and numbers are spelled by value. Only arguments that the tool's
/// input schema declares are kept; all are if it declares none. Unknown members and other spellings
/// thus do not make another call.
std::string canonical_arguments(const Call& call);

}  // namespace bartizan
