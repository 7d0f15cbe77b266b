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
/// A longer value cannot come back, nor can what comes behind so much in one message: it is masked
/// where others become tokens.
inline constexpr std::size_t token_value_bytes_max = std::size_t{16} << 10;
inline constexpr std::size_t tokens_per_message_max = 1'000;
inline constexpr std::size_t token_bytes_per_message_max = std::size_t{128} << 10;
}  // namespace limits

/// What else than an action of a rule is said of what was found: an exception let it pass; a token
/// in arguments became its value again; a mark in arguments stands for nothing.
inline constexpr std::string_view kKept = "keep";
inline constexpr std::string_view kRestored = "restore";
inline constexpr std::string_view kUnknown = "unknown";

/// How often one thing was done for one detector.
struct Redacted {
  std::string detector = {};
  std::string_view action;  ///< As `[redact]` writes it, or one of the words above.
  std::uint32_t count = 0;
  std::string rule = {};  ///< Of what is withheld: the first rule that wants it.
};

/// `github.token mask 2`, as records have it.
std::string text(const Redacted& redacted);

/// Adds one to what was found before. Bounded by the detectors and actions that there are.
void add(std::vector<Redacted>& all, const Redacted& one);

/// What is to be changed of a message, and why.
struct Redaction {
  /// A part of a string in the message's bytes, and what stands in its place.
  struct Edit {
    ByteRange range;
    std::string replacement;  ///< Spelled alike in JSON and out of it.
  };
  /// What stands in the place of a value that its server gets back when it comes in an argument.
  struct Token {
    std::string text;
    std::string value;
  };
  std::vector<Edit> edits;         ///< In order, none within another.
  std::vector<Token> tokens;       ///< To be kept, before anybody sees them.
  std::vector<Redacted> redacted;  ///< Each detector and action once.
  bool is_withheld = false;        ///< Whatever the edits are.
  /// Nothing was found, and no word that orders have stands in the message: it is of plain text, in
  /// which no letter can be written in another way, and needs no search for orders.
  bool is_without_orders = false;

  /// Whether all that was found may pass as it is, or nothing was found.
  bool passes() const { return edits.empty() && !is_withheld; }
};

/// Appends `bytes` with the edits done. Every byte outside of them is kept as it is.
void append_redacted(std::string& out, std::string_view bytes,
                     const std::vector<Redaction::Edit>& edits);

/// Takes out of texts what rules do not let pass: looks at every string of a JSON value, names
/// included.
///
/// Left alone is what must come back as it went, or it means nothing: cursors, request states,
/// tokens of progress, ids of tasks; and media in base64, which no text is in. Arguments have none
/// of these. Of a message in which more is found than `StringScanner::kFoundMax`, nothing passes.
///
/// Lifetime: one worker's; its memory is used again.
/// Cost:     that of `StringScanner`; nothing else where nothing is found.
class Redactor {
 public:
  /// `seed` keys the hashes of `action = "hash"`.
  Redactor(std::shared_ptr<const ScanDatabase> database, const HashSeed& seed)
      : scanner_(database), database_(std::move(database)), seed_(seed) {}

  /// What is to be done with a message, of which `said` is what it says: a result, an error,
  /// parameters or arguments. All of the message is searched, members that nobody knows as well;
  /// pointers of exceptions lead into `said`. The edits are of the bytes that its document was read
  /// from.
  Redaction redact(const RedactionRules& rules, const RedactionScope& scope, JsonValue message,
                   JsonValue said);

  /// What is to be done with a text that is no JSON; the edits are of the text.
  Redaction redact(const RedactionRules& rules, const RedactionScope& scope, std::string_view text);

  /// Whether anything is found in a value at all, whatever rules say of it.
  bool finds_in(const RedactionRules& rules, JsonValue value);
  bool finds_in(const RedactionRules& rules, std::string_view text);

 private:
  /// What was found, and where: absent values of a text that is no JSON.
  struct Search {
    JsonValue message;
    JsonValue said;
    std::span<const FoundPart> found;
    std::vector<const RedactionRule*> rules;  ///< Of the scope.
  };
  /// Looks for what these rules are about from now on.
  void look_for(const RedactionRules& rules);
  Redaction decide(const RedactionRules& rules, const RedactionScope& scope,
                   const Search& search) const;

  StringScanner scanner_;
  std::shared_ptr<const ScanDatabase> database_;  ///< For rules that bring none.
  HashSeed seed_;
};

}  // namespace bartizan
