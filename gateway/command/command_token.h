#pragma once

#include <istream>
#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan token explain` looks at.
struct TokenExplainOptions {
  std::string file;      ///< The configuration.
  std::string endpoint;  ///< Name of an endpoint; empty: each that there is.
};

/// `bartizan token explain FILE`: reads a token, or a key, and says for each endpoint whom it would
/// prove there, or why nobody. Issuers are asked as the gateway asks them. No part of the token is
/// written anywhere.
///
/// Input:  `input`, which has the token and nothing else.
/// Errors: kExitFailed where it proves nobody anywhere, and for a configuration that does not load.
int explain_token(const TokenExplainOptions& options, std::istream& input,
                  const CommandOutput& output);

}  // namespace bartizan
