#include "policy/explain/assume_facts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

namespace bartizan {
namespace {

constexpr std::string_view kPlaces = "places";
constexpr std::string_view kContents = "contents";
constexpr std::string_view kAddresses = "addresses";

std::string_view name_of(FactQuery::Kind kind) {
  switch (kind) {
    case FactQuery::Kind::place:
    case FactQuery::Kind::text:
      return kPlaces;
    case FactQuery::Kind::content:
      return kContents;
    case FactQuery::Kind::addresses:
      break;
  }
  return kAddresses;
}

}  // namespace

std::map<std::string, std::vector<std::string>> outside_edges(const Config& config,
                                                              const Predicate& predicate) {
  std::map<std::string, std::vector<std::string>> edges;
  const auto path = config.paths.find(path_name(predicate));
  const bool looks =
      path != config.paths.end() && path->second.resolve == PathConfig::Resolve::filesystem;
  if (looks) {
    std::vector<std::string>& places = edges[std::string(kPlaces)];
    places = {"file", "directory", "absent", "outside"};
    if (path->second.content == PathConfig::Content::text) places.emplace_back("binary");
  }
  const auto* digest = std::get_if<DigestPredicate>(&predicate);
  if (looks && digest != nullptr) {
    edges[std::string(kContents)] = digest->sha256;
    edges[std::string(kContents)].push_back(std::string(64, '0'));
  }
  const auto* url = std::get_if<UrlPredicate>(&predicate);
  if (url != nullptr && url->form.resolve) {
    edges[std::string(kAddresses)] = {"1.1.1.1", "127.0.0.1"};
  }
  return edges;
}

bool is_outside_fact(const std::string& name) {
  constexpr std::array kNames{kPlaces, kContents, kAddresses};
  return std::ranges::find(kNames, name) != kNames.end();
}

DescribedFacts with_answer(DescribedFacts facts, const FactQuery& question,
                           const std::map<std::string, std::string>& values) {
  const auto value = values.find(std::string(name_of(question.kind)));
  if (value == values.end()) return facts;
  const std::string name = absolute_name(question);
  if (question.kind == FactQuery::Kind::content) facts.contents.emplace(name, value->second);
  if (question.kind == FactQuery::Kind::addresses) {
    facts.addresses.emplace(name, std::vector<std::string>{value->second});
  }
  // The fact about a place includes whether it is text.
  if (question.kind != FactQuery::Kind::place) return facts;
  const auto place = std::ranges::find(kPlaceNames, value->second,
                                       [](const auto& named) { return std::string(named.first); });
  if (place != kPlaceNames.end()) facts.places.emplace(name, place->second);
  return facts;
}

}  // namespace bartizan
