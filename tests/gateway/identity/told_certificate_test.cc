#include "gateway/identity/told_certificate.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "schemas/message/header_value.h"
#include "tests/gateway/net/authority.h"

namespace bartizan {
namespace {

using Header = ProxyConfig::CertificateHeader;

/// As nginx escapes it: everything but letters, digits, `-`, `_`, `.` and `~`.
std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || std::string_view("-_.~").contains(c);
    if (is_plain) {
      out += c;
      continue;
    }
    out += '%';
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ToldCertificate, IsReadInTheTwoFormsThatProxiesWrite) {
  Authority authority("root");
  const MadeCertificate made = authority.issue();
  const std::string der = made.der();
  const std::string pem = made.pem();
  const std::string digits = encode_base64(der);
  const std::string colons = ":" + digits + ":";
  const std::string again = authority.issue().pem();
  const struct {
    std::string_view name;
    Header header;
    std::string value;
    bool is_read;
  } rows[] = {
      {"RFC 9440", Header::client_cert, colons, true},
      {"without colons", Header::client_cert, digits, false},
      {"without the last colon", Header::client_cert, ":" + digits, false},
      {"one colon", Header::client_cert, ":", false},
      {"nothing between colons", Header::client_cert, "::", false},
      {"a parameter behind it", Header::client_cert, colons + ";v=1", false},
      {"a list of two", Header::client_cert, colons + ", " + colons, false},
      {"base64url", Header::client_cert, ":-_8=:", false},
      {"no padding", Header::client_cert, ":MA:", false},
      {"no certificate", Header::client_cert, ":MAo=:", false},
      {"bytes behind it", Header::client_cert, ":" + encode_base64(der + "x") + ":", false},
      {"cut short", Header::client_cert, ":" + encode_base64(der.substr(0, 99)) + ":", false},
      {"the form of nginx", Header::client_cert, escaped(pem), false},
      {"nginx", Header::escaped_pem, escaped(pem), true},
      {"no line break at the end", Header::escaped_pem, escaped(pem.substr(0, pem.size() - 1)),
       true},
      {"escapes in lower case", Header::escaped_pem, with(escaped(pem), "%2F", "%2f"), true},
      {"the form of RFC 9440", Header::escaped_pem, colons, false},
      {"half an escape at the end", Header::escaped_pem, escaped(pem) + "%0", false},
      {"no escape", Header::escaped_pem, with(escaped(pem), "%0A", "%0Z"), false},
      {"two certificates", Header::escaped_pem, escaped(pem + again), false},
      {"a key in its place", Header::escaped_pem, escaped(made.key_pem()), false},
      {"text in front", Header::escaped_pem, "x" + escaped(pem), false},
      {"text behind", Header::escaped_pem, escaped(pem) + "x", false},
      {"a blank among the digits", Header::escaped_pem, with(escaped(pem), "%0AM", "%0A%20M"),
       false},
      {"only the ends", Header::escaped_pem,
       escaped("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"), false},
      {"only one end", Header::escaped_pem, escaped("-----BEGIN CERTIFICATE-----\n"), false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto read = read_told_certificate(row.header, row.value);
    ASSERT_EQ(read.has_value(), row.is_read);
    if (row.is_read) {
      EXPECT_EQ(*read, der);
    } else {
      EXPECT_EQ(read.error().code, ErrorCode::http_syntax);
      EXPECT_FALSE(read.error().detail.contains(digits.substr(0, 8)));
    }
  }
}

TEST(ToldCertificate, HasTheHeadersThatTheConfigurationNames) {
  EXPECT_EQ(name_of(Header::client_cert), "Client-Cert");
  EXPECT_EQ(name_of(Header::escaped_pem), "X-SSL-Client-Cert");
  EXPECT_EQ(name_of(Header::none), "");
}

}  // namespace
}  // namespace bartizan
