#include "policy/check/list_filter.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace bartizan {
namespace {

Decision refuse(std::string_view member, std::string expected) {
  Decision denial = Decision::deny(Reason::invalid_params);
  denial.violations.push_back(
      {.pointer = "/" + std::string(member), .keyword = "type", .expected = std::move(expected)});
  return denial;
}

}  // namespace

std::expected<ListFilter, Decision> read_list_filter(JsonValue params) {
  ListFilter filter;
  if (const JsonValue category = params.find("category")) {
    if (!category.is(JsonType::string)) return std::unexpected(refuse("category", "a string"));
    filter.category = category.text();
  }
  if (const JsonValue level = params.find("trust_level")) {
    const auto* const trust =
        std::ranges::find(kTrustNames, level.text(), &std::pair<std::string_view, Trust>::first);
    if (!level.is(JsonType::string) || trust == kTrustNames.end()) {
      return std::unexpected(
          refuse("trust_level", "\"system\", \"verified\", \"community\" or \"untrusted\""));
    }
    filter.trust_level = trust->second;
  }
  return filter;
}

}  // namespace bartizan
