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

/// The address of a client, for records and for the quotas of unauthenticated clients.
struct ClientAddress {
  std::string source;   ///< `ip:port`; the address alone if a proxy's header names it.
  std::string network;  ///< As `Stream::peer_address`.
};

/// The client of one HTTP connection. It is the connection's peer. Behind a proxy it is the client
/// that the proxy names in the head of each request.
///
/// The configuration decides which headers count: `X-Forwarded-For` from peers in
/// `trusted_proxies`, and the certificate header from peers with a certificate of
/// `certificate_proxies`. From other peers both are ignored.
///
/// Lifetime: within that of the stream.
/// Threads:  those of the connection.
class ClientPeer {
 public:
  explicit ClientPeer(const Stream& stream);

  /// Ends a request: until the next one, the client is the peer itself.
  void forget_request();
  /// Reads the client's address from a request.
  void read_address(const RequestHead& head, const SnapshotPtr& snapshot);
  const ClientAddress& address() const { return address_; }

  /// Reads the certificate of the request's client: the connection's own, if the current
  /// configuration still accepts it, or the one in a proxy's header. After success `certificates`
  /// returns it.
  /// Errors: credentials_invalid and credentials_expired for the connection's own certificate;
  /// credentials_expired for one in a header; http_malformed for a proxy's header that is repeated
  /// or does not contain a certificate.
  std::expected<void, AuthenticationFailure> read_certificate(const RequestHead& head,
                                                              const SnapshotPtr& snapshot,
                                                              std::int64_t now);
  /// Whether the connection's own certificate was refused, so that it can serve no further request.
  bool is_over() const { return is_over_; }
  /// As in `Credentials`. Lifetime: until the next request is read.
  std::span<const std::string> certificates() const { return certificates_; }

  /// Whether the listener accepts the connection's own certificate under that configuration;
  /// succeeds without one. Cost: verifies signatures, once for each TLS context.
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
  /// The last header of a proxy and its certificate: most proxies repeat it.
  std::string told_value_;
  std::vector<std::string> told_;
  std::int64_t told_expires_ = 0;
  /// The proxies of one configuration, if the peer is one of them.
  std::weak_ptr<const Snapshot> proxies_of_;
  std::unique_ptr<const TrustedProxies> proxies_;
};

}  // namespace bartizan
