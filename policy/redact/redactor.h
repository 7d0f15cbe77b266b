#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/detect/string_scanner.h"
#include "policy/redact/redaction_rules.h"
#include "policy/text/keyed_hash.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

namespace limits {
/// Values beyond these limits are masked instead of tokenised: longer ones, and those after so many
/// in one message.
inline constexpr std::size_t token_value_bytes_max = std::size_t{16} << 10;
inline constexpr std::size_t tokens_per_message_max = 1'000;
inline constexpr std::size_t token_bytes_per_message_max = std::size_t{128} << 10;
}  // namespace limits

/// Actions in records in addition to those of rules. An exception kept the match; a token in
/// arguments was restored; a mark in arguments is unknown.
inline constexpr std::string_view kKept = "keep";
inline constexpr std::string_view kRestored = "restore";
inline constexpr std::string_view kUnknown = "unknown";

/// How often an action was done for a detector.
struct Redacted {
  std::string detector = {};
  std::string_view action;  ///< As in `[redact]`, or one of the three above.
  std::uint32_t count = 0;
  std::string rule = {};  ///< Of a withheld message: the first rule that withholds it.
};

/// `github.token mask 2`, as in records.
std::string text(const Redacted& redacted);

/// Adds an entry to earlier ones. Bounded by the number of detectors and actions.
void add(std::vector<Redacted>& all, const Redacted& one);

/// The changes to a message and their reasons.
struct Redaction {
  /// A part of a string in the message's bytes, and its replacement.
  struct Edit {
    ByteRange range;
    std::string replacement;  ///< Needs no JSON escapes.
  };
  /// A replacement that is restored if it comes back in an argument for the same server.
  struct Token {
    std::string text;
    std::string value;
  };
  std::vector<Edit> edits;         ///< In order, without overlaps.
  std::vector<Token> tokens;       ///< To be stored before the message is sent.
  std::vector<Redacted> redacted;  ///< Each pair of detector and action once.
  bool is_withheld = false;        ///< Independent of the edits.
  /// Nothing was found, and the message has no order word. It is plain text, in which no letter can
  /// be spelled in another way. So it needs no search for orders.
  bool is_without_orders = false;

  /// Whether the message may pass unchanged.
  bool passes() const { return edits.empty() && !is_withheld; }
};

/// Appends `bytes` with the edits applied. All other bytes stay unchanged.
void append_redacted(std::string& out, std::string_view bytes,
                     const std::vector<Redaction::Edit>& edits);

/// Redacts texts by the rules. It examines every string of a JSON value, names included.
///
/// Values that must come back unchanged are skipped: cursors, request states, progress tokens, ids
/// of tasks. Media in base64 are skipped too, as they contain no text. Arguments have none of
/// these. A message with more than `StringScanner::kFoundMax` matches is withheld.
///
/// Lifetime: of one worker; its memory is reused.
/// Cost:     that of `StringScanner`, and nothing else if nothing is found.
class Redactor {
 public:
  /// `seed` is the key of the hashes of `action = "hash"`.
  Redactor(std::shared_ptr<const ScanDatabase> database, const HashSeed& seed)
      : scanner_(database), database_(std::move(database)), seed_(seed) {}

  /// Decides about a message. `said` is its content: a result, an error, parameters or arguments.
  /// The whole message is searched, unknown members included. `said` is the root of the pointers in
  /// exceptions. The edits refer to the bytes from which the message's document was parsed.
  Redaction redact(const RedactionRules& rules, const RedactionScope& scope, JsonValue message,
                   JsonValue said);

  /// Decides about a text that is not JSON. The edits refer to the text.
  Redaction redact(const RedactionRules& rules, const RedactionScope& scope, std::string_view text);

  /// Whether the detectors find anything in a value, whatever the rules are.
  bool finds_in(const RedactionRules& rules, JsonValue value);
  bool finds_in(const RedactionRules& rules, std::string_view text);

 private:
  /// The matches in a message. The values are absent for a text that is not JSON.
  struct Search {
    JsonValue message;
    JsonValue said;
    std::span<const FoundPart> found;
    std::vector<const RedactionRule*> rules;  ///< The rules for the scope.
  };
  /// Uses the detectors of these rules from now on.
  void look_for(const RedactionRules& rules);
  Redaction decide(const RedactionRules& rules, const RedactionScope& scope,
                   const Search& search) const;

  StringScanner scanner_;
  std::shared_ptr<const ScanDatabase> database_;  ///< For rules without their own.
  HashSeed seed_;
};

}  // namespace bartizan
