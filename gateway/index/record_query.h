#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// From the first microsecond to before the last one, since 1970 UTC.
struct TimeSpan {
  std::int64_t since = std::numeric_limits<std::int64_t>::min();
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
};

/// Which records are asked for; what is empty asks for nothing.
struct RecordQuery {
  TimeSpan span = {};
  std::string principal = {};
  std::string server = {};
  std::string target = {};  ///< Tool, prompt or resource.
  std::string rule = {};
  std::string reason = {};
  std::string decision = {};  ///< `permit` or `deny`; withheld results count as denied.
  std::string kind = {};
  bool redacted = false;                    ///< Something was found in it by detectors.
  std::vector<std::string> words = {};      ///< Texts, all of which stand in its line.
  std::vector<std::string> arguments = {};  ///< Digests, one of which its arguments have.
  std::size_t limit = 1000;                 ///< The last ones.
};

/// Whether records of that kind can be asked for.
bool is_record_kind(std::string_view name);

/// A text and how often it stands there.
struct CountedText {
  std::string text;
  std::uint64_t count = 0;
};

/// How long calls of a tool took, in microseconds.
struct ToolTimes {
  std::string tool;  ///< `server/tool`
  std::uint64_t calls = 0;
  std::uint64_t mean = 0;
  std::uint64_t p95 = 0;
  std::uint64_t most = 0;
};

/// What happened in a time: each list begins with what is most, and has 20 entries at most.
struct RecordReport {
  TimeSpan span = {};
  std::uint64_t records = 0;
  std::uint64_t permitted = 0;
  std::uint64_t denied = 0;
  std::uint64_t withheld = 0;
  std::vector<CountedText> reasons = {};    ///< Of refusals.
  std::vector<CountedText> rules = {};      ///< That refused.
  std::vector<CountedText> refused = {};    ///< Principals.
  std::vector<CountedText> callers = {};    ///< Principals of permitted calls.
  std::vector<CountedText> tools = {};      ///< That were called.
  std::vector<CountedText> secrets = {};    ///< What detectors found, by detector and action.
  std::vector<CountedText> operators = {};  ///< Kinds of what people did: release, revocation, …
  std::vector<CountedText> days = {};       ///< Refusals of each day, in the order of days.
  std::vector<ToolTimes> slowest = {};
};

}  // namespace bartizan
