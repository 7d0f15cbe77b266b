#include "gateway/net/proxy_header.h"

#include <string>

namespace bartizan {
namespace {

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
/// Values of the 13th byte: the version, and the command.
constexpr unsigned kForItself = 0x20;
constexpr unsigned kForClient = 0x21;
/// Values of the 14th byte: the address family and the transport.
constexpr unsigned kTcpOverIpv4 = 0x11;
constexpr unsigned kTcpOverIpv6 = 0x21;
constexpr std::size_t kIpv4Bytes = 4;
constexpr std::size_t kIpv6Bytes = 16;
/// Two ports of two bytes after the two addresses.
constexpr std::size_t kPortsBytes = 4;

std::unexpected<Error> refuse(std::string_view why) {
  return fail(ErrorCode::http_syntax, Fault::client, std::string(why));
}

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

unsigned number_at(std::string_view bytes, std::size_t at) {
  return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}

Ipv6Address ipv4_at(std::string_view bytes, std::size_t at) {
  const auto high = static_cast<std::uint16_t>(number_at(bytes, at));
  const auto low = static_cast<std::uint16_t>(number_at(bytes, at + 2));
  return {{0, 0, 0, 0, 0, 0xffff, high, low}};
}

Ipv6Address ipv6_at(std::string_view bytes, std::size_t at) {
  Ipv6Address address;
  for (std::uint16_t& group : address.groups) {
    group = static_cast<std::uint16_t>(number_at(bytes, at));
    at += 2;
  }
  return address;
}

/// Bytes of the two addresses and ports; 0 for an unsupported kind.
std::size_t addresses_size(unsigned kind) {
  if (kind == kTcpOverIpv4) return 2 * kIpv4Bytes + kPortsBytes;
  return kind == kTcpOverIpv6 ? 2 * kIpv6Bytes + kPortsBytes : 0;
}

}  // namespace

Result<std::size_t> proxy_header_size(std::string_view front) {
  const std::string_view signature = front.substr(0, kSignature.size());
  if (!kSignature.starts_with(signature)) {
    return refuse("the connection does not begin with a header of the PROXY protocol, version 2");
  }
  if (front.size() < kProxyHeaderFront) return kProxyHeaderFront;
  const unsigned command = byte_at(front, 12);
  if (command != kForItself && command != kForClient) {
    return refuse("the PROXY header has another version, or a command that there is not");
  }
  const std::size_t following = number_at(front, 14);
  if (kProxyHeaderFront + following > kProxyHeaderMax) {
    return refuse("the PROXY header is too long");
  }
  // The addresses of a proxy that connects for itself are ignored.
  if (command == kForItself) return kProxyHeaderFront + following;
  const std::size_t needed = addresses_size(byte_at(front, 13));
  if (needed == 0) return refuse("the PROXY header is of no TCP connection over IPv4 or IPv6");
  if (following < needed) return refuse("the PROXY header is too short for its addresses");
  return kProxyHeaderFront + following;
}

Result<ProxyHeader> read_proxy_header(std::string_view header) {
  const Result<std::size_t> size = proxy_header_size(header.substr(0, kProxyHeaderFront));
  if (!size.has_value()) return std::unexpected(size.error());
  if (header.size() != *size) return refuse("the PROXY header is not as long as it says");
  if (byte_at(header, 12) == kForItself) return ProxyHeader();
  const bool is_ipv4 = byte_at(header, 13) == kTcpOverIpv4;
  const std::size_t ports = kProxyHeaderFront + 2 * (is_ipv4 ? kIpv4Bytes : kIpv6Bytes);
  return ProxyHeader{
      .client = ProxyHeader::Client{.address = is_ipv4 ? ipv4_at(header, kProxyHeaderFront)
                                                       : ipv6_at(header, kProxyHeaderFront),
                                    .port = static_cast<std::uint16_t>(number_at(header, ports))}};
}

}  // namespace bartizan
