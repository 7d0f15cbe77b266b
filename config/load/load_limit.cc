#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/check_name.h"
#include "config/load/load_parts.h"
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

constexpr std::string_view kAttributePrefix = "attributes.";

std::optional<LimitKey> load_key(const Text& text, Problems& problems) {
  std::vector<std::string_view> names;
  for (const auto& [name, key] : kKeys) {
    if (name == text.value) return key;
    names.push_back(name);
  }
  names.emplace_back("attributes.NAME");
  problems.error(text.where,
                 fmt::format("\"per\" can hold {}, not {}", listed(names), quote(text.value)),
                 hint_near(text.value, names));
  return std::nullopt;
}

/// Callers without the attribute share a bucket. A misspelt name would therefore limit all of them
/// together.
void load_attribute(const Text& text, const Config& config, LimitConfig& limit,
                    Problems& problems) {
  const std::string name = text.value.substr(kAttributePrefix.size());
  const bool is_known = std::ranges::any_of(config.principals,
                                            [&](const auto& entry) {
                                              return entry.second.attributes.contains(name);
                                            }) ||
                        std::ranges::any_of(config.auth.issuers, [&](const IssuerConfig& issuer) {
                          return issuer.attributes.contains(name);
                        });
  if (!is_known) {
    problems.warning(text.where, fmt::format("no principal has the attribute {}", quote(name)),
                     "all callers without it share one bucket");
  }
  limit.per_attributes.push_back(name);
}

void load_keys(TableReader& table, const Config& config, LimitConfig& limit) {
  for (const Text& text : table.texts("per")) {
    const bool is_attribute =
        text.value.size() > kAttributePrefix.size() && text.value.starts_with(kAttributePrefix);
    if (is_attribute) {
      load_attribute(text, config, limit, table.problems());
    } else if (const auto key = load_key(text, table.problems())) {
      limit.per.push_back(*key);
    }
  }
}

std::optional<Rate> parse_budget(std::string_view text) {
  auto rate = parse_rate(text);
  if (rate) rate->unit = LimitUnit::cost;
  return rate;
}

/// A key with windows, and the parser of its texts.
struct WindowKey {
  std::string_view name;
  std::optional<Rate> (*parse)(std::string_view text);
  std::string_view fault;
  std::string_view hint;
};

constexpr std::array<WindowKey, 3> kWindowKeys{
    {{"rate", parse_rate, "is not a rate",
      "write a count and a window, such as \"10/s\", \"600/min\", \"5000/h\""},
     {"budget", parse_budget, "is not a budget",
      "write a cost and a window, such as \"1000/h\", \"5000/d\""},
     {"bytes", parse_byte_rate, "is not an amount of bytes in a window",
      "write a size of 64 GiB at most and a window, such as \"10 MiB/min\", \"1 GiB/d\""}}};

void load_windows(TableReader& table, const WindowKey& key, std::vector<Rate>& rates) {
  const std::vector<Text> texts = table.texts(key.name);
  for (const Text& text : texts) {
    if (const auto rate = key.parse(text.value)) {
      rates.push_back(*rate);
      continue;
    }
    table.problems().error(text.where, fmt::format("{} {}", quote(text.value), key.fault),
                           std::string(key.hint));
  }
  if (texts.size() > kRatesMax) {
    table.problems().error(table.where(key.name),
                           fmt::format("{} holds more than 4 rates", quote(key.name)));
  }
  if (table.is_empty_array(key.name)) {
    table.problems().error(table.where(key.name), fmt::format("{} is empty", quote(key.name)));
  }
}

std::optional<LoopConfig> load_loop(TableReader& table) {
  auto loop = table.table("loop");
  if (!loop.has_value()) return std::nullopt;
  constexpr std::int64_t kCircleMax = 8;
  constexpr std::int64_t kRepeatsMax = 16;
  LoopConfig config;
  if (const auto calls = loop->integer("calls", {.min = 1, .max = kCircleMax})) {
    config.calls = static_cast<std::uint32_t>(*calls);
  }
  if (const auto repeats = loop->integer("repeats", {.min = 2, .max = kRepeatsMax})) {
    config.repeats = static_cast<std::uint32_t>(*repeats);
  }
  config.pause = loop->duration("pause", {.min = 1'000, .max = 86'400'000}).value_or(config.pause);
  // The calls that a bucket remembers: few, so that a million callers fit into memory.
  constexpr std::uint32_t kCallsMax = 64;
  if (config.calls * config.repeats > kCallsMax) {
    table.problems().error(table.where("loop"),
                           fmt::format("\"loop\" remembers more than {} calls", kCallsMax),
                           "\"calls\" times \"repeats\" is at most that");
  }
  loop->finish();
  return config;
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

/// Loads the queue of calls that wait for a slot.
void load_queue(TableReader& table, LimitConfig& limit) {
  constexpr std::int64_t kQueueMax = 1024;
  if (const auto places = table.integer("queue", {.min = 1, .max = kQueueMax})) {
    limit.queue = static_cast<std::uint32_t>(*places);
  }
  limit.queue_timeout =
      table.duration("queue_timeout", {.min = 1, .max = 600'000}).value_or(limit.queue_timeout);
  const auto needs = [&](std::string_view key, std::string_view needed) {
    if (!table.has(key) || table.has(needed)) return;
    table.problems().error(table.where(key), fmt::format("{} needs {}", quote(key), quote(needed)));
  };
  needs("queue", "concurrency");
  needs("queue_timeout", "queue");
}

LimitConfig load_limit(const Text& name, TableReader& table, const Config& config) {
  LimitConfig limit{.name = name.value, .where = name.where};
  load_keys(table, config, limit);
  if (!table.has("per")) {
    table.problems().error(name.where, "a limit needs \"per\"", "per = [] is one bucket for all");
  }
  for (const WindowKey& key : kWindowKeys)
    load_windows(table, key, limit.rates);
  if (const auto burst = table.integer("burst", {.min = 1, .max = kCountMax})) {
    limit.burst = static_cast<std::uint64_t>(*burst);
  }
  if (const auto slots = table.integer("concurrency", {.min = 1, .max = kCountMax})) {
    limit.concurrency = static_cast<std::uint32_t>(*slots);
  }
  load_queue(table, limit);
  limit.loop = load_loop(table);
  load_tools_of(table, limit, config);
  const std::vector<std::string_view> bounds{"rate", "budget", "bytes", "concurrency", "loop"};
  if (std::ranges::none_of(bounds, [&](std::string_view key) { return table.has(key); })) {
    table.problems().error(name.where, fmt::format("a limit needs {}", listed(bounds)));
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
