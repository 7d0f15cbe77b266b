#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/runtime/random.h"

namespace bartizan {

/// The use of a sealed text. A text that was sealed for one use cannot be opened for another.
enum class SealedFor : std::uint8_t { provider_token, request_state, task_id };

/// Encrypts and authenticates a text: AES-256-GCM under a key derived from `secret`, as base64url.
/// `bound_to` is not in it, and must be the same when it is opened.
/// Input:  `secret`, of 256 unpredictable bits at least.
/// Errors: empty if the library has no memory.
/// Source: NIST SP 800-38D; RFC 5869.
std::string seal_text(SealedFor use, std::string_view text, std::string_view bound_to,
                      std::string_view secret, Random& random);
/// Opens a sealed text. Nothing for another use, secret or binding, or a text that was changed.
std::optional<std::string> open_sealed_text(SealedFor use, std::string_view sealed,
                                            std::string_view bound_to, std::string_view secret);

}  // namespace bartizan
