#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http/http_fields.h"
#include "policy/url/address_range.h"

namespace bartizan {

/// Proxies in front of the gateway, by their networks.
///
/// Threads: any; immutable.
class TrustedProxies {
 public:
  TrustedProxies() = default;
  /// Input: networks as `AddressRange::parse` reads them. An invalid one contains no address.
  explicit TrustedProxies(std::span<const std::string> networks);

  /// Whether a proxy has that address. Input: as the kernel writes it, without brackets, port and
  /// zone.
  bool hold(std::string_view address) const;

  /// The client address of a request. It is the peer's, unless the peer is a proxy. Then
  /// `X-Forwarded-For` is read from the right end of its last line. The first address that is not a
  /// proxy's is the client's; if all are proxies, the leftmost one.
  ///
  /// Reading stops at the first entry that is not an address. Entries further left could have been
  /// written by the sender of the request, and are ignored. An entry may have brackets, and a port,
  /// which is ignored.
  /// Input:  the address of the peer, as for `hold`.
  /// Cost:   a pass over the fields, and over the entries that count.
  std::string find_client(std::string_view peer, std::span<const HeaderField> fields) const;

 private:
  std::vector<AddressRange> networks_;
};

}  // namespace bartizan
