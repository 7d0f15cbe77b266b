#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/identity/certificate_names.h"
#include "gateway/identity/credentials.h"
#include "gateway/identity/trusted_proxies.h"
#include "gateway/net/stream.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// Where a client is, as records name it, and as quotas of strangers count it.
struct ClientAddress {
  std::string source;   ///< `ip:port`; the address alone where a proxy tells it by a header.
  std::string network;  ///< As `Stream::peer_address`.
};

/// Who is behind one HTTP connection: its peer, or, of a proxy in front of the gateway, whom the
/// proxy names in the head of each request.
///
/// A head is believed as far as the configuration says: `X-Forwarded-For` of peers in
/// `trusted_proxies`, the certificate header of peers that proved a certificate of
/// `certificate_proxies`. What others write there is as if it were not there.
///
/// Lifetime: within that of the stream. Threads: those of the connection.
class ClientPeer {
 public:
  explicit ClientPeer(const Stream& stream);

  /// Between two requests the peer itself is who is there.
  void forget_request();
  /// Reads where a request comes from.
  void read_address(const RequestHead& head, const SnapshotPtr& snapshot);
  const ClientAddress& address() const { return address_; }

  /// Reads the certificate of whoever makes a request: the connection's, if the present
  /// configuration still takes it, or what its proxy tells. Without such a refusal `certificates`
  /// answers.
  /// Errors: credentials_invalid and credentials_expired for the connection's own certificate, and
  ///         credentials_expired for one that is told; http_malformed for a header of a proxy that
  ///         holds no certificate, or that is there twice.
  std::expected<void, AuthenticationFailure> read_certificate(const RequestHead& head,
                                                              const SnapshotPtr& snapshot,
                                                              std::int64_t now);
  /// Whether it was the connection's own certificate that was refused: then no further request on
  /// it would be served.
  bool is_over() const { return is_over_; }
  /// As in `Credentials`. Lifetime: until another request is read.
  std::span<const std::string> certificates() const { return certificates_; }

  /// Whether the listener takes the connection's own certificate under that configuration; so it
  /// does where there is none. Cost: verifies signatures, once for each TLS context.
  Result<void> review(const Snapshot& snapshot);

 private:
  bool is_proxy_by_address(const SnapshotPtr& snapshot);
  bool is_proxy_by_certificate(const ProxyConfig& config) const;
  std::expected<void, AuthenticationFailure> read_told(const ProxyConfig& config,
                                                       const RequestHead& head, std::int64_t now);

  const Stream& stream_;
  ClientAddress own_;
  ClientAddress address_;
  bool is_over_ = false;
  std::optional<CertificateFacts> facts_;  ///< Of the connection's own certificate.
  std::weak_ptr<const asio::ssl::context> verified_by_;
  std::span<const std::string> certificates_;
  /// What a proxy told last, and what that is: most tell the same again.
  std::string told_value_;
  std::vector<std::string> told_;
  std::int64_t told_expires_ = 0;
  /// The proxies of one configuration, while the peer is one of them.
  std::weak_ptr<const Snapshot> proxies_of_;
  std::unique_ptr<const TrustedProxies> proxies_;
};

}  // namespace bartizan
