#pragma once

#include "gateway/identity/verifier.h"

namespace bartizan {

/// `local_user`, where `[auth.stdio] principal` says who the local user is: whoever started the
/// gateway has proved it by that. Null otherwise.
VerifierPtr make_local_user_verifier(const AuthConfig& config, const VerifierParts& parts);

/// `configured`, with `[auth] mode = "none"`: everybody whose transport carries requests of others
/// is `[auth] principal`, whatever they show. Null otherwise.
VerifierPtr make_configured_verifier(const AuthConfig& config, const VerifierParts& parts);

}  // namespace bartizan
