#include "policy/learn/captured_facts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

namespace bartizan {
namespace {

using Kind = FactQuery::Kind;
using Where = FoundPlace::Where;

constexpr std::array<std::pair<Kind, std::string_view>, 4> kKinds{{{Kind::place, "place"},
                                                                   {Kind::content, "content"},
                                                                   {Kind::text, "text"},
                                                                   {Kind::addresses, "addresses"}}};
constexpr std::array<std::pair<Where, std::string_view>, 3> kWheres{
    {{Where::inside, "inside"}, {Where::absent, "absent"}, {Where::outside, "outside"}}};
constexpr std::array<std::pair<FoundPlace::Kind, std::string_view>, 3> kPlaceKinds{
    {{FoundPlace::Kind::file, "file"},
     {FoundPlace::Kind::directory, "directory"},
     {FoundPlace::Kind::other, "other"}}};

/// The names for the beginnings of files.
constexpr std::string_view kText = "text", kBinary = "binary";

void add_text(std::string& json, std::string_view name, std::string_view text) {
  json += json.ends_with('{') ? "\"" : ",\"";
  json += name;
  json += "\":";
  append_json_string(json, text);
}

template <class E, std::size_t N>
std::string_view name_of(E value, const std::array<std::pair<E, std::string_view>, N>& names) {
  return std::ranges::find(names, value, &std::pair<E, std::string_view>::first)->second;
}

/// Causes that are not temporary, and would occur again.
constexpr std::array<std::pair<NotFoundOut::Why, std::string_view>, 5> kWhys{
    {{NotFoundOut::Why::not_reachable, "not_reachable"},
     {NotFoundOut::Why::leads_nowhere, "leads_nowhere"},
     {NotFoundOut::Why::leads_in_circles, "leads_in_circles"},
     {NotFoundOut::Why::not_readable, "not_readable"},
     {NotFoundOut::Why::too_long, "too_long"}}};

/// Adds the finding of one fact to its members; for a question without an answer, the cause if
/// known.
struct FindingWriter {
  std::string& json;

  void operator()(const NotFoundOut& unknown) const {
    for (const auto& [why, name] : kWhys) {
      if (unknown.why == why) add_text(json, "unknown", name);
    }
  }
  void operator()(const FoundPlace& place) const {
    add_text(json, "is", name_of(place.where, kWheres));
    add_text(json, "kind", name_of(place.kind, kPlaceKinds));
    json += ",\"bytes\":" + std::to_string(place.bytes);
    if (place.leads_to.has_value()) add_text(json, "leads_to", *place.leads_to);
  }
  void operator()(const FoundContent& content) const { add_text(json, "sha256", content.sha256); }
  void operator()(const FoundText& found) const {
    add_text(json, "is", found.is_text ? kText : kBinary);
  }
  void operator()(const FoundAddresses& found) const {
    json += ",\"are\":[";
    for (const std::string& address : found.addresses) {
      if (!json.ends_with('[')) json += ',';
      append_json_string(json, address);
    }
    json += ']';
  }
};

std::optional<FoundPlace> read_place(JsonValue fact) {
  FoundPlace place;
  const auto* const where = std::ranges::find(kWheres, fact.find("is").text(),
                                              &std::pair<Where, std::string_view>::second);
  if (where == kWheres.end()) return std::nullopt;
  place.where = where->first;
  for (const auto& [kind, name] : kPlaceKinds) {
    if (fact.find("kind").text() == name) place.kind = kind;
  }
  place.bytes = static_cast<std::uint64_t>(
      std::max<std::int64_t>(fact.find("bytes").integer().value_or(0), 0));
  if (const JsonValue leads_to = fact.find("leads_to")) place.leads_to = leads_to.text();
  return place;
}

NotFoundOut read_unknown(JsonValue fact) {
  for (const auto& [why, name] : kWhys) {
    if (fact.find("unknown").text() == name) return {.why = why};
  }
  return {};
}

Finding read_finding(Kind kind, JsonValue fact) {
  switch (kind) {
    case Kind::place:
      if (auto place = read_place(fact)) return *std::move(place);
      return read_unknown(fact);
    case Kind::content:
      if (const JsonValue sha256 = fact.find("sha256")) {
        return FoundContent{.sha256 = std::string(sha256.text())};
      }
      return read_unknown(fact);
    case Kind::text: {
      const std::string_view is = fact.find("is").text();
      if (is == kText || is == kBinary) return FoundText{is == kText};
      return read_unknown(fact);
    }
    case Kind::addresses:
      break;
  }
  FoundAddresses found;
  for (const JsonValue address : fact.find("are"))
    found.addresses.emplace_back(address.text());
  if (found.addresses.empty()) return NotFoundOut();
  return found;
}

/// Whether `folder` is `root` or below it. Both are absolute, without a trailing slash except for
/// `/`.
bool is_below(std::string_view folder, std::string_view root) {
  if (root == "/") return folder.starts_with('/');
  if (!folder.starts_with(root)) return false;
  return folder.size() == root.size() || folder[root.size()] == '/';
}

/// Whether a finding below one root also holds below a folder of that root.
bool holds_below(const Finding& finding) {
  const auto* place = std::get_if<FoundPlace>(&finding);
  if (place == nullptr) {
    return std::holds_alternative<FoundContent>(finding) ||
           std::holds_alternative<FoundText>(finding);
  }
  return place->where != Where::outside && !place->leads_to.has_value();
}

}  // namespace

std::string write_facts(std::span<const GatheredFact> facts) {
  if (facts.empty()) return {};
  std::string json = "[";
  for (const GatheredFact& fact : facts) {
    if (json.size() > 1) json += ',';
    json += '{';
    add_text(json, name_of(fact.question.kind, kKinds), fact.question.name);
    if (!fact.question.root.empty()) add_text(json, "root", fact.question.root);
    std::visit(FindingWriter{json}, fact.finding);
    json += '}';
  }
  return json + "]";
}

std::vector<GatheredFact> read_facts(JsonValue facts) {
  std::vector<GatheredFact> read;
  if (!facts.is(JsonType::array)) return read;
  for (const JsonValue fact : facts) {
    for (const auto& [kind, name] : kKinds) {
      const JsonValue asked = fact.find(name);
      if (!asked.is(JsonType::string)) continue;
      read.push_back({.question = {.kind = kind,
                                   .root = std::string(fact.find("root").text()),
                                   .name = std::string(asked.text())},
                      .finding = read_finding(kind, fact)});
    }
  }
  return read;
}

std::optional<Finding> answer_from(std::span<const GatheredFact> facts, const FactQuery& question) {
  const auto same = std::ranges::find(facts, question, &GatheredFact::question);
  if (same != facts.end()) return same->finding;
  if (question.kind == Kind::addresses) return std::nullopt;
  const std::string name = absolute_name(question);
  for (const GatheredFact& fact : facts) {
    const bool is_told = fact.question.kind == question.kind &&
                         absolute_name(fact.question) == name &&
                         is_below(question.root, fact.question.root);
    if (is_told && holds_below(fact.finding)) return fact.finding;
  }
  return std::nullopt;
}

}  // namespace bartizan
