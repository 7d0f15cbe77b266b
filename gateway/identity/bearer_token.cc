#include "gateway/identity/bearer_token.h"

#include <algorithm>
#include <array>

#include "gateway/http/http_fields.h"

namespace bartizan {

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  if (authorization.size() <= scheme.size()) return std::nullopt;
  if (!equal_ignoring_case(authorization.substr(0, scheme.size()), scheme)) return std::nullopt;
  const std::string_view token = authorization.substr(scheme.size());
  if (token.empty() || token.find(' ') != std::string_view::npos) return std::nullopt;
  return token;
}

bool is_shaped_as_jwt(std::string_view token) {
  return token.starts_with("ey") && std::ranges::count(token, '.') >= 2;
}

std::string_view revocable_part(std::string_view token) {
  return is_shaped_as_jwt(token) ? token.substr(0, token.rfind('.')) : token;
}

bool is_shaped_as_own(std::string_view token) {
  constexpr std::array<std::string_view, 5> kPrefixes{"btz_", "btza_", "btzr_", "btzc_", "btzd_"};
  return std::ranges::any_of(
      kPrefixes, [token](std::string_view prefix) { return token.starts_with(prefix); });
}

}  // namespace bartizan
