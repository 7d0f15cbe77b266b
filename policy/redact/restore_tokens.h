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

/// What a token stands for; nothing for what is no token of that caller and server.
using FindToken = std::function<std::optional<std::string>(std::string_view token)>;

/// What became of the arguments of a call.
struct RestoredTokens {
  std::optional<std::string> text;       ///< The message, where tokens of it are values again.
  std::vector<Redacted> found;           ///< Marks of redaction: `kRestored` or `kUnknown`.
  std::vector<Redaction::Token> tokens;  ///< That are values now, each once.
};

/// What makes tokens again of values that a server repeats: a tool that echoes its arguments, or
/// names them in an error, would tell what the token was there to hide. In order; whole values in
/// the strings of a message, and numbers, but in what `opaque_values` has and in names.
///
/// Cost: one search of each string for each token.
std::vector<Redaction::Edit> hide_restored(JsonValue message, JsonValue said,
                                           const Answered& answered,
                                           std::span<const Redaction::Token> tokens);

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
