#include "gateway/command/format_limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <vector>

#include "config/parse_units.h"

namespace bartizan {
namespace {

/// The windows of one unit, in configuration syntax.
std::vector<std::string> window_texts(const LimitConfig& limit, LimitUnit unit) {
  std::vector<std::string> texts;
  for (const Rate& rate : limit.rates) {
    if (rate.unit == unit) texts.push_back(rate_text(rate));
  }
  return texts;
}

std::vector<std::string> bound_texts(const LimitConfig& limit) {
  std::vector<std::string> bounds = window_texts(limit, LimitUnit::calls);
  for (const std::string& budget : window_texts(limit, LimitUnit::cost))
    bounds.push_back("cost " + budget);
  for (const std::string& bytes : window_texts(limit, LimitUnit::bytes))
    bounds.push_back(bytes);
  if (limit.concurrency) bounds.push_back(fmt::format("{} at once", *limit.concurrency));
  if (limit.queue > 0) bounds.push_back(fmt::format("{} waiting", limit.queue));
  if (limit.loop) {
    bounds.push_back(fmt::format("no loop of {} {}", format_count(limit.loop->calls, "call"),
                                 format_count(limit.loop->repeats, "time")));
  }
  return bounds;
}

std::vector<std::string> key_texts(const LimitConfig& limit) {
  std::vector<std::string> keys;
  keys.reserve(limit.per.size() + limit.per_attributes.size());
  for (const LimitKey key : limit.per)
    keys.emplace_back(text(key));
  for (const std::string& name : limit.per_attributes)
    keys.push_back("attributes." + name);
  return keys;
}

bool is_default(const LimitConfig& limit) {
  return limit.where.line == 0;
}

JsonObject loop_json(const LoopConfig& loop) {
  JsonObject json;
  json.add("calls", std::uint64_t{loop.calls});
  json.add("repeats", std::uint64_t{loop.repeats});
  json.add("pause", duration_text(loop.pause));
  return json;
}

}  // namespace

std::string format_limit(const LimitConfig& limit) {
  const std::vector<std::string> keys = key_texts(limit);
  std::string line = fmt::format("{}: {} ", limit.name, fmt::join(bound_texts(limit), ", "));
  line += keys.empty() ? "for all callers together"
                       : fmt::format("for each {}", fmt::join(keys, " and "));
  if (!limit.tools.empty()) line += fmt::format(" of {}", fmt::join(limit.tools, ", "));
  if (!limit.except_tools.empty()) {
    line += fmt::format(" of all but {}", fmt::join(limit.except_tools, ", "));
  }
  return is_default(limit) ? line + " (default)" : line;
}

JsonObject limit_json(const LimitConfig& limit) {
  JsonObject json;
  json.add("name", limit.name);
  json.add_flag("default", is_default(limit));
  json.add("per", key_texts(limit));
  json.add("rate", window_texts(limit, LimitUnit::calls));
  if (limit.burst) json.add("burst", *limit.burst);
  const auto budget = window_texts(limit, LimitUnit::cost);
  if (!budget.empty()) json.add("budget", budget);
  const auto bytes = window_texts(limit, LimitUnit::bytes);
  if (!bytes.empty()) json.add("bytes", bytes);
  if (limit.concurrency) json.add("concurrency", std::uint64_t{*limit.concurrency});
  if (limit.queue > 0) {
    json.add("queue", std::uint64_t{limit.queue});
    json.add("queue_timeout", duration_text(limit.queue_timeout));
  }
  if (limit.loop) json.add_json("loop", loop_json(*limit.loop).text());
  if (!limit.tools.empty()) json.add("tools", limit.tools);
  if (!limit.except_tools.empty()) json.add("except_tools", limit.except_tools);
  return json;
}

}  // namespace bartizan
