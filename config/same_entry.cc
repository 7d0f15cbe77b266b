#include "config/same_entry.h"

#include <algorithm>
#include <tuple>

namespace bartizan {
namespace {

// Everything of an entry but its place. Each binding names every field, so that a new one cannot be
// forgotten here.

auto parts(const RoleConfig& role) {
  const auto& [name, permissions, trust, allowed_resources, where] = role;
  static_cast<void>(where);
  return std::tie(name, permissions, trust, allowed_resources);
}

auto parts(const PrincipalConfig& principal) {
  const auto& [id, roles, attributes, identities, where] = principal;
  static_cast<void>(where);
  return std::tie(id, roles, attributes, identities);
}

auto parts(const ApiKeyConfig& key) {
  const auto& [name, principal, sha256, expires, where] = key;
  static_cast<void>(where);
  return std::tie(name, principal, sha256, expires);
}

/// Secrets are equal if their file or variable is the same. Their values are not compared.
auto parts(const SecretReference& secret) {
  const auto& [kind, name, where] = secret;
  static_cast<void>(where);
  return std::tie(kind, name);
}

auto parts(const ProviderClient& client) {
  const auto& [id, secret, key, key_id] = client;
  return std::tuple(std::tie(id, key_id), parts(secret), parts(key));
}

auto parts(const IntrospectionConfig& introspection) {
  const auto& [url, client, cache] = introspection;
  return std::tuple(std::tie(url, cache), parts(client));
}

auto parts(const IssuerConfig& issuer) {
  const auto& [name, url, audiences, audience_claim, jwks_url, jwks_file, algorithms, access_claims,
               require, clock_skew, max_lifetime, principal, roles, permissions, attributes,
               private_networks, ca_file, keys_max_age, introspection, where] = issuer;
  static_cast<void>(where);
  using Introspection = decltype(parts(*introspection));
  return std::tuple(std::tie(name, url, audiences, audience_claim, jwks_url, jwks_file, algorithms,
                             access_claims, require, clock_skew, max_lifetime, principal, roles,
                             permissions, attributes, private_networks, ca_file, keys_max_age),
                    introspection.has_value() ? std::optional<Introspection>(parts(*introspection))
                                              : std::optional<Introspection>());
}

auto parts(const CertificateConfig& certificate) {
  const auto& [name, principal, names, where] = certificate;
  static_cast<void>(where);
  return std::tie(name, principal, names);
}

auto parts(const FrontDoorClientConfig& client) {
  const auto& [id, name, redirect_uris, where] = client;
  static_cast<void>(where);
  return std::tie(id, name, redirect_uris);
}

auto parts(const FrontDoorConfig& door) {
  const auto& [name, issuer, path, provider, client, authorize_url, token_url, user_url,
               provider_scopes, scopes, clients, redirect_uris, metadata_documents, registration,
               private_networks, ca_file, access_token_lifetime, sign_in_lifetime, remember_consent,
               where] = door;
  static_cast<void>(where);
  static_cast<void>(clients);  // Compared one by one.
  return std::tuple(
      std::tie(name, issuer, path, authorize_url, token_url, user_url, provider_scopes, scopes,
               redirect_uris, metadata_documents, registration, private_networks, ca_file,
               access_token_lifetime, sign_in_lifetime, remember_consent),
      parts(provider), parts(client));
}

auto parts(const EndpointConfig& endpoint) {
  const auto& [name, path, auth, servers, tools, resource, scopes, root_metadata, needs_certificate,
               is_searched, implies_handshake, protocol, registrars, where] = endpoint;
  static_cast<void>(where);
  return std::tie(name, path, auth, servers, tools, resource, scopes, root_metadata,
                  needs_certificate, is_searched, implies_handshake, protocol, registrars);
}

auto parts(const PathConfig& path) {
  const auto& [name, root, base, kind, extensions, refuse_hidden, allow, deny, deny_names, writable,
               folds_case, refuse_windows_names, resolve, content, where] = path;
  static_cast<void>(where);
  return std::tie(name, root, base, kind, extensions, refuse_hidden, allow, deny, deny_names,
                  writable, folds_case, refuse_windows_names, resolve, content);
}

auto parts(const UrlConfig& url) {
  const auto& [name, form, where] = url;
  static_cast<void>(where);
  return std::tie(name, form);
}

auto parts(const CommandConfig& command) {
  const auto& [name, form, where] = command;
  static_cast<void>(where);
  return std::tie(name, form);
}

auto parts(const SqlConfig& sql) {
  const auto& [name, form, where] = sql;
  static_cast<void>(where);
  return std::tie(name, form);
}

auto parts(const ArgumentPredicate& predicate) {
  const auto& [pointer, asked, optional, where] = predicate;
  static_cast<void>(where);
  return std::tie(pointer, asked, optional);
}

auto parts(const RenamedArgument& rename) {
  const auto& [listed, sent, where] = rename;
  static_cast<void>(where);
  return std::tie(listed, sent);
}

auto parts(const FactCondition& condition) {
  const auto& [fact, where] = condition;
  static_cast<void>(where);
  return std::tie(fact);
}

auto parts(const FlowConfig& flow) {
  const auto& [name, after, to, effect, approval, window, remediation, where] = flow;
  static_cast<void>(where);
  return std::tie(name, after, to, effect, approval, window, remediation);
}

auto parts(const RedactionException& keep) {
  const auto& [name, tools, detectors, hosts, pointers, expires, because, where, detectors_where,
               hosts_where] = keep;
  static_cast<void>(where);
  static_cast<void>(detectors_where);
  static_cast<void>(hosts_where);
  return std::tie(name, tools, detectors, hosts, pointers, expires, because);
}

auto parts(const GitleaksRule& rule) {
  const auto& [id, regex, keywords, allowlists, entropy, secret_group, where] = rule;
  static_cast<void>(where);
  return std::tie(id, regex, keywords, allowlists, entropy, secret_group);
}

auto parts(const GitleaksAllowlist& allowlist) {
  const auto& [regexes, stopwords, target, needs_all] = allowlist;
  return std::tie(regexes, stopwords, target, needs_all);
}

auto parts(const SanitisingConfig& rule) {
  const auto& [name, in, hidden, sanitised_text, markup, hosts, injection, ui_origins, roles, tools,
               where, hosts_where, ui_origins_where] = rule;
  static_cast<void>(where);
  static_cast<void>(hosts_where);
  static_cast<void>(ui_origins_where);
  return std::tie(name, in, hidden, sanitised_text, markup, hosts, injection, ui_origins, roles,
                  tools);
}

auto parts(const Rate& rate) {
  const auto& [count, window, unit] = rate;
  return std::tie(count, window, unit);
}

constexpr auto kSameParts = [](const auto& one, const auto& other) {
  return parts(one) == parts(other);
};

}  // namespace

bool is_same(const RuleConditions& one, const RuleConditions& other) {
  return std::ranges::equal(one.arguments, other.arguments, kSameParts) &&
         std::ranges::equal(one.facts, other.facts, kSameParts);
}

bool is_same(const RuleConfig& one, const RuleConfig& other) {
  const auto& [name, effect, observe, roles, principals, target, patterns, hide, answer_as_result,
               remediation, risk, when, unless, expires, approval, where] = one;
  static_cast<void>(where);
  return std::tie(name, effect, observe, roles, principals, target, patterns, hide,
                  answer_as_result, remediation, risk, expires, approval) ==
             std::tie(other.name, other.effect, other.observe, other.roles, other.principals,
                      other.target, other.patterns, other.hide, other.answer_as_result,
                      other.remediation, other.risk, other.expires, other.approval) &&
         is_same(when, other.when) && is_same(unless, other.unless);
}

bool is_same(const RoleConfig& one, const RoleConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const IssuerConfig& one, const IssuerConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const FrontDoorConfig& one, const FrontDoorConfig& other) {
  return kSameParts(one, other) && std::ranges::equal(one.clients, other.clients, kSameParts);
}

bool is_same(const CertificateConfig& one, const CertificateConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const EndpointConfig& one, const EndpointConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const PrincipalConfig& one, const PrincipalConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const ApiKeyConfig& one, const ApiKeyConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const PathConfig& one, const PathConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const UrlConfig& one, const UrlConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const CommandConfig& one, const CommandConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const SqlConfig& one, const SqlConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const ToolProfile& one, const ToolProfile& other) {
  const auto& [pattern, permissions, categories, risk, reversibility, listed, timeout, slow,
               max_result, max_entries, entries, max_blocks, max_depth, oversize, cost, labels,
               arguments, recorded, renames, schema, schema_where, additional_properties, formats,
               untranslatable_patterns, where] = one;
  static_cast<void>(schema_where);
  static_cast<void>(where);
  return std::tie(pattern, permissions, categories, risk, reversibility, listed, timeout, slow,
                  max_result, max_entries, entries, max_blocks, max_depth, oversize, cost, labels,
                  recorded, schema, additional_properties, formats, untranslatable_patterns) ==
             std::tie(other.pattern, other.permissions, other.categories, other.risk,
                      other.reversibility, other.listed, other.timeout, other.slow,
                      other.max_result, other.max_entries, other.entries, other.max_blocks,
                      other.max_depth, other.oversize, other.cost, other.labels, other.recorded,
                      other.schema, other.additional_properties, other.formats,
                      other.untranslatable_patterns) &&
         std::ranges::equal(arguments, other.arguments, kSameParts) &&
         std::ranges::equal(renames, other.renames, kSameParts);
}

bool is_same(const LimitConfig& one, const LimitConfig& other) {
  const auto& [name, per, per_attributes, rates, burst, concurrency, queue, queue_timeout, loop,
               tools, except_tools, where] = one;
  static_cast<void>(where);
  return std::tie(name, per, per_attributes, burst, concurrency, queue, queue_timeout, loop, tools,
                  except_tools) == std::tie(other.name, other.per, other.per_attributes,
                                            other.burst, other.concurrency, other.queue,
                                            other.queue_timeout, other.loop, other.tools,
                                            other.except_tools) &&
         std::ranges::equal(rates, other.rates, kSameParts);
}

bool is_same(const FlowConfig& one, const FlowConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const RedactionException& one, const RedactionException& other) {
  return kSameParts(one, other);
}

bool is_same(const GitleaksRule& one, const GitleaksRule& other) {
  return kSameParts(one, other);
}

bool is_same(const GitleaksAllowlist& one, const GitleaksAllowlist& other) {
  return kSameParts(one, other);
}

bool is_same(const DetectorConfig& one, const DetectorConfig& other) {
  const auto& [name, pattern, words, rules, allowlists, where, pattern_where] = one;
  static_cast<void>(where);
  static_cast<void>(pattern_where);
  return std::tie(name, pattern, words) == std::tie(other.name, other.pattern, other.words) &&
         std::ranges::equal(rules, other.rules, kSameParts) &&
         std::ranges::equal(allowlists, other.allowlists, kSameParts);
}

bool is_same(const SanitisingConfig& one, const SanitisingConfig& other) {
  return kSameParts(one, other);
}

bool is_same(const RedactionConfig& one, const RedactionConfig& other) {
  const auto& [name, detectors, in, action, roles, principals, tools, pointers, keep, where,
               detectors_where] = one;
  static_cast<void>(where);
  static_cast<void>(detectors_where);
  const auto is_same_exception = [](const auto& first, const auto& second) {
    return kSameParts(first.second, second.second);
  };
  return std::tie(name, detectors, in, action, roles, principals, tools, pointers) ==
             std::tie(other.name, other.detectors, other.in, other.action, other.roles,
                      other.principals, other.tools, other.pointers) &&
         std::ranges::equal(keep, other.keep, is_same_exception);
}

}  // namespace bartizan
