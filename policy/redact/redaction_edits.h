#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "policy/redact/redaction_span.h"
#include "policy/redact/redactor.h"
#include "schemas/json/json.h"
#include "schemas/json/string_range.h"

namespace bartizan {

/// What writes edits: what stands in the place of each part.
///
/// Lifetime: views all that it is given.
class RedactionEdits {
 public:
  /// Input: edits are of the bytes that `message` was read from, or of a text where that is absent;
  /// tokens are made for whom the scope names, or not where they could not come back.
  RedactionEdits(const HashSeed& seed, const DetectorSet& detectors, JsonValue message,
                 const RedactionScope& scope);

  /// Spans come by where they stand.
  void add(const RedactionSpan& span);

  /// With edits and tokens.
  Redaction take() && { return std::move(redaction_); }

 private:
  std::string replacement(const RedactionSpan& span);
  bool has_room_for(std::string_view value) const;
  std::string token(DetectorId detector, std::string_view value);

  const HashSeed& seed_;
  const DetectorSet& detectors_;
  std::string_view bytes_;
  std::size_t bytes_begin_;
  std::string owner_;  ///< Whose tokens come back, and to which server; empty where none would.
  Redaction redaction_;
  std::set<std::string> tokens_;  ///< That are among those of the redaction.
  std::size_t token_bytes_ = 0;   ///< Of their values.
  std::optional<StringRanges> ranges_;
  std::optional<std::size_t> last_;  ///< Where the last string begins.
  std::size_t quoted_begin_ = 0;
};

}  // namespace bartizan
