#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/redact/redactor.h"
#include "policy/verdict/reason.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Returns the value of a token, or nothing if it is not a token of that caller and server.
using FindToken = std::function<std::optional<std::string>(std::string_view token)>;

/// The arguments of a call after the restoration of tokens.
struct RestoredTokens {
  std::optional<std::string> text;       ///< The message with restored values, if there are any.
  std::vector<Redacted> found;           ///< Marks of redaction: `kRestored` or `kUnknown`.
  std::vector<Redaction::Token> tokens;  ///< The restored tokens, each once.
};

/// Replaces restored values in a server's message by their tokens. A tool that echoes its
/// arguments, or names them in an error, would otherwise reveal the values. It searches strings for
/// whole values, and numbers. It skips names and the values of `opaque_values`. The edits are in
/// order.
///
/// Cost: one search of each string for each token.
std::vector<Redaction::Edit> hide_restored(JsonValue message, JsonValue said,
                                           const Answered& answered,
                                           std::span<const Redaction::Token> tokens);

/// Replaces the tokens in the arguments of a message by their values, spelled as the server sent
/// them. Unknown marks stay and are reported: a client that writes one in the place of a value
/// destroys the value. Names are skipped, as tokens are never made in names.
///
/// Input:  `arguments`, which was parsed from `bytes`.
/// Errors: invalid_params if the result would be larger than a request may be.
/// Cost:   one search for marks of redaction, and a copy if a token is found. Each token is looked
///         up once.
std::expected<RestoredTokens, Reason> restore_tokens(JsonValue arguments, std::string_view bytes,
                                                     const FindToken& find);

}  // namespace bartizan
