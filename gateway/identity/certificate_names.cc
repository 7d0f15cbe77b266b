#include "gateway/identity/certificate_names.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct FreeNames {
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};

std::string with_type(std::string_view type, const ASN1_IA5STRING* text) {
  const auto* bytes = reinterpret_cast<const char*>(ASN1_STRING_get0_data(text));
  std::string name(type);
  return name.append(bytes, static_cast<std::size_t>(ASN1_STRING_length(text)));
}

constexpr std::string_view kDns = "dns:";

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  return text;
}

std::optional<std::string> read_name(const GENERAL_NAME& name) {
  if (name.type == GEN_URI) return with_type("uri:", name.d.uniformResourceIdentifier);
  if (name.type == GEN_EMAIL) return with_type("email:", name.d.rfc822Name);
  if (name.type != GEN_DNS) return std::nullopt;
  return in_lower_case(with_type(kDns, name.d.dNSName));
}

}  // namespace

bool has_name(const CertificateFacts& facts, std::string_view name) {
  const bool is_dns = name.starts_with(kDns);
  const std::string wanted = is_dns ? in_lower_case(std::string(name)) : std::string(name);
  return std::ranges::find(facts.names, wanted) != facts.names.end();
}

std::optional<CertificateFacts> read_certificate(std::string_view der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const unsigned char* const end = bytes + der.size();
  const std::unique_ptr<X509, FreeCertificate> certificate(
      d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
  if (certificate == nullptr || bytes != end) {
    // Otherwise the next use of OpenSSL on this thread would see a failure that is not its own.
    ERR_clear_error();
    return std::nullopt;
  }
  CertificateFacts facts;
  std::tm until{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &until) != 1) return std::nullopt;
  facts.expires = static_cast<std::int64_t>(::timegm(&until));
  const std::unique_ptr<GENERAL_NAMES, FreeNames> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)));
  const int count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names.get());
  for (int at = 0; at < count; ++at) {
    auto name = read_name(*sk_GENERAL_NAME_value(names.get(), at));
    if (name.has_value() && !has_control_character(*name)) facts.names.push_back(*std::move(name));
  }
  return facts;
}

}  // namespace bartizan
