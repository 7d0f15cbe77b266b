// The start of a stream: its peer, the header of a proxy, and TLS.
#include <algorithm>
#include <utility>

#include "gateway/net/peer_address.h"
#include "gateway/net/proxy_header.h"
#include "gateway/net/stream.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

asio::ip::address to_address(const Ipv6Address& address) {
  asio::ip::address_v6::bytes_type bytes{};
  for (std::size_t group = 0; group < Ipv6Address::kGroups; ++group) {
    bytes.at(2 * group) = static_cast<unsigned char>(address.groups.at(group) >> 8);
    bytes.at(2 * group + 1) = static_cast<unsigned char>(address.groups.at(group) & 0xff);
  }
  const asio::ip::address_v6 v6(bytes);
  if (!v6.is_v4_mapped()) return v6;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, v6);
}

}  // namespace

void Stream::name_peer(const asio::ip::address& address, std::uint16_t port) {
  peer_address_ = network_of(address);
  const std::string text = address.to_string();
  peer_ = address.is_v6() ? "[" + text + "]" : text;
  peer_ += ":" + std::to_string(port);
}

/// Reads exactly so many bytes, as the following ones do not belong to the header.
Task<Result<void>> Stream::receive_whole(std::string& bytes, std::size_t size,
                                         std::chrono::steady_clock::time_point latest) {
  while (bytes.size() < size) {
    const std::size_t before = bytes.size();
    bytes.resize(size);
    const auto left = std::chrono::duration_cast<Milliseconds>(latest - steady_now());
    const Result<std::size_t> received =
        co_await receive(std::span(bytes).subspan(before), std::max(left, Milliseconds(1)));
    bytes.resize(before + received.value_or(0));
    if (!received.has_value()) co_return std::unexpected(received.error());
    // No wait if something else was sent.
    const Result<std::size_t> begun =
        proxy_header_size(std::string_view(bytes).substr(0, kProxyHeaderFront));
    if (!begun.has_value()) co_return std::unexpected(begun.error());
  }
  co_return Result<void>();
}

Task<Result<void>> Stream::accept_proxied(Milliseconds wait) {
  const auto latest = steady_now() + wait;
  std::string bytes;
  Result<void> received = co_await receive_whole(bytes, kProxyHeaderFront, latest);
  if (received.has_value()) {
    // The size is known after so many bytes.
    const std::size_t size = proxy_header_size(bytes).value_or(kProxyHeaderFront);
    received = co_await receive_whole(bytes, size, latest);
  }
  if (!received.has_value()) {
    const bool is_cut = received.error().code == ErrorCode::closed && !bytes.empty();
    if (!is_cut) co_return received;
    co_return fail(ErrorCode::http_syntax, peer_fault_, "the PROXY header ends too early");
  }
  const Result<ProxyHeader> header = read_proxy_header(bytes);
  if (!header.has_value()) co_return std::unexpected(header.error());
  if (header->client.has_value()) {
    name_peer(to_address(header->client->address), header->client->port);
  }
  co_return Result<void>();
}

Task<Result<void>> Stream::handshake(Milliseconds wait) {
  const auto latest = steady_now() + wait;
  while (true) {
    const Result<TlsSession::Step> step = tls_->handshake();
    tls_->keep_unread();
    const auto left = std::chrono::duration_cast<Milliseconds>(latest - steady_now());
    const Result<void> sent = co_await send_output(std::max(left, Milliseconds(1)));
    if (!step.has_value()) co_return std::unexpected(step.error());
    if (!sent.has_value()) co_return sent;
    if (*step == TlsSession::Step::done) co_return Result<void>();
    const Result<void> fed = co_await feed_tls(std::max(left, Milliseconds(1)));
    if (!fed.has_value()) co_return fed;
  }
}

Task<Result<void>> Stream::accept_tls(asio::ssl::context& context, Milliseconds wait) {
  if (!is_open()) co_return std::unexpected(failure(asio::error::bad_descriptor, reading_));
  tls_ =
      std::make_unique<TlsSession>(context.native_handle(), TlsSession::Side::server, peer_fault_);
  const Result<void> shaken = co_await handshake(wait);
  if (shaken.has_value()) certificates_ = tls_->verified_chain();
  co_return shaken;
}

Task<Result<void>> Stream::connect_tls(asio::ssl::context& context, std::string host,
                                       Milliseconds wait) {
  if (!is_open()) co_return std::unexpected(failure(asio::error::bad_descriptor, reading_));
  tls_ =
      std::make_unique<TlsSession>(context.native_handle(), TlsSession::Side::client, peer_fault_);
  if (!tls_->expect_host(host)) {
    co_return fail(ErrorCode::config_invalid, Fault::gateway,
                   "no certificate can have that name: " + host);
  }
  co_return co_await handshake(wait);
}

Result<void> Stream::verify_certificate_by(asio::ssl::context& context) const {
  if (tls_ == nullptr) {
    return fail(ErrorCode::credentials_bad, peer_fault_, "there is no certificate to verify");
  }
  return tls_->verify_client_by(context.native_handle());
}

}  // namespace bartizan
