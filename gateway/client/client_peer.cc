#include "gateway/client/client_peer.h"

#include <algorithm>
#include <utility>

#include "gateway/call/call_frame.h"
#include "gateway/identity/told_certificate.h"
#include "gateway/net/peer_address.h"

namespace bartizan {
namespace {

std::unexpected<AuthenticationFailure> refuse(Reason reason, std::string detail) {
  return std::unexpected(AuthenticationFailure{reason, std::move(detail)});
}

/// Whether both refer to the same object, or to none. A later object may have the address of an
/// earlier one.
template <class T>
bool is_of(const std::weak_ptr<const T>& known, const std::shared_ptr<const T>& present) {
  return !known.owner_before(present) && !present.owner_before(known);
}

/// The value of the header; nothing without it. An error if it is repeated, since one of them may
/// be the client's.
Result<std::optional<std::string_view>> find_once(const HeaderFields& fields,
                                                  std::string_view name) {
  std::optional<std::string_view> found;
  for (const HeaderField& field : fields.all()) {
    if (!equal_ignoring_case(field.name, name)) continue;
    if (found.has_value()) {
      return fail(ErrorCode::http_syntax, Fault::client, std::string(name) + " is there twice");
    }
    found = field.value;
  }
  return found;
}

bool has_client_certificates(const Config& config) {
  return config.listen.tls.has_value() && !config.listen.tls->client_ca.empty();
}

}  // namespace

ClientPeer::ClientPeer(const Stream& stream)
    : stream_(stream),
      own_{.source = stream.peer(), .network = stream.peer_address()},
      address_(own_) {
  if (!stream.certificates().empty()) {
    facts_ = bartizan::read_certificate(stream.certificates().front());
  }
}

void ClientPeer::forget_request() {
  certificates_ = {};
  // For most connections it is the same.
  if (address_.source != own_.source) address_ = own_;
}

bool ClientPeer::is_proxy_by_address(const SnapshotPtr& snapshot) {
  const std::vector<std::string>& networks = snapshot->config.listen.proxies.networks;
  if (networks.empty()) return false;
  if (is_of(proxies_of_, snapshot)) return proxies_ != nullptr;
  auto proxies = std::make_unique<const TrustedProxies>(networks);
  const bool is_proxy = proxies->hold(address_of(own_.source));
  proxies_of_ = snapshot;
  proxies_ = is_proxy ? std::move(proxies) : nullptr;
  return is_proxy;
}

void ClientPeer::read_address(const RequestHead& head, const SnapshotPtr& snapshot) {
  if (!is_proxy_by_address(snapshot)) return;
  const std::string_view peer = address_of(own_.source);
  const std::string client = proxies_->find_client(peer, head.fields().all());
  if (client == peer) return;
  error_code error;
  const auto address = asio::ip::make_address(client, error);
  if (error) return;
  address_ = {.source = address.is_v6() ? "[" + client + "]" : client,
              .network = network_of(address)};
}

bool ClientPeer::is_proxy_by_certificate(const ProxyConfig& config) const {
  return config.certificate_header != ProxyConfig::CertificateHeader::none && facts_.has_value() &&
         std::ranges::any_of(config.certificates,
                             [this](const std::string& name) { return has_name(*facts_, name); });
}

Result<void> ClientPeer::review(const Snapshot& snapshot) {
  // Certificates are no longer requested, so this one is ignored.
  const bool counts = !stream_.certificates().empty() && snapshot.tls != nullptr &&
                      has_client_certificates(snapshot.config);
  if (!counts) return {};
  const std::shared_ptr<const asio::ssl::context> context = snapshot.tls;
  if (is_of(verified_by_, context)) return {};
  Result<void> verified = stream_.verify_certificate_by(*snapshot.tls);
  if (verified.has_value()) verified_by_ = context;
  return verified;
}

std::expected<void, AuthenticationFailure> ClientPeer::read_certificate(const RequestHead& head,
                                                                        const SnapshotPtr& snapshot,
                                                                        std::int64_t now) {
  certificates_ = {};
  is_over_ = false;
  if (stream_.certificates().empty() || !has_client_certificates(snapshot->config)) return {};
  is_over_ = true;
  const Result<void> reviewed = review(*snapshot);
  if (!reviewed.has_value()) return refuse(Reason::credentials_invalid, reviewed.error().detail);
  if (!facts_.has_value()) {
    return refuse(Reason::credentials_invalid, "the certificate cannot be read");
  }
  if (facts_->expires <= now) {
    return refuse(Reason::credentials_expired, "the certificate of the connection has expired");
  }
  is_over_ = false;
  const ProxyConfig& proxies = snapshot->config.listen.proxies;
  if (is_proxy_by_certificate(proxies)) return read_told(proxies, head, now);
  certificates_ = stream_.certificates();
  return {};
}

/// The proxy's own certificate identifies the proxy, not the request's client.
std::expected<void, AuthenticationFailure> ClientPeer::read_told(const ProxyConfig& config,
                                                                 const RequestHead& head,
                                                                 std::int64_t now) {
  const auto value = find_once(head.fields(), name_of(config.certificate_header));
  if (!value.has_value()) return refuse(Reason::http_malformed, value.error().detail);
  // A proxy may write the header without a value for clients without a certificate.
  const std::string_view told = value->value_or("");
  if (told.empty()) return {};
  if (told != told_value_) {
    told_value_.clear();
    Result<std::string> der = read_told_certificate(config.certificate_header, told);
    if (!der.has_value()) return refuse(Reason::http_malformed, der.error().detail);
    told_expires_ = bartizan::read_certificate(*der).value_or(CertificateFacts()).expires;
    told_.assign(1, *std::move(der));
    told_value_ = told;
  }
  if (told_expires_ <= now) {
    return refuse(Reason::credentials_expired, "the certificate that the proxy tells has expired");
  }
  certificates_ = told_;
  return {};
}

}  // namespace bartizan
