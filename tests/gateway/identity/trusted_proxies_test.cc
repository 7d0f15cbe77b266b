#include "gateway/identity/trusted_proxies.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

const std::array<std::string, 3> kNetworks{"10.0.0.0/8", "2001:db8:1::/48", "192.0.2.7"};

/// Where a request comes from that has these lines of `X-Forwarded-For`.
std::string client_of(std::string_view peer, const std::vector<std::string_view>& lines) {
  std::vector<HeaderField> fields{{.name = "Forwarded", .value = "for=198.51.100.66"},
                                  {.name = "X-Real-IP", .value = "198.51.100.67"}};
  for (const std::string_view line : lines)
    fields.push_back({.name = "x-forwarded-for", .value = line});
  fields.push_back({.name = "X-Forwarded-For-Not", .value = "198.51.100.68"});
  return TrustedProxies(kNetworks).find_client(peer, fields);
}

TEST(TrustedProxies, KnowThemselves) {
  const struct {
    std::string_view address;
    bool is_one;
  } cases[] = {
      {"10.0.0.1", true},     {"10.255.255.255", true},   {"::ffff:10.1.2.3", true},
      {"192.0.2.7", true},    {"2001:db8:1::5", true},    {"11.0.0.1", false},
      {"192.0.2.8", false},   {"2001:db8:2::5", false},   {"::ffff:11.0.0.1", false},
      {"10.0.0.1:80", false}, {"[2001:db8:1::5]", false}, {"010.0.0.1", false},
      {"10.1", false},        {"0xa000001", false},       {"", false},
      {"uid:0", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(TrustedProxies(kNetworks).hold(c.address), c.is_one) << c.address;
  EXPECT_FALSE(TrustedProxies().hold("10.0.0.1")) << "nobody is one by default";
  const std::array<std::string, 1> wrong{"10.0.0.1/8"};
  EXPECT_FALSE(TrustedProxies(wrong).hold("10.0.0.1")) << "what is not a network holds nobody";
}

TEST(TrustedProxies, SayWhereARequestComesFrom) {
  const struct {
    std::string_view name;
    std::string_view peer;
    std::vector<std::string_view> lines;
    std::string_view want;
  } cases[] = {
      {"no header", "10.0.0.1", {}, "10.0.0.1"},
      {"a stranger is believed in nothing", "203.0.113.9", {"198.51.100.1"}, "203.0.113.9"},
      {"the client of one proxy", "10.0.0.1", {"203.0.113.9"}, "203.0.113.9"},
      {"what the client wrote itself", "10.0.0.1", {"198.51.100.1, 203.0.113.9"}, "203.0.113.9"},
      {"that it was a proxy", "10.0.0.1", {"10.9.9.9, 203.0.113.9"}, "203.0.113.9"},
      {"behind two proxies", "10.0.0.1", {"203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
      {"behind two kinds", "10.0.0.1", {"203.0.113.9,2001:db8:1::5 , 192.0.2.7"}, "203.0.113.9"},
      {"a proxy that nobody trusts", "10.0.0.1", {"203.0.113.9, 192.0.2.8"}, "192.0.2.8"},
      {"all are proxies", "10.0.0.1", {"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
      {"several lines are one list", "10.0.0.1", {"203.0.113.9", "10.0.0.2"}, "203.0.113.9"},
      {"a line of the client's in front",
       "10.0.0.1",
       {"198.51.100.1", "203.0.113.9"},
       "203.0.113.9"},
      {"IPv6", "2001:db8:1::5", {"2001:DB8:0::9"}, "2001:db8::9"},
      {"IPv6 in brackets", "10.0.0.1", {"[2001:db8::9]"}, "2001:db8::9"},
      {"with a port", "10.0.0.1", {"203.0.113.9:51234"}, "203.0.113.9"},
      {"IPv6 with a port", "10.0.0.1", {"[2001:db8::9]:51234"}, "2001:db8::9"},
      {"a proxy with a port", "10.0.0.1", {"203.0.113.9, 10.0.0.2:443"}, "203.0.113.9"},
      {"IPv4 in IPv6", "10.0.0.1", {"::ffff:203.0.113.9"}, "203.0.113.9"},
      {"a proxy as IPv4 in IPv6", "10.0.0.1", {"203.0.113.9, ::ffff:10.0.0.2"}, "203.0.113.9"},
      {"empty entries are none", "10.0.0.1", {", 203.0.113.9, ,", " ", ""}, "203.0.113.9"},
      {"no address", "10.0.0.1", {"unknown"}, "10.0.0.1"},
      {"no address behind a proxy", "10.0.0.1", {"203.0.113.9, unknown, 10.0.0.2"}, "10.0.0.2"},
      {"no address in front of the client", "10.0.0.1", {"unknown, 203.0.113.9"}, "203.0.113.9"},
      {"a spelling of URLs only", "10.0.0.1", {"203.0.0x71.9"}, "10.0.0.1"},
      {"a number", "10.0.0.1", {"3405803785"}, "10.0.0.1"},
      {"leading zeros", "10.0.0.1", {"203.0.113.009"}, "10.0.0.1"},
      {"a name", "10.0.0.1", {"client.example"}, "10.0.0.1"},
      {"no port", "10.0.0.1", {"203.0.113.9:http"}, "10.0.0.1"},
      {"half a bracket", "10.0.0.1", {"[2001:db8::9"}, "10.0.0.1"},
      {"IPv4 in brackets", "10.0.0.1", {"[203.0.113.9]"}, "10.0.0.1"},
      {"something behind the brackets", "10.0.0.1", {"[2001:db8::9]x"}, "10.0.0.1"},
      {"a zone", "10.0.0.1", {"fe80::1%eth0"}, "10.0.0.1"},
      {"a network", "10.0.0.1", {"203.0.113.0/24"}, "10.0.0.1"},
      {"quotes", "10.0.0.1", {"\"203.0.113.9\""}, "10.0.0.1"},
      {"blanks between addresses", "10.0.0.1", {"203.0.113.9 198.51.100.1"}, "10.0.0.1"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(client_of(c.peer, c.lines), c.want);
  }
}

}  // namespace
}  // namespace bartizan
