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

/// Makes the edits of a message: the replacement of each redacted part.
///
/// Lifetime: refers to all its inputs.
class RedactionEdits {
 public:
  /// Input: `message`, whose bytes are edited. If it is absent, the text is edited. `scope` names
  ///        the owner of tokens. Without a caller and a server, no tokens are made.
  RedactionEdits(const HashSeed& seed, const DetectorSet& detectors, JsonValue message,
                 const RedactionScope& scope);

  /// Spans are added in the order of the text.
  void add(const RedactionSpan& span);

  /// The edits and tokens so far.
  Redaction take() && { return std::move(redaction_); }

 private:
  std::string replacement(const RedactionSpan& span);
  bool has_room_for(std::string_view value) const;
  std::string token(DetectorId detector, std::string_view value);

  const HashSeed& seed_;
  const DetectorSet& detectors_;
  std::string_view bytes_;
  std::size_t bytes_begin_;
  std::string owner_;  ///< Server and caller of the tokens; empty if there can be none.
  Redaction redaction_;
  std::set<std::string> tokens_;  ///< The tokens in the redaction.
  std::size_t token_bytes_ = 0;   ///< Of the values of those tokens.
  std::optional<StringRanges> ranges_;
  std::optional<std::size_t> last_;  ///< The offset of the last string.
  std::size_t quoted_begin_ = 0;
};

}  // namespace bartizan
