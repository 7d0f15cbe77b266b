#include "gateway/net/proxy_header.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "policy/url/address_range.h"

namespace bartizan {
namespace {

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::string_view kIpv4("\xcb\x00\x71\x09\x0a\x00\x00\x01\xc8\x22\x01\xbb", 12);
constexpr std::string_view kIpv6(
    "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x09"
    "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\xc8\x22\x01\xbb",
    36);
constexpr std::string_view kMappedIpv6(
    "\0\0\0\0\0\0\0\0\0\0\xff\xff\xcb\x00\x71\x09"
    "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\x00\x00\x01\xc8\x22\x01\xbb",
    36);

std::string header(unsigned command, unsigned kind, std::string_view following,
                   std::size_t said_size) {
  std::string bytes(kSignature);
  bytes += static_cast<char>(command);
  bytes += static_cast<char>(kind);
  bytes += static_cast<char>(said_size >> 8);
  bytes += static_cast<char>(said_size & 0xff);
  return bytes.append(following);
}

std::string header(unsigned command, unsigned kind, std::string_view following) {
  return header(command, kind, following, following.size());
}

/// Whom a header names: `ADDRESS PORT`, `itself` for the proxy, or what is wrong.
std::string told(std::string_view bytes) {
  const auto read = read_proxy_header(bytes);
  if (!read.has_value()) return read.error().detail;
  if (!read->client.has_value()) return "itself";
  return text(read->client->address) + " " + std::to_string(read->client->port);
}

TEST(ProxyHeader, NamesWhomTheProxyConnectsFor) {
  const std::string much(kProxyHeaderMax - kProxyHeaderFront - kIpv4.size(), '\x04');
  const struct {
    std::string_view name;
    std::string bytes;
    std::string_view want;
  } cases[] = {
      {"TCP over IPv4", header(0x21, 0x11, kIpv4), "::ffff:cb00:7109 51234"},
      {"TCP over IPv6", header(0x21, 0x21, kIpv6), "2001:db8::9 51234"},
      {"IPv4 in IPv6 is IPv4", header(0x21, 0x21, kMappedIpv6), "::ffff:cb00:7109 51234"},
      {"more behind the addresses is not looked at",
       header(0x21, 0x11, std::string(kIpv4) + "\x03\x01"), "::ffff:cb00:7109 51234"},
      {"as long as may be", header(0x21, 0x11, std::string(kIpv4) + much),
       "::ffff:cb00:7109 51234"},
      {"for itself", header(0x20, 0x00, ""), "itself"},
      {"for itself, with addresses", header(0x20, 0x11, kIpv4), "itself"},
      {"for itself, with anything", header(0x20, 0xff, "abc"), "itself"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(told(c.bytes), c.want);
    const std::string_view bytes = c.bytes;
    EXPECT_EQ(proxy_header_size(bytes.substr(0, kProxyHeaderFront)), bytes.size());
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_FALSE(read_proxy_header(bytes.substr(0, size)).has_value()) << size;
    EXPECT_FALSE(read_proxy_header(c.bytes + "G").has_value()) << "what follows is not part of it";
  }
}

TEST(ProxyHeader, RefusesEverythingElse) {
  const std::string_view other_beginning =
      "the connection does not begin with a header of the PROXY protocol, version 2";
  const std::string_view other_command =
      "the PROXY header has another version, or a command that there is not";
  const std::string_view other_kind = "the PROXY header is of no TCP connection over IPv4 or IPv6";
  const std::string_view too_short = "the PROXY header is too short for its addresses";
  const std::string wrong_end = header(0x21, 0x11, kIpv4).replace(11, 1, "\r");
  const struct {
    std::string_view name;
    std::string bytes;
    std::string_view want;
  } cases[] = {
      {"version 1", "PROXY TCP4 203.0.113.9 10.0.0.1 51234 443\r\n", other_beginning},
      {"HTTP", "POST /mcp HTTP/1.1\r\nHost: x\r\n\r\n", other_beginning},
      {"TLS", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), other_beginning},
      {"almost the signature", wrong_end, other_beginning},
      {"version 3", header(0x31, 0x11, kIpv4), other_command},
      {"version 1 in binary", header(0x11, 0x11, kIpv4), other_command},
      {"a command that there is not", header(0x22, 0x11, kIpv4), other_command},
      {"a proxy that says nothing of its client", header(0x21, 0x00, ""), other_kind},
      {"UDP over IPv4", header(0x21, 0x12, kIpv4), other_kind},
      {"UDP over IPv6", header(0x21, 0x22, kIpv6), other_kind},
      {"a Unix socket", header(0x21, 0x31, std::string(216, 'x')), other_kind},
      {"an IPv4 address cut short", header(0x21, 0x11, kIpv4.substr(0, 11)), too_short},
      {"an IPv6 address cut short", header(0x21, 0x21, kIpv6.substr(0, 35)), too_short},
      {"IPv6 with addresses of IPv4", header(0x21, 0x21, kIpv4), too_short},
      {"longer than the bound", header(0x21, 0x11, kIpv4, kProxyHeaderMax - kProxyHeaderFront + 1),
       "the PROXY header is too long"},
      {"as long as a header can say", header(0x20, 0x00, "", 0xffff),
       "the PROXY header is too long"},
      {"less than it says", header(0x21, 0x11, kIpv4, 13),
       "the PROXY header is not as long as it says"},
      {"more than it says", header(0x21, 0x11, std::string(kIpv4) + "x", 12),
       "the PROXY header is not as long as it says"},
      {"nothing", "", "the PROXY header is not as long as it says"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(told(c.bytes), c.want);
  }
}

TEST(ProxyHeader, IsRefusedAsSoonAsItCannotBeOne) {
  const std::string bytes = header(0x21, 0x11, kIpv4);
  for (std::size_t at = 0; at < kSignature.size(); ++at) {
    std::string wrong = bytes.substr(0, at + 1);
    ASSERT_EQ(proxy_header_size(wrong), kProxyHeaderFront) << at;
    wrong.back() = 'x';
    EXPECT_FALSE(proxy_header_size(wrong).has_value()) << at;
  }
}

}  // namespace
}  // namespace bartizan
