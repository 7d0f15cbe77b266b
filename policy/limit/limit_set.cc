#include "policy/limit/limit_set.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "policy/limit/canonical_arguments.h"
#include "policy/text/match.h"
#include "policy/text/qualified_name.h"

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
  return !limit.tools.empty() || limit.loop.has_value() || is_per(limit, LimitKey::tool) ||
         is_per(limit, LimitKey::arguments);
}

bool counts_tool(const LimitConfig& limit, std::string_view name) {
  return (limit.tools.empty() || matches_any(limit.tools, name)) &&
         !matches_any(limit.except_tools, name);
}

/// Appends each part after its length, so that no two lists of parts give the same text.
void append_part(std::string& out, std::string_view part) {
  const auto size = static_cast<std::uint32_t>(part.size());
  std::array<char, sizeof size> bytes;
  std::memcpy(bytes.data(), &size, sizeof size);
  out.append(bytes.data(), bytes.size()).append(part);
}

/// The identity of the limit with all its values: a changed limit has new buckets. It is hashed, so
/// that each call hashes only sixteen bytes of it.
std::string identity(const LimitConfig& limit, const HashSeed& seed) {
  std::string out;
  append_part(out, limit.name);
  for (const LimitKey key : limit.per)
    out += static_cast<char>(key);
  for (const std::string& attribute : limit.per_attributes)
    append_part(out, attribute);
  for (const Rate& rate : limit.rates) {
    out += static_cast<char>(rate.unit);
    append_part(out, std::to_string(rate.count));
    append_part(out, std::to_string(rate.window.count()));
  }
  append_part(out, limit.burst ? std::to_string(*limit.burst) : "");
  append_part(out, limit.concurrency ? std::to_string(*limit.concurrency) : "");
  append_part(out, std::to_string(limit.queue));
  if (limit.loop) {
    append_part(out, std::to_string(limit.loop->calls));
    append_part(out, std::to_string(limit.loop->repeats));
    append_part(out, std::to_string(limit.loop->pause.count()));
  }
  const std::array<std::uint64_t, 2> hash = keyed_hash(seed, out);
  return {reinterpret_cast<const char*>(hash.data()), sizeof(hash)};
}

/// One call, in the form for keys of buckets. Its arguments are spelled once, and only if a limit
/// needs them.
class KeyParts {
 public:
  KeyParts(const Call& call, const LimitFacts& facts) : call_(call), facts_(facts) {}

  void append(std::string& out, LimitKey key) {
    switch (key) {
      case LimitKey::principal:
        return append_part(out, call_.principal == nullptr ? "" : call_.principal->id);
      case LimitKey::server:
        return append_part(out, call_.server);
      case LimitKey::tool:
        // Two servers may have tools with the same name.
        append_part(out, call_.server);
        return append_part(out, call_.target);
      case LimitKey::method:
        return append_part(out, call_.message.method);
      case LimitKey::session:
        return append_part(out, facts_.session);
      case LimitKey::address:
        return append_part(out, facts_.address);
      case LimitKey::arguments:
        return append_part(out, arguments());
    }
  }

  /// A caller without the attribute counts like one with an empty attribute.
  void append_attribute(std::string& out, const std::string& name) const {
    if (call_.principal == nullptr) return append_part(out, "");
    const auto found = call_.principal->attributes.find(name);
    append_part(out, found == call_.principal->attributes.end() ? "" : found->second);
  }

  /// Stands for the call in a chain of calls.
  std::uint64_t digest(const HashSeed& seed) {
    if (digest_) return *digest_;
    std::string text;
    append(text, LimitKey::tool);
    append(text, LimitKey::arguments);
    digest_ = keyed_hash(seed, text)[0];
    return *digest_;
  }

 private:
  std::string_view arguments() {
    if (!arguments_) arguments_ = canonical_arguments(call_);
    return *arguments_;
  }

  const Call& call_;
  const LimitFacts& facts_;
  std::optional<std::string> arguments_;
  std::optional<std::uint64_t> digest_;
};

}  // namespace

CountedLimit::CountedLimit(LimitConfig limit) : LimitConfig(std::move(limit)) {
  windows.reserve(rates.size());
  for (const Rate& rate : rates)
    windows.emplace_back(*this, rate);
}

LimitSet::LimitSet(const Config& config, const KnownNames& names, const HashSeed& seed)
    : seed_(seed) {
  for (const auto& [name, limit] : config.limits)
    add(limit);
  for (const auto& [server, tools] : names.tools) {
    for (const std::string& tool : tools) {
      std::string name = QualifiedName(server, tool).text();
      Indexes counting = counting_tool(name);
      known_tools_.insert_or_assign(std::move(name), std::move(counting));
    }
  }
}

/// Adds a limit, split if it has more windows than a bucket holds. Only the first part counts slots
/// and looks for loops.
void LimitSet::add(const LimitConfig& limit) {
  std::size_t done = 0;
  do {
    const std::size_t count = std::min(kWindowsMax, limit.rates.size() - done);
    LimitConfig part = limit;
    const auto first = limit.rates.begin() + static_cast<std::ptrdiff_t>(done);
    part.rates.assign(first, first + static_cast<std::ptrdiff_t>(count));
    if (done > 0) {
      part.concurrency.reset();
      part.queue = 0;
      part.loop.reset();
    }
    done += count;
    const auto index = static_cast<std::uint32_t>(limits_.size());
    if (!counts_tool_calls_only(part)) without_tool_.push_back(index);
    identities_.push_back(identity(part, seed_));
    shared_.push_back(keyed_hash(seed_, identities_.back()));
    limits_.emplace_back(std::move(part));
  } while (done < limit.rates.size());
}

LimitSet::Indexes LimitSet::counting_tool(std::string_view name) const {
  Indexes counting;
  for (std::uint32_t index = 0; index < limits_.size(); ++index) {
    if (counts_tool(limits_[index], name)) counting.push_back(index);
  }
  return counting;
}

const LimitSet::Indexes* LimitSet::counting(std::string_view name) const {
  const auto known = known_tools_.find(name);
  return known == known_tools_.end() ? nullptr : &known->second;
}

std::vector<LimitSet::Draw> LimitSet::draws(const Call& call, const LimitFacts& facts) const {
  std::vector<Draw> draws;
  if (!call.message.is_request() || call.direction != Direction::client_to_server) return draws;
  Indexes made;
  const Indexes* counted = &without_tool_;
  if (call.target_kind == TargetKind::tool) counted = call.facts.known.limits;
  if (counted == nullptr) {
    const QualifiedName name(call.server, call.target);
    counted = counting(name.view());
    if (counted == nullptr) counted = &(made = counting_tool(name.view()));
  }
  draws.reserve(counted->size());
  std::string key;
  key.reserve(256);
  KeyParts parts(call, facts);
  for (const std::uint32_t index : *counted) {
    const LimitConfig& limit = limits_[index];
    if (limit.per.empty() && limit.per_attributes.empty() && !limit.loop) {
      draws.push_back({shared_[index], index});
      continue;
    }
    key = identities_[index];
    for (const LimitKey part : limit.per)
      parts.append(key, part);
    for (const std::string& name : limit.per_attributes)
      parts.append_attribute(key, name);
    draws.push_back({keyed_hash(seed_, key), index, limit.loop ? parts.digest(seed_) : 0});
  }
  return draws;
}

}  // namespace bartizan
