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

/// The form of the lines of a capture.
inline constexpr std::uint64_t kCaptureVersion = 1;
/// A line of a capture: an answer's worth, since it may hold what a server lists of a tool.
inline constexpr std::size_t kCaptureLineMax = std::size_t{33} << 20;
/// The largest time, duration and number of bytes of a line: what is reckoned with two or three of
/// them stays far from the largest number.
inline constexpr std::int64_t kCaptureNumberMax = 1'000'000'000'000'000;

/// What is known of the definition of the tool that was called.
enum class KnownDefinition : std::uint8_t {
  unknown,  ///< Nobody looked, or the server did not say.
  none,     ///< Its server lists no such tool.
  listed,
};

/// One call of a client as a capture keeps it: what was asked, by whom, what was decided, and what
/// became of it.
struct CapturedCall {
  std::uint64_t order = 0;    ///< In which calls were decided, within one run of the gateway.
  std::int64_t time_ms = 0;   ///< When it was judged, since 1970 UTC.
  std::int64_t clock_us = 0;  ///< When it was judged, by the monotonic clock of its run.
  std::string decision_id = {};
  /// What was sent, before anything was forced or compacted: principal, roles, method, target,
  /// arguments and the facts that policy may ask for.
  DescribedCall call = {};
  std::map<std::string, std::string> attributes = {};  ///< Of the principal.
  std::string trust = {};
  std::string session = {};  ///< What stands for a session; empty where there is none.
  KnownDefinition known = KnownDefinition::unknown;
  std::string definition = {};              ///< Its fingerprint, where it is listed.
  std::vector<GatheredFact> gathered = {};  ///< What the disk and name servers said of it.

  bool is_permitted = false;
  std::string check = {}, reason = {}, rule = {}, pointer = {};  ///< As records spell them.
  /// How long it waited for its turn at the limits; nothing where it took nothing from them.
  std::optional<std::int64_t> waited_us = {};
  std::int64_t took_us = 0;  ///< From its turn, or from its refusal, to its end.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// A capture, read.
struct Capture {
  /// The calls of one run of the gateway, in the order in which they were decided.
  struct Run {
    std::string id = {};
    std::int64_t time_ms = 0;   ///< When the first call of it was judged that is kept.
    std::int64_t clock_us = 0;  ///< When that call was judged, by the run's monotonic clock.
    std::vector<CapturedCall> calls = {};
  };
  std::vector<Run> runs = {};
  /// What servers list of tools, as JSON, by fingerprint.
  std::map<std::string, std::string, std::less<>> definitions = {};
  std::uint64_t missing = 0;  ///< Calls that could not be kept.
  std::uint64_t garbage = 0;  ///< Lines that are none: cut off, or changed by somebody.

  std::size_t size() const;
};

/// The line of a call, without its end.
std::string capture_line(const CapturedCall& call);
/// The line that says which tool a fingerprint stands for. Input: its entry, valid JSON.
std::string definition_line(std::string_view fingerprint, std::string_view entry);
/// The line that begins a file, or what one run of the gateway adds to it.
std::string run_line(std::string_view run, std::int64_t time_ms);
/// The line that stands where calls are missing.
std::string missing_line(std::uint64_t count, std::int64_t time_ms);

/// When the run began that a line says begins; nothing of another line, or of a time that is none.
std::optional<std::int64_t> read_run_time(std::string_view line);

/// Reads a capture line by line, the oldest file first.
class CaptureReader {
 public:
  /// Takes one line without its end. Whatever is no line of a capture is counted.
  void read(std::string_view line);
  /// Errors: config_invalid where there was no line of a capture at all, or one of a later form.
  Result<Capture> finish();

 private:
  Capture capture_ = {};
  std::map<std::string, std::size_t, std::less<>> runs_ = {};  ///< By their ids.
  std::size_t run_ = 0;
  bool is_of_later_form_ = false;
};

}  // namespace bartizan
