#include "gateway/identity/accepted_credentials.h"

#include <algorithm>

namespace bartizan {
namespace {

constexpr auto kName = &std::pair<std::string_view, CredentialKind>::first;

}  // namespace

AcceptedCredentials::AcceptedCredentials(const EndpointConfigs& endpoints) {
  for (const auto& [name, endpoint] : endpoints) {
    if (!endpoint.resource.empty()) resources_.emplace(name, endpoint.resource);
    std::vector<Accepted>& accepted = endpoints_[name];
    for (const std::string_view written : endpoint.auth) {
      const std::size_t point = std::min(written.find('.'), written.size());
      const auto* const kind =
          std::ranges::find(kCredentialKindNames, written.substr(0, point), kName);
      if (kind == kCredentialKindNames.end()) continue;  // The loader has reported it.
      accepted.push_back(
          {kind->second, std::string(written.substr(std::min(point + 1, written.size())))});
    }
  }
}

bool AcceptedCredentials::has(const std::optional<std::string_view>& endpoint) const {
  if (!endpoint.has_value()) return true;
  return endpoint->empty() ? endpoints_.empty() : endpoints_.contains(*endpoint);
}

const std::vector<AcceptedCredentials::Accepted>* AcceptedCredentials::find(
    const std::optional<std::string_view>& endpoint) const {
  if (!endpoint.has_value()) return nullptr;
  const auto found = endpoints_.find(*endpoint);
  return found == endpoints_.end() || found->second.empty() ? nullptr : &found->second;
}

bool AcceptedCredentials::accepts(const std::optional<std::string_view>& endpoint,
                                  CredentialKind kind) const {
  const auto* accepted = find(endpoint);
  return accepted == nullptr ||
         std::ranges::find(*accepted, kind, &Accepted::kind) != accepted->end();
}

bool AcceptedCredentials::is_elsewhere(const std::optional<std::string_view>& endpoint,
                                       std::string_view audience) const {
  const auto own = endpoint.has_value() ? resources_.find(*endpoint) : resources_.end();
  if (own != resources_.end() && own->second == audience) return false;
  return std::ranges::any_of(resources_,
                             [&](const auto& other) { return other.second == audience; });
}

bool AcceptedCredentials::accepts(const Credential& credential) const {
  if (!has(credential.endpoint)) return false;
  const auto* accepted = find(credential.endpoint);
  return accepted == nullptr || std::ranges::any_of(*accepted, [&](const Accepted& one) {
           return one.kind == credential.kind && (one.name.empty() || one.name == credential.name);
         });
}

}  // namespace bartizan
