#pragma once

#include <string_view>

namespace bartizan {

/// Why a text is not an acceptable redirect URI of a client; empty if it is acceptable. Acceptable
/// are `https://`, `http://` on a loopback host, and an application's own scheme with a host.
/// Schemes by which browsers run, read or open something are never acceptable.
/// Source: RFC 8252 §7; RFC 9700 §2.1, §4.1.
std::string_view find_redirect_fault(std::string_view uri);

/// Whether the URI leads to this machine: `http://` with a loopback host.
bool is_loopback_redirect(std::string_view uri);

/// Whether a requested redirect URI equals a registered one, byte for byte. The port of a loopback
/// URI is ignored, because applications choose it as they start.
/// Source: RFC 8252 §7.3; RFC 9700 §4.1.3.
bool is_same_redirect(std::string_view registered, std::string_view asked);

}  // namespace bartizan
