#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "policy/reason.h"
#include "schemas/json.h"

namespace bartizan {

/// What a token stands for; nothing for what is no token of that caller and server.
using FindToken = std::function<std::optional<std::string>(std::string_view token)>;

/// A message in whose arguments each token is the value that it stands for, as its server sent it.
/// Nothing where there is none. Names are left alone, as nothing in a name becomes a token.
///
/// Input:  `arguments` was read from `bytes`.
/// Errors: invalid_params where it would be larger than a request may be.
/// Cost:   one search for the marks of redaction; a copy where a token is found. Each token is
/// asked
///         for once.
std::expected<std::optional<std::string>, Reason> restore_tokens(JsonValue arguments,
                                                                 std::string_view bytes,
                                                                 const FindToken& find);

}  // namespace bartizan
