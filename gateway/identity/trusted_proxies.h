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
  /// Input: networks as `AddressRange::parse` reads them; what is none holds nobody.
  explicit TrustedProxies(std::span<const std::string> networks);

  /// Whether there is one at that address. Input: as the kernel writes it, without brackets, port
  /// and zone.
  bool hold(std::string_view address) const;

  /// The address that a request comes from: of the addresses in `X-Forwarded-For`, read from the
  /// right end of its last line, the first that is no proxy's. Where all are, the leftmost one.
  ///
  /// What stands left of the first entry that is no address, or that no proxy wrote, is not looked
  /// at: whoever sent the request can have written it. An entry may have a port, which says
  /// nothing, and brackets.
  /// Input:  the address of the peer, as `hold` takes it.
  /// Cost:   a pass over the fields, and over the entries that count.
  std::string find_client(std::string_view peer, std::span<const HeaderField> fields) const;

 private:
  std::vector<AddressRange> networks_;
};

}  // namespace bartizan
