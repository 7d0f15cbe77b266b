#include "gateway/token/claim_values.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "schemas/base/keep_each_once.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

using Values = std::expected<std::vector<std::string>, TokenFault>;

/// The first step: `realm_access` of `/realm_access/roles`; of a name the name itself. Claims that
/// overflow have no `~` and no `/` in their names, so escapes need no decoding.
std::string_view outermost(std::string_view name) {
  if (!name.starts_with('/')) return name;
  return name.substr(1, name.find('/', 1) - 1);
}

/// Entra omits groups beyond some number, and states where they can be requested.
bool overflows(JsonValue claims, std::string_view name) {
  const std::string_view claim = outermost(name);
  if (claims.find("_claim_names").find(claim)) return true;
  const JsonValue has_groups = claims.find("hasgroups");
  return claim == "groups" && (has_groups.boolean().value_or(false) || has_groups.text() == "true");
}

bool is_scope_byte(char c) {
  return c >= 0x21 && c <= 0x7e && c != '"' && c != '\\';
}

Values read_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!std::ranges::all_of(word, is_scope_byte)) {
      return std::unexpected(TokenFault::scope_malformed);
    }
    if (!word.empty()) words.emplace_back(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

Values read_list(JsonValue list) {
  std::vector<std::string> words;
  for (const JsonValue value : list) {
    const std::string_view word = value.text();
    const bool is_word =
        value.is(JsonType::string) && !word.empty() && std::ranges::all_of(word, is_scope_byte);
    if (!is_word) return std::unexpected(TokenFault::scope_malformed);
    words.emplace_back(word);
  }
  return words;
}

Values read_scope(JsonValue claims, std::string_view name) {
  const JsonValue value = find_claim(claims, name);
  if (!value) return Values();
  if (value.is(JsonType::string)) return read_words(value.text());
  if (value.is(JsonType::array) && name == "scp") return read_list(value);
  return std::unexpected(TokenFault::scope_malformed);
}

/// A value with a single spelling, or nothing.
std::optional<std::string> scalar_of(JsonValue value) {
  if (value.is(JsonType::string)) return std::string(value.text());
  if (const auto number = value.integer()) return std::to_string(*number);
  if (const auto truth = value.boolean()) return *truth ? "true" : "false";
  return std::nullopt;
}

}  // namespace

JsonValue find_claim(JsonValue claims, std::string_view name) {
  const JsonValue value = name.starts_with('/') ? claims.at_pointer(name) : claims.find(name);
  return value.is(JsonType::null) ? JsonValue() : value;
}

Values read_claim_values(JsonValue claims, std::string_view name) {
  if (overflows(claims, name)) return std::unexpected(TokenFault::claim_overflow);
  for (const std::string_view scope : {"scope", "scp"})
    if (name == scope || (name.starts_with('/') && name.substr(1) == scope)) {
      return read_scope(claims, scope);
    }
  const JsonValue claim = find_claim(claims, name);
  if (!claim) return Values();
  std::vector<std::string> values;
  const auto keep = [&](JsonValue value) {
    auto text = scalar_of(value);
    if (!text.has_value()) return false;
    values.push_back(*std::move(text));
    return true;
  };
  const bool is_sound = claim.is(JsonType::array) ? std::ranges::all_of(claim, keep) : keep(claim);
  if (!is_sound) return std::unexpected(TokenFault::claim_malformed);
  return values;
}

Values read_scopes(JsonValue claims) {
  std::vector<std::string> scopes;
  for (const std::string_view name : {"scope", "scp"}) {
    auto words = read_scope(claims, name);
    if (!words) return std::unexpected(words.error());
    std::ranges::move(*words, std::back_inserter(scopes));
  }
  keep_each_once(scopes);
  return scopes;
}

bool is_identifier(JsonValue value) {
  return value.is(JsonType::string) && !value.text().empty() &&
         value.text().size() <= kIdentifierBytesMax && !has_control_character(value.text());
}

}  // namespace bartizan
