#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/url/ip_address.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The first bytes of each header, which include its length.
inline constexpr std::size_t kProxyHeaderFront = 16;
/// Bytes of the longest accepted header. The longest addresses take 232. The rest is for extensions
/// of proxies, such as the certificate of their client.
inline constexpr std::size_t kProxyHeaderMax = 8192;

/// The header of a proxy at the start of a connection. It names the client.
struct ProxyHeader {
  /// The client for which the proxy connects.
  struct Client {
    Ipv6Address address = {};  ///< IPv4 as mapped IPv6: `::ffff:192.0.2.1`.
    std::uint16_t port = 0;
    bool operator==(const Client&) const = default;
  };
  /// Nothing if the proxy connects for itself, as for a health check of the listener.
  std::optional<Client> client = {};
};

/// Returns the size of a whole header from its first bytes.
///
/// Input:  the first `kProxyHeaderFront` bytes of a connection. Fewer may already show that no
///         header follows.
/// Errors: http_syntax: another beginning, another version, a command or a kind of address that is
///         not supported, a length that does not contain its addresses or is beyond
///         `kProxyHeaderMax`.
/// Source: The PROXY protocol, versions 1 and 2 (HAProxy, 2020-03-05), §2.2.
Result<std::size_t> proxy_header_size(std::string_view front);

/// Parses a whole header. Everything after its addresses is ignored.
///
/// Input:  as many bytes as `proxy_header_size` returns.
/// Errors: as for `proxy_header_size`, and too few or too many bytes.
/// Source: The PROXY protocol, §2.2.
Result<ProxyHeader> read_proxy_header(std::string_view header);

}  // namespace bartizan
