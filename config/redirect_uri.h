#pragma once

#include <string_view>

namespace bartizan {

/// Why a text is no redirect URI that a client may have; empty where it is one: `https://`,
/// `http://` on a loopback host, or a scheme of an application's own with a host. Schemes by which
/// browsers run, read or open something are never one.
/// Source: RFC 8252 §7; RFC 9700 §2.1, §4.1.
std::string_view find_redirect_fault(std::string_view uri);

/// Whether it leads to this machine: `http://` with a loopback host.
bool is_loopback_redirect(std::string_view uri);

/// Whether a redirect URI that was asked for is one that was registered: byte for byte, but for the
/// port of a loopback one, which applications choose as they start.
/// Source: RFC 8252 §7.3; RFC 9700 §4.1.3.
bool is_same_redirect(std::string_view registered, std::string_view asked);

}  // namespace bartizan
