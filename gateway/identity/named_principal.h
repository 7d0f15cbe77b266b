#pragma once

#include "gateway/identity/verifier.h"

namespace bartizan {

/// The verifier of `local_user`, if `[auth.stdio] principal` names the local user: the user that
/// started the gateway. Null otherwise.
VerifierPtr make_local_user_verifier(const AuthConfig& config, const VerifierParts& parts);

/// The verifier of `configured`, with `[auth] mode = "none"`. Every caller over a transport that
/// carries requests of others is `[auth] principal`, whatever credentials it shows. Null otherwise.
VerifierPtr make_configured_verifier(const AuthConfig& config, const VerifierParts& parts);

}  // namespace bartizan
