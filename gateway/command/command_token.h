#pragma once

#include <istream>
#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan token explain`.
struct TokenExplainOptions {
  std::string file;      ///< The configuration.
  std::string endpoint;  ///< Name of an endpoint; empty: all.
};

/// `bartizan token explain FILE`: reads a token or a key. Tells for each endpoint which principal
/// it authenticates there, or why none. Issuers are queried as the gateway queries them. No part of
/// the token is written anywhere.
///
/// Input:  `input`, with the token and nothing else.
/// Errors: kExitFailed if it authenticates nobody anywhere, or the configuration does not load.
int explain_token(const TokenExplainOptions& options, std::istream& input,
                  const CommandOutput& output);

}  // namespace bartizan
