#include "policy/url/address_class.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

std::string_view class_of(std::string_view address) {
  if (const auto ipv6 = read_ipv6(address)) return text(address_class(*ipv6));
  const auto ipv4 = read_ipv4(address);
  return ipv4 ? text(address_class(*ipv4)) : "no address";
}

TEST(AddressClass, NamesWhoCanBeReached) {
  const struct {
    std::string_view address, want;
  } cases[] = {
      // Each range's ends, and what lies beside them.
      {"0.0.0.0", "unspecified"},
      {"0.255.255.255", "unspecified"},
      {"1.0.0.0", "global"},
      {"9.255.255.255", "global"},
      {"10.0.0.0", "private_use"},
      {"10.255.255.255", "private_use"},
      {"11.0.0.0", "global"},
      {"100.63.255.255", "global"},
      {"100.64.0.0", "shared"},
      {"100.127.255.255", "shared"},
      {"100.128.0.0", "global"},
      {"100.100.100.200", "metadata"},
      {"126.255.255.255", "global"},
      {"127.0.0.1", "loopback"},
      {"127.255.255.255", "loopback"},
      {"128.0.0.0", "global"},
      {"168.63.129.16", "metadata"},
      {"168.63.129.17", "global"},
      {"169.253.255.255", "global"},
      {"169.254.0.0", "link_local"},
      {"169.254.169.253", "link_local"},
      {"169.254.169.254", "metadata"},
      {"169.254.170.2", "metadata"},
      {"169.254.170.23", "metadata"},
      {"169.254.255.255", "link_local"},
      {"169.255.0.0", "global"},
      {"172.15.255.255", "global"},
      {"172.16.0.0", "private_use"},
      {"172.31.255.255", "private_use"},
      {"172.32.0.0", "global"},
      {"192.0.0.1", "reserved"},
      {"192.0.0.192", "metadata"},
      {"192.0.1.0", "global"},
      {"192.0.2.1", "reserved"},
      {"192.88.99.1", "reserved"},
      {"192.167.255.255", "global"},
      {"192.168.0.0", "private_use"},
      {"192.168.255.255", "private_use"},
      {"192.169.0.0", "global"},
      {"198.17.255.255", "global"},
      {"198.18.0.0", "reserved"},
      {"198.19.255.255", "reserved"},
      {"198.20.0.0", "global"},
      {"198.51.100.7", "reserved"},
      {"203.0.113.7", "reserved"},
      {"223.255.255.255", "global"},
      {"224.0.0.1", "multicast"},
      {"239.255.255.255", "multicast"},
      {"240.0.0.0", "reserved"},
      {"255.255.255.255", "reserved"},
      {"8.8.8.8", "global"},
      {"::", "unspecified"},
      {"::1", "loopback"},
      {"::2", "unspecified"},
      {"fd00:ec2::254", "metadata"},
      {"fd20:ce::254", "metadata"},
      {"fd00:ec2::253", "private_use"},
      {"fc00::", "private_use"},
      {"fdff:ffff::1", "private_use"},
      {"fe00::1", "reserved"},
      {"fe80::1", "link_local"},
      {"febf:ffff::1", "link_local"},
      {"fec0::1", "private_use"},
      {"ff02::1", "multicast"},
      {"2001::1", "reserved"},
      {"2001:1ff::1", "reserved"},
      {"2001:200::1", "global"},
      {"2001:db8::1", "reserved"},
      {"2001:db9::1", "global"},
      {"3fff:fff:ffff::1", "reserved"},
      {"3fff:1000::1", "global"},
      {"2606:2800:220:1:248:1893:25c8:1946", "global"},
      {"4000::1", "reserved"},
      {"5f00::1", "reserved"},
      {"100::1", "reserved"},
      // An IPv4 address within.
      {"::ffff:127.0.0.1", "loopback"},
      {"::ffff:10.0.0.1", "private_use"},
      {"::ffff:169.254.169.254", "metadata"},
      {"::ffff:0.0.0.0", "unspecified"},
      {"::ffff:8.8.8.8", "translated"},
      {"::ffff:0:127.0.0.1", "loopback"},
      {"::127.0.0.1", "loopback"},
      {"::8.8.8.8", "translated"},
      {"64:ff9b::10.0.0.1", "private_use"},
      {"64:ff9b::8.8.8.8", "translated"},
      {"64:ff9b:1::8.8.8.8", "private_use"},
      {"64:ff9b:2::1", "reserved"},
      {"2002:7f00:1::1", "loopback"},
      {"2002:a9fe:a9fe::", "metadata"},
      {"2002:808:808::1", "translated"},
      {"fe80::5efe:127.0.0.1", "link_local"},
      {"2606::5efe:127.0.0.1", "loopback"},
      {"2606::200:5efe:10.0.0.1", "private_use"},
      {"2606::1:5efe:10.0.0.1", "global"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(class_of(c.address), c.want) << c.address;
}

TEST(IpAddress, HasOneSpelling) {
  const struct {
    std::string_view input, want;
  } cases[] = {
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"0:0:0:0:0:0:0:0", "::"},
      {"1:0:0:2:0:0:0:3", "1:0:0:2::3"},
      {"1:0:0:2:3:0:0:4", "1::2:3:0:0:4"},
      {"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},
      {"FE80:0000:0000:0000:0000:0000:0000:00Ab", "fe80::ab"},
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      {"::1.2.3.4", "::102:304"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
  };
  for (const auto& c : cases) {
    const auto address = read_ipv6(c.input);
    ASSERT_TRUE(address) << c.input;
    EXPECT_EQ(text(*address), c.want) << c.input;
  }
  for (const std::string_view none : {"",
                                      ":",
                                      ":::",
                                      "1",
                                      "1:",
                                      ":1",
                                      "1::2::3",
                                      "12345::",
                                      "g::",
                                      "::1.2.3",
                                      "::01.2.3.4",
                                      "::1.2.3.256",
                                      "1.2.3.4::",
                                      "1.2.3.4",
                                      "1:2:3:4:5:6:7:1.2.3.4",
                                      "1:2:3:4:5:6:7:8:9",
                                      "1:2:3:4:5:6:7:8::",
                                      "::1:2:3:4:5:6:7:8",
                                      "::1.2.3.4:5",
                                      " ::1",
                                      "::1%eth0"}) {
    EXPECT_FALSE(read_ipv6(none)) << none;
  }
}

TEST(IpAddress, IsReadInEverySpellingOfUrls) {
  const struct {
    std::string_view input, want;
  } cases[] = {
      {"127.0.0.1", "127.0.0.1"},
      {"127.0.0.1.", "127.0.0.1"},
      {"127.1", "127.0.0.1"},
      {"127.0.1", "127.0.0.1"},
      {"10.258", "10.0.1.2"},
      {"0177.0.0.01", "127.0.0.1"},
      {"0x7F.0X0.0x.1", "127.0.0.1"},
      {"2130706433", "127.0.0.1"},
      {"0x7f000001", "127.0.0.1"},
      {"017700000001", "127.0.0.1"},
      {"0xffffffff", "255.255.255.255"},
      {"0", "0.0.0.0"},
  };
  for (const auto& c : cases) {
    const auto address = read_ipv4(c.input);
    ASSERT_TRUE(address) << c.input;
    EXPECT_EQ(text(*address), c.want) << c.input;
  }
  for (const std::string_view none :
       {"", ".", "..", "1..2", "1.2.3.4.5", "256.0.0.1", "1.2.3.256", "1.2.65536", "1.16777216",
        "4294967296", "99999999999999999999999", "08", "0xg", "1a", "-1", "1.2.3.4.."}) {
    EXPECT_FALSE(read_ipv4(none)) << none;
  }
}

}  // namespace
}  // namespace bartizan
