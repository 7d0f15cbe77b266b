#include "gateway/token/map_claims.h"

#include <string>
#include <utility>
#include <vector>

#include "gateway/token/claim_values.h"
#include "schemas/base/keep_each_once.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

std::expected<std::vector<std::string>, TokenFault> map_values(JsonValue claims,
                                                               const ClaimMap& map) {
  std::vector<std::string> all;
  for (const auto& [name, meanings] : map) {
    const auto values = read_claim_values(claims, name);
    if (!values) return std::unexpected(values.error());
    for (const std::string& value : *values) {
      const auto meaning = meanings.find(value);
      if (meaning == meanings.end()) continue;
      all.insert(all.end(), meaning->second.begin(), meaning->second.end());
    }
  }
  keep_each_once(all);
  return all;
}

bool is_attribute(std::string_view value) {
  return value.size() <= kIdentifierBytesMax && !has_control_character(value);
}

}  // namespace

std::expected<Claims, TokenFault> map_claims(JsonValue claims, const IssuerConfig& issuer) {
  auto roles = map_values(claims, issuer.roles);
  if (!roles) return std::unexpected(roles.error());
  auto permissions = map_values(claims, issuer.permissions);
  if (!permissions) return std::unexpected(permissions.error());
  Claims mapped{
      .roles = *std::move(roles), .permissions = *std::move(permissions), .attributes = {}};
  for (const auto& [attribute, name] : issuer.attributes) {
    const auto values = read_claim_values(claims, name);
    if (!values) return std::unexpected(values.error());
    if (!find_claim(claims, name)) continue;
    // A list with one element is a list: with a second one, the value would be ambiguous.
    const bool is_one = !find_claim(claims, name).is(JsonType::array) && values->size() == 1;
    if (!is_one || !is_attribute(values->front())) {
      return std::unexpected(TokenFault::attribute_malformed);
    }
    mapped.attributes.emplace(attribute, values->front());
  }
  return mapped;
}

}  // namespace bartizan
