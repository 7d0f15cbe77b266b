#include "gateway/setup/conversion_report.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace bartizan {
namespace {

/// By line and column. Keys at the same place keep their insertion order.
using PlacedKeys = std::multimap<std::pair<std::uint32_t, std::uint32_t>, ConvertedKey>;

std::pair<std::uint32_t, std::uint32_t> order_of(const Position& where) {
  return {where.line, where.column};
}

}  // namespace

ConversionReport::ConversionReport(const TomlValue& document, std::span<const KnownKey> keys,
                                   Problems& problems)
    : known_(keys), problems_(problems) {
  name_keys(document, "");
}

bool ConversionReport::is_table(std::string_view name) const {
  return std::ranges::any_of(known_, [name](const KnownKey& known) { return known.table == name; });
}

void ConversionReport::name_keys(const TomlValue& table, const std::string& name) {
  for (const TomlEntry& entry : table.entries) {
    const std::string key = name.empty() ? entry.key : name + "." + entry.key;
    for (const Position& where : {entry.where, entry.value.where})
      names_[place(problems_.files(), where)] = {.where = where, .key = key};
    // An unknown table is reported once, not for each of its keys.
    if (entry.value.type == TomlValue::Type::table && is_table(key)) {
      name_keys(entry.value, key);
    } else {
      leaves_.push_back(&entry);
    }
  }
}

void ConversionReport::add(const Position& where, std::string became) {
  became_[place(problems_.files(), where)] = std::move(became);
}

std::vector<ConvertedKey> ConversionReport::keys() const {
  PlacedKeys placed;
  std::set<std::string> refused;
  for (ConfigProblem& problem : problems_.sorted()) {
    const auto found = names_.find(problem.where);
    const Named named = found == names_.end() ? Named{} : found->second;
    refused.insert(named.key);
    placed.emplace(order_of(named.where), ConvertedKey{.where = problem.where,
                                                       .key = named.key,
                                                       .refused = std::move(problem.message),
                                                       .instead = std::move(problem.hint)});
  }
  for (const TomlEntry* leaf : leaves_) {
    const std::string where = place(problems_.files(), leaf->value.where);
    const std::string& name = names_.at(where).key;
    if (refused.contains(name)) continue;
    ConvertedKey key{.where = where, .key = name};
    const auto found = became_.find(where);
    if (found != became_.end()) {
      key.became = found->second;
    } else {
      key.refused = "is not converted";
    }
    placed.emplace(order_of(leaf->value.where), std::move(key));
  }
  std::vector<ConvertedKey> keys;
  keys.reserve(placed.size());
  for (auto& [where, key] : placed)
    keys.push_back(std::move(key));
  return keys;
}

}  // namespace bartizan
