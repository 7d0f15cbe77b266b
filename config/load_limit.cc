#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/check_name.h"
#include "config/load_parts.h"
#include "config/parse_units.h"

namespace bartizan {
namespace {

constexpr std::size_t kRatesMax = 4;
constexpr std::int64_t kCountMax = 1'000'000'000;

constexpr std::array<std::pair<std::string_view, LimitKey>, 7> kKeys{
    {{"principal", LimitKey::principal},
     {"server", LimitKey::server},
     {"tool", LimitKey::tool},
     {"method", LimitKey::method},
     {"session", LimitKey::session},
     {"address", LimitKey::address},
     {"arguments", LimitKey::arguments}}};

std::optional<LimitKey> load_key(const Text& text, Problems& problems) {
  std::vector<std::string_view> names;
  for (const auto& [name, key] : kKeys) {
    if (name == text.value) return key;
    names.push_back(name);
  }
  if (text.value.starts_with("attributes.")) {
    problems.error(text.where,
                   fmt::format("{} is known but not built in this version", quote(text.value)));
    return std::nullopt;
  }
  problems.error(text.where,
                 fmt::format("\"per\" can hold {}, not {}", listed(names), quote(text.value)),
                 hint_near(text.value, names));
  return std::nullopt;
}

std::vector<LimitKey> load_keys(TableReader& table) {
  std::vector<LimitKey> keys;
  for (const Text& text : table.texts("per")) {
    if (const auto key = load_key(text, table.problems())) keys.push_back(*key);
  }
  return keys;
}

std::vector<Rate> load_rates(TableReader& table) {
  std::vector<Rate> rates;
  for (const Text& text : table.texts("rate")) {
    const auto rate = parse_rate(text.value);
    if (!rate) {
      table.problems().error(
          text.where, fmt::format("{} is no rate", quote(text.value)),
          "write a count and a window, such as \"10/s\", \"600/min\", \"5000/h\"");
      continue;
    }
    rates.push_back(*rate);
  }
  if (rates.size() > kRatesMax) {
    table.problems().error(table.where("rate"), "\"rate\" holds more than 4 rates");
  }
  return rates;
}

std::vector<std::string> load_patterns(TableReader& table, std::string_view key,
                                       const Config& config) {
  const std::vector<Text> patterns = table.texts(key);
  for (const Text& pattern : patterns) {
    check_pattern(pattern, find_tool_pattern_fault(pattern.value), config.servers,
                  table.problems());
  }
  // An empty list would read as "no tool" and act as "every tool".
  if (table.is_empty_array(key)) {
    table.problems().error(table.where(key), fmt::format("{} is empty", quote(key)));
  }
  return values(patterns);
}

void load_tools_of(TableReader& table, LimitConfig& limit, const Config& config) {
  const TomlEntry* entry = table.find("tools");
  if (entry == nullptr || entry->value.type != TomlValue::Type::table) {
    limit.tools = load_patterns(table, "tools", config);
    return;
  }
  auto exceptions = table.table("tools");
  limit.except_tools = load_patterns(*exceptions, "except", config);
  if (!exceptions->has("except")) {
    table.problems().error(entry->where, "\"tools\" as a table needs \"except\"");
  }
  exceptions->finish();
}

LimitConfig load_limit(const Text& name, TableReader& table, const Config& config) {
  LimitConfig limit{.name = name.value, .where = name.where};
  limit.per = load_keys(table);
  if (!table.has("per")) {
    table.problems().error(name.where, "a limit needs \"per\"", "per = [] is one bucket for all");
  }
  limit.rates = load_rates(table);
  if (const auto burst = table.integer("burst", {.min = 1, .max = kCountMax})) {
    limit.burst = static_cast<std::uint64_t>(*burst);
  }
  if (const auto slots = table.integer("concurrency", {.min = 1, .max = kCountMax})) {
    limit.concurrency = static_cast<std::uint32_t>(*slots);
  }
  load_tools_of(table, limit, config);
  if (!table.has("rate") && !table.has("concurrency")) {
    table.problems().error(name.where, "a limit needs \"rate\" or \"concurrency\"");
  }
  if (table.is_empty_array("rate")) {
    table.problems().error(table.where("rate"), "\"rate\" is empty");
  }
  if (table.has("burst") && !table.has("rate")) {
    table.problems().error(table.where("burst"), "\"burst\" needs \"rate\"");
  }
  table.finish();
  return limit;
}

}  // namespace

std::string_view text(LimitKey key) {
  const auto* const found =
      std::ranges::find(kKeys, key, &std::pair<std::string_view, LimitKey>::second);
  return found == kKeys.end() ? std::string_view() : found->first;
}

std::map<std::string, LimitConfig, std::less<>> load_limits(TableReader& root,
                                                            const Config& config) {
  std::map<std::string, LimitConfig, std::less<>> limits = default_limits();
  for (auto& [name, table] : root.named_tables("limit")) {
    check_name(name, "limit", root.problems());
    limits.insert_or_assign(name.value, load_limit(name, table, config));
  }
  return limits;
}

}  // namespace bartizan
