#include "policy/limits.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "policy/joined_name.h"
#include "policy/match.h"

namespace bartizan {
namespace {

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return Glob(pattern).matches(name); });
}

bool is_per(const LimitConfig& limit, LimitKey key) {
  return std::ranges::find(limit.per, key) != limit.per.end();
}

bool counts_tool_calls_only(const LimitConfig& limit) {
  return !limit.tools.empty() || is_per(limit, LimitKey::tool) ||
         is_per(limit, LimitKey::arguments);
}

bool counts_tool(const LimitConfig& limit, std::string_view name) {
  return (limit.tools.empty() || matches_any(limit.tools, name)) &&
         !matches_any(limit.except_tools, name);
}

/// Each part with its length before it, so that no two lists of parts give the same text.
void append_part(std::string& out, std::string_view part) {
  const auto size = static_cast<std::uint32_t>(part.size());
  for (unsigned shift = 0; shift < 32; shift += 8)
    out += static_cast<char>(size >> shift & 0xff);
  out += part;
}

/// What stands for the limit and all that it allows: a bucket of a limit that was changed is
/// another one. Hashed, so that a call hashes sixteen bytes of it and no more.
std::string identity(const LimitConfig& limit, const HashSeed& seed) {
  std::string out;
  append_part(out, limit.name);
  for (const LimitKey key : limit.per)
    out += static_cast<char>(key);
  for (const Rate& rate : limit.rates) {
    append_part(out, std::to_string(rate.count));
    append_part(out, std::to_string(rate.window.count()));
  }
  append_part(out, limit.burst ? std::to_string(*limit.burst) : "");
  append_part(out, limit.concurrency ? std::to_string(*limit.concurrency) : "");
  const std::array<std::uint64_t, 2> hash = keyed_hash(seed, out);
  return {reinterpret_cast<const char*>(hash.data()), sizeof(hash)};
}

std::string_view bytes_of(const std::array<std::uint8_t, 32>& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

void append_key(std::string& out, LimitKey key, const Call& call, const LimitFacts& facts) {
  switch (key) {
    case LimitKey::principal:
      return append_part(out, call.principal == nullptr ? std::string_view() : call.principal->id);
    case LimitKey::server:
      return append_part(out, call.server);
    case LimitKey::tool:
      // Two servers may have tools of one name.
      append_part(out, call.server);
      return append_part(out, call.target);
    case LimitKey::method:
      return append_part(out, call.message.method);
    case LimitKey::session:
      return append_part(out, facts.session);
    case LimitKey::address:
      return append_part(out, facts.address);
    case LimitKey::arguments:
      return append_part(out, bytes_of(facts.arguments));
  }
}

}  // namespace

LimitSet::LimitSet(const Config& config, const KnownNames& names, const HashSeed& seed)
    : seed_(seed) {
  for (const auto& [name, limit] : config.limits)
    add(limit);
  for (const auto& [server, tools] : names.tools) {
    for (const std::string& tool : tools) {
      std::string name = JoinedName(server, tool).text();
      Indexes counting = counting_tool(name);
      known_tools_.insert_or_assign(std::move(name), std::move(counting));
    }
  }
}

/// Adds a limit, cut into several where it has more windows than a bucket holds. Only the first
/// part counts the slots.
void LimitSet::add(const LimitConfig& limit) {
  needs_argument_digest_ = needs_argument_digest_ || is_per(limit, LimitKey::arguments);
  std::size_t done = 0;
  do {
    const std::size_t count = std::min(kWindowsMax, limit.rates.size() - done);
    LimitConfig part = limit;
    const auto first = limit.rates.begin() + static_cast<std::ptrdiff_t>(done);
    part.rates.assign(first, first + static_cast<std::ptrdiff_t>(count));
    if (done > 0) part.concurrency.reset();
    done += count;
    const auto index = static_cast<std::uint32_t>(limits_.size());
    if (!counts_tool_calls_only(part)) without_tool_.push_back(index);
    identities_.push_back(identity(part, seed_));
    limits_.push_back(std::move(part));
  } while (done < limit.rates.size());
}

LimitSet::Indexes LimitSet::counting_tool(std::string_view name) const {
  Indexes counting;
  for (std::uint32_t index = 0; index < limits_.size(); ++index) {
    if (counts_tool(limits_[index], name)) counting.push_back(index);
  }
  return counting;
}

std::vector<LimitSet::Draw> LimitSet::draws(const Call& call, const LimitFacts& facts) const {
  std::vector<Draw> draws;
  if (!call.message.is_request() || call.direction != Direction::client_to_server) return draws;
  Indexes made;
  const Indexes* counting = &without_tool_;
  if (call.target_kind == TargetKind::tool) {
    const JoinedName name(call.server, call.target);
    const auto known = known_tools_.find(name.view());
    if (known == known_tools_.end()) made = counting_tool(name.view());
    counting = known == known_tools_.end() ? &made : &known->second;
  }
  draws.reserve(counting->size());
  std::string key;
  key.reserve(256);
  for (const std::uint32_t index : *counting) {
    key = identities_[index];
    for (const LimitKey part : limits_[index].per) {
      append_key(key, part, call, facts);
    }
    draws.push_back({keyed_hash(seed_, key), index});
  }
  return draws;
}

}  // namespace bartizan
