#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/runtime/random.h"

namespace bartizan {

/// What a sealed text is for: one that was sealed for one use is none of another.
enum class SealedFor : std::uint8_t { provider_token, request_state, task_id };

/// A text that only whoever has `secret` reads, and nobody can change: AES-256-GCM under a key made
/// of it, base64url. `bound_to` is not in it, and has to be the same when it is opened.
/// Input:  `secret`, of 256 unpredictable bits at least.
/// Errors: empty where the library has no memory.
/// Source: NIST SP 800-38D; RFC 5869.
std::string seal_text(SealedFor use, std::string_view text, std::string_view bound_to,
                      std::string_view secret, Random& random);
/// What was sealed; nothing for another use or secret, another binding, or what was changed.
std::optional<std::string> open_sealed_text(SealedFor use, std::string_view sealed,
                                            std::string_view bound_to, std::string_view secret);

}  // namespace bartizan
