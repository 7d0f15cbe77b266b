#include "gateway/identity/certificate.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "audit/digest.h"
#include "gateway/identity/certificate_names.h"

namespace bartizan {
namespace {

std::unexpected<AuthenticationFailure> refuse(Reason reason, std::string detail) {
  return std::unexpected(AuthenticationFailure{reason, std::move(detail)});
}

/// A number that stands for the settings that accept a certificate.
std::uint64_t terms_of(const CertificateConfig& config) {
  std::string text;
  for (const std::string& name : config.names) {
    text += std::to_string(name.size());
    text += ':';
    text += name;
  }
  const Hash digest = Digester().sha256(text);
  std::uint64_t terms = 0;
  std::memcpy(&terms, digest.data(), sizeof(terms));
  return terms;
}

/// Whether the certificate has a SPIFFE id beside another URI, which no SVID has. Its identity
/// would be a matter of choice. Source: SPIFFE X.509-SVID §2.
bool is_ambiguous(const CertificateFacts& facts) {
  const auto is_uri = [](const std::string& name) { return name.starts_with("uri:"); };
  const auto is_spiffe = [](const std::string& name) { return name.starts_with("uri:spiffe:"); };
  return std::ranges::any_of(facts.names, is_spiffe) &&
         std::ranges::count_if(facts.names, is_uri) > 1;
}

}  // namespace

CertificateVerifier::CertificateVerifier(const std::vector<CertificateConfig>& certificates) {
  for (const CertificateConfig& config : certificates)
    accepted_.push_back({config, terms_of(config)});
}

bool CertificateVerifier::is_shown(const Credentials& credentials) const {
  return !credentials.certificates.empty() && !credentials.authorization.has_value();
}

Verification CertificateVerifier::find(const Credentials& credentials, std::int64_t now) const {
  const std::string& der = credentials.certificates.front();
  const auto facts = read_certificate(der);
  if (!facts.has_value()) {
    return refuse(Reason::credentials_invalid, "the certificate cannot be read");
  }
  if (is_ambiguous(*facts)) {
    return refuse(Reason::credentials_invalid,
                  "the certificate has a SPIFFE id and another URI beside it");
  }
  const auto is_named = [&facts](const Accepted& accepted) {
    return std::ranges::any_of(accepted.config.names, [&facts](const std::string& name) {
      return has_name(*facts, name);
    });
  };
  const auto found = std::ranges::find_if(accepted_, is_named);
  if (found == accepted_.end()) {
    return refuse(Reason::credentials_invalid, "no name of the certificate is configured");
  }
  // If two names belong to two principals, the caller is ambiguous.
  const bool is_of_another = std::any_of(found + 1, accepted_.end(), [&](const Accepted& accepted) {
    return is_named(accepted) && accepted.config.principal != found->config.principal;
  });
  if (is_of_another) {
    return refuse(Reason::credentials_invalid, "the certificate has names of two principals");
  }
  if (facts->expires <= now) {
    return refuse(Reason::credentials_expired, "the certificate has expired");
  }
  return Proved{.id = found->config.principal,
                .claims = {},
                .proof = "certificate:" + found->config.name,
                .credential = {.kind = CredentialKind::certificate,
                               .name = found->config.name,
                               .digest = Digester().sha256(der),
                               .expires = facts->expires,
                               .terms = found->terms}};
}

Task<Verification> CertificateVerifier::verify(Loop& /*loop*/, Credentials credentials,
                                               std::int64_t now) const {
  return Task<Verification>::ready(find(credentials, now));
}

std::expected<void, AuthenticationFailure> CertificateVerifier::review(const Credential& credential,
                                                                       std::string_view principal,
                                                                       std::int64_t now) const {
  const auto found = std::ranges::find_if(accepted_, [&credential](const Accepted& accepted) {
    return accepted.config.name == credential.name;
  });
  if (found == accepted_.end() || found->terms != credential.terms) {
    return refuse(Reason::credentials_invalid, "its certificate is not accepted any more");
  }
  if (found->config.principal != principal) {
    return refuse(Reason::credentials_invalid, "its certificate is another principal's now");
  }
  if (credential.expires <= now) {
    return refuse(Reason::credentials_expired, "its certificate has expired");
  }
  return {};
}

VerifierPtr make_certificate_verifier(const AuthConfig& config, const VerifierParts& /*parts*/) {
  if (config.certificates.empty()) return nullptr;
  return std::make_unique<const CertificateVerifier>(config.certificates);
}

}  // namespace bartizan
