#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// A time span in microseconds since 1970 UTC: from `since` to before `until`.
struct TimeSpan {
  std::int64_t since = std::numeric_limits<std::int64_t>::min();
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
};

/// The wanted records. An empty member is not a condition.
struct RecordQuery {
  TimeSpan span = {};
  std::string principal = {};
  std::string server = {};
  std::string target = {};  ///< Tool, prompt or resource.
  std::string rule = {};
  std::string reason = {};
  std::string decision = {};  ///< `permit` or `deny`; withheld results count as denied.
  std::string kind = {};
  bool redacted = false;                    ///< Only records in which detectors found something.
  std::vector<std::string> words = {};      ///< The line contains all of these texts.
  std::vector<std::string> arguments = {};  ///< The digest of its arguments is one of these.
  std::size_t limit = 1000;                 ///< Only the last so many.
};

/// Whether there is a kind of record with that name.
bool is_record_kind(std::string_view name);

/// A text and its number of occurrences.
struct CountedText {
  std::string text;
  std::uint64_t count = 0;
};

/// The duration of calls of a tool, in microseconds.
struct ToolTimes {
  std::string tool;  ///< `server/tool`
  std::uint64_t calls = 0;
  std::uint64_t mean = 0;
  std::uint64_t p95 = 0;
  std::uint64_t most = 0;
};

/// The events of a time span. A list begins with its largest entry and has at most 20
/// entries. `operators` and `days` have their own limits.
struct RecordReport {
  TimeSpan span = {};
  /// Where the record is not whole: the report lacks records, or counts changed ones.
  std::vector<std::string> problems = {};
  std::uint64_t records = 0;
  std::uint64_t permitted = 0;
  std::uint64_t denied = 0;
  std::uint64_t withheld = 0;
  std::vector<CountedText> reasons = {};    ///< Of refusals.
  std::vector<CountedText> rules = {};      ///< That refused.
  std::vector<CountedText> refused = {};    ///< Refused principals.
  std::vector<CountedText> callers = {};    ///< Principals of permitted calls.
  std::vector<CountedText> tools = {};      ///< Called tools.
  std::vector<CountedText> secrets = {};    ///< Matches of detectors, by detector and action.
  std::vector<CountedText> operators = {};  ///< All actions of operators: release, revocation, …
  std::vector<CountedText> days = {};       ///< Refusals per day, sorted by day; the last 31.
  std::vector<ToolTimes> slowest = {};
};

}  // namespace bartizan
