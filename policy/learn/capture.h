#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/described_call.h"
#include "policy/verdict/gathered_facts.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The version of the line format of a capture.
inline constexpr std::uint64_t kCaptureVersion = 1;
/// The most bytes of a line of a capture: as many as an answer has, since a line may hold the
/// listed definition of a tool.
inline constexpr std::size_t kCaptureLineMax = std::size_t{33} << 20;
/// The largest time, duration and number of bytes in a line. Sums of two or three of them cannot
/// overflow.
inline constexpr std::int64_t kCaptureNumberMax = 1'000'000'000'000'000;

/// Whether the definition of the called tool is known.
enum class KnownDefinition : std::uint8_t {
  unknown,  ///< Nobody looked, or the server did not answer.
  none,     ///< The server lists no such tool.
  listed,
};

/// One call of a client in a capture: the request, its caller, the decision, and the outcome.
struct CapturedCall {
  std::uint64_t order = 0;    ///< The order of decisions within one run of the gateway.
  std::int64_t time_ms = 0;   ///< The time of the judgement, since 1970 UTC.
  std::int64_t clock_us = 0;  ///< The time of the judgement, by the monotonic clock of its run.
  std::string decision_id = {};
  /// The call as it was sent, before arguments were forced or compacted: principal, roles, method,
  /// target, arguments and the facts that policy may ask for.
  DescribedCall call = {};
  std::map<std::string, std::string> attributes = {};  ///< Of the principal.
  std::string trust = {};
  std::string session = {};  ///< Stands for a session; empty if there is none.
  KnownDefinition known = KnownDefinition::unknown;
  std::string definition = {};              ///< Its fingerprint, if it is listed.
  std::vector<GatheredFact> gathered = {};  ///< The answers of the disk and of name servers.

  bool is_permitted = false;
  std::string check = {}, reason = {}, rule = {}, pointer = {};  ///< Spelled as in records.
  /// The time that it waited for its turn at the limits; nothing if it took nothing from them.
  std::optional<std::int64_t> waited_us = {};
  std::int64_t took_us = 0;  ///< From its turn, or from its refusal, to its end.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// A parsed capture.
struct Capture {
  /// The calls of one run of the gateway, in the order of their decisions.
  struct Run {
    std::string id = {};
    std::int64_t time_ms = 0;   ///< The time of the judgement of its first kept call.
    std::int64_t clock_us = 0;  ///< That time by the run's monotonic clock.
    std::vector<CapturedCall> calls = {};
  };
  std::vector<Run> runs = {};
  /// The listed definitions of tools, as JSON, by fingerprint.
  std::map<std::string, std::string, std::less<>> definitions = {};
  std::uint64_t missing = 0;  ///< Calls that could not be kept.
  std::uint64_t garbage = 0;  ///< Lines that are not valid: cut off, or changed.

  std::size_t size() const;
};

/// The line of a call, without its line end.
std::string capture_line(const CapturedCall& call);
/// The line that maps a fingerprint to the entry of a tool. Input: the entry, valid JSON.
std::string definition_line(std::string_view fingerprint, std::string_view entry);
/// The line that begins a file, or the part of a file that one run of the gateway adds.
std::string run_line(std::string_view run, std::int64_t time_ms);
/// The line that stands for missing calls.
std::string missing_line(std::uint64_t count, std::int64_t time_ms);

/// The start time of a run, from its first line. Nothing if the line is another one, or its time is
/// not valid.
std::optional<std::int64_t> read_run_time(std::string_view line);

/// Reads a capture line by line. Input: the lines of the oldest file first.
class CaptureReader {
 public:
  /// Reads one line, without its line end. Lines that are not valid are counted.
  void read(std::string_view line);
  /// Errors: config_invalid if there was no valid line at all, or one of a later version.
  Result<Capture> finish();

 private:
  Capture capture_ = {};
  std::map<std::string, std::size_t, std::less<>> runs_ = {};  ///< By their ids.
  std::size_t run_ = 0;
  bool is_of_later_form_ = false;
};

}  // namespace bartizan
