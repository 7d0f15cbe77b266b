#include "gateway/identity/named_principal.h"

#include <utility>

namespace bartizan {
namespace {

/// Ignores credentials: the configuration names the principal of a transport.
class NamedPrincipal : public Verifier {
 public:
  NamedPrincipal(CredentialKind kind, std::string_view name, std::string principal)
      : kind_(kind), name_(name), principal_(std::move(principal)) {}

  CredentialKind kind() const override { return kind_; }

  bool is_shown(const Credentials& credentials) const override {
    const bool is_local_user = kind_of(credentials.transport).is_own_process;
    return is_local_user == (kind_ == CredentialKind::local_user);
  }

  Task<Verification> verify(Loop& /*loop*/, Credentials /*credentials*/,
                            std::int64_t /*now*/) const override {
    return Task<Verification>::ready(Proved{.id = principal_,
                                            .claims = {},
                                            .proof = std::string(name_),
                                            .credential = {.kind = kind_}});
  }

  std::expected<void, AuthenticationFailure> review(const Credential& /*credential*/,
                                                    std::string_view principal,
                                                    std::int64_t /*now*/) const override {
    if (principal == principal_) return {};
    return std::unexpected(AuthenticationFailure{Reason::credentials_invalid,
                                                 "the configuration names another principal now"});
  }

 private:
  CredentialKind kind_;
  std::string_view name_;
  std::string principal_;
};

}  // namespace

VerifierPtr make_local_user_verifier(const AuthConfig& config, const VerifierParts& /*parts*/) {
  if (config.stdio_principal.empty()) return nullptr;
  return std::make_unique<const NamedPrincipal>(CredentialKind::local_user, "local_user",
                                                config.stdio_principal);
}

VerifierPtr make_configured_verifier(const AuthConfig& config, const VerifierParts& /*parts*/) {
  if (config.mode != AuthConfig::Mode::none) return nullptr;
  return std::make_unique<const NamedPrincipal>(CredentialKind::configured, "configured",
                                                config.principal);
}

}  // namespace bartizan
