#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/detect/detector.h"
#include "policy/detect/scan_text.h"
#include "schemas/base/result.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {

/// A compiled `[detector.NAME]`: a detector of the operator's, in addition to the built-in ones.
/// Immutable.
class CustomDetector {
 public:
  /// The bytes of a match before and after its literal, at most. Longer matches are cut there.
  static constexpr std::size_t kReach = 512;

  /// Errors: config_invalid, as when a configuration is loaded, and for what
  ///         `find_redaction_problems` refuses.
  static Result<CustomDetector> compile(const DetectorConfig& config, DetectorId id);

  /// Every match contains one of these literals, in any case.
  const std::vector<std::string>& literals() const { return literals_; }

  /// Searches around a literal at [begin, end) and reports the matches. `searched` is the end of
  /// the part that earlier literals searched. Returns the new end.
  ///
  /// Cost: one search for literals that are close together. After each match the rest may be read
  ///       again, at most 5 `kReach` bytes.
  std::size_t read(ScanText& text, MatchRange literal, std::size_t searched) const;

 private:
  /// Words with white space between them. Each has several spellings.
  struct Phrase {
    std::vector<std::vector<std::string>> words;
    std::size_t anchor = 0;  ///< The word that is searched for.
  };
  /// The words and phrases of a literal in lower case.
  struct Meaning {
    bool is_word = false;
    std::vector<std::size_t> phrases;
  };

  CustomDetector() = default;
  void add_word(const std::string& word);
  void add_literals(const std::vector<std::string>& spellings, std::optional<std::size_t> phrase);
  bool has_many_phrases(const std::vector<std::string>& spellings) const;
  void read_words(ScanText& text, MatchRange literal) const;

  DetectorId id_ = 0;
  std::vector<std::string> literals_;
  std::optional<CompiledPattern> pattern_;  ///< Nothing for words.
  std::vector<Phrase> phrases_;
  std::map<std::string, Meaning, std::less<>> meanings_;
};

/// A spelling of the word, in lower or upper case, that is too short to search for. For example, a
/// `ſ` of two bytes is an `S` of one byte. Nothing if all spellings are long enough.
std::optional<std::string> short_spelling(const std::string& word);

}  // namespace bartizan
