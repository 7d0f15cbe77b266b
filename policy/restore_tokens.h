#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/reason.h"
#include "policy/redactor.h"
#include "schemas/json.h"

namespace bartizan {

/// What a token stands for; nothing for what is no token of that caller and server.
using FindToken = std::function<std::optional<std::string>(std::string_view token)>;

/// What became of the arguments of a call.
struct RestoredTokens {
  std::optional<std::string> text;  ///< The message, where tokens of it are values again.
  std::vector<Redacted> found;      ///< Marks of redaction: `kRestored` or `kUnknown`.
};

/// A message in whose arguments each token is the value that it stands for, as its server sent it.
/// Marks that stand for nothing stay: they are told, since what is written back in the place of a
/// value may be the end of it. Names are left alone, as nothing in a name becomes a token.
///
/// Input:  `arguments` was read from `bytes`.
/// Errors: invalid_params where it would be larger than a request may be.
/// Cost:   one search for the marks of redaction; a copy where a token is found. Each token is
///         asked for once.
std::expected<RestoredTokens, Reason> restore_tokens(JsonValue arguments, std::string_view bytes,
                                                     const FindToken& find);

}  // namespace bartizan
