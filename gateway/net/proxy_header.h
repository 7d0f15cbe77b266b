#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/url/ip_address.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Bytes with which each header begins, and that say how long it is.
inline constexpr std::size_t kProxyHeaderFront = 16;
/// Bytes of the longest header that is read. The longest addresses take 232; the rest is for what
/// proxies add to them, such as the certificate of their client.
inline constexpr std::size_t kProxyHeaderMax = 8192;

/// What a proxy says, in front of a connection, of who is behind it.
struct ProxyHeader {
  /// Whom the proxy connects for.
  struct Client {
    Ipv6Address address = {};  ///< IPv4 in the place that IPv6 has for it: `::ffff:192.0.2.1`.
    std::uint16_t port = 0;
    bool operator==(const Client&) const = default;
  };
  /// Nothing where the proxy speaks for itself, as it does to see whether the listener works.
  std::optional<Client> client = {};
};

/// How many bytes the header has that begins so, in all.
///
/// Input:  the first `kProxyHeaderFront` bytes of a connection, or fewer, which may show already
///         that no header follows.
/// Errors: http_syntax: another beginning, another version, a command or a kind of address that is
///         not served, a length that does not hold its addresses or is beyond `kProxyHeaderMax`.
/// Source: The PROXY protocol, versions 1 and 2 (HAProxy, 2020-03-05), §2.2.
Result<std::size_t> proxy_header_size(std::string_view front);

/// Reads a whole header. What stands behind its addresses is not looked at.
///
/// Input:  as many bytes as `proxy_header_size` says.
/// Errors: as `proxy_header_size`, and bytes that are too few or too many.
/// Source: The PROXY protocol, §2.2.
Result<ProxyHeader> read_proxy_header(std::string_view header);

}  // namespace bartizan
