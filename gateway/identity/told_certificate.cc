#include "gateway/identity/told_certificate.h"

#include "gateway/identity/certificate_names.h"
#include "policy/text/percent.h"
#include "schemas/message/header_value.h"

namespace bartizan {
namespace {

using Header = ProxyConfig::CertificateHeader;

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----\n";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";

std::unexpected<Error> refuse(std::string_view why) {
  return fail(ErrorCode::http_syntax, Fault::client, std::string(why));
}

/// A byte sequence: Base64 between colons. Source: RFC 8941 §3.3.5.
std::optional<std::string> between_colons(std::string_view value) {
  if (value.size() < 2 || !value.starts_with(':') || !value.ends_with(':')) return std::nullopt;
  return decode_base64(value.substr(1, value.size() - 2));
}

std::optional<std::string> unescaped(std::string_view value) {
  std::string text;
  text.reserve(value.size());
  for (std::size_t at = 0; at < value.size(); ++at) {
    if (value[at] != '%') {
      text += value[at];
      continue;
    }
    const auto byte = escaped_byte(value, at);
    if (!byte.has_value()) return std::nullopt;
    text += static_cast<char>(*byte);
    at += 2;
  }
  return text;
}

/// The single certificate of a PEM text. Source: RFC 7468 §3.
std::optional<std::string> der_in(std::string_view pem) {
  while (pem.ends_with('\n'))
    pem.remove_suffix(1);
  if (!pem.starts_with(kBegin) || !pem.ends_with(kEnd)) return std::nullopt;
  pem.remove_prefix(kBegin.size());
  if (pem.size() < kEnd.size()) return std::nullopt;
  pem.remove_suffix(kEnd.size());
  std::string digits;
  digits.reserve(pem.size());
  for (const char c : pem) {
    if (c != '\n') digits += c;
  }
  return decode_base64(digits);
}

std::optional<std::string> der_of(Header header, std::string_view value) {
  if (header == Header::client_cert) return between_colons(value);
  const auto pem = unescaped(value);
  return pem.has_value() ? der_in(*pem) : std::nullopt;
}

}  // namespace

std::string_view name_of(Header header) {
  switch (header) {
    case Header::none:
      return "";
    case Header::client_cert:
      return "Client-Cert";
    case Header::escaped_pem:
      return "X-SSL-Client-Cert";
  }
  return "";
}

Result<std::string> read_told_certificate(Header header, std::string_view value) {
  std::optional<std::string> der = der_of(header, value);
  if (!der.has_value()) {
    return refuse(header == Header::client_cert
                      ? "Client-Cert is not Base64 between colons"
                      : "X-SSL-Client-Cert is not a PEM certificate with percent signs");
  }
  if (!read_certificate(*der).has_value()) {
    return refuse("the header of the proxy holds no certificate");
  }
  return *std::move(der);
}

}  // namespace bartizan
