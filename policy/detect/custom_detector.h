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

/// A `[detector.NAME]`, compiled: what an operator wants found beside what is built in. Immutable.
class CustomDetector {
 public:
  /// A match ends so many bytes behind one of its literals, and begins so many before it; what is
  /// longer is found as far as that.
  static constexpr std::size_t kReach = 512;

  /// Errors: config_invalid, for what loading a configuration and `find_redaction_problems` refuse.
  static Result<CustomDetector> compile(const DetectorConfig& config, DetectorId id);

  /// Whatever it finds holds one of these, whatever its case.
  const std::vector<std::string>& literals() const { return literals_; }

  /// Reads around a literal at [begin, end) and reports what it finds. `searched` is how far an
  /// earlier one had it look; returns how far it has looked now.
  ///
  /// Cost: matches around literals that stand close together are looked for once for all of them;
  /// each may have what is left of that read again, at most 5 `kReach` bytes.
  std::size_t read(ScanText& text, MatchRange literal, std::size_t searched) const;

 private:
  /// Words that make one with white space between them: any spelling of each.
  struct Phrase {
    std::vector<std::vector<std::string>> words;
    std::size_t anchor = 0;  ///< The word that is searched for.
  };
  /// What a literal stands for, by its small letters.
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

/// The spelling of a word, in small or in capital letters, that is too short to be looked for: a
/// `ſ` of two bytes is an `S` of one. Nothing where all are long enough.
std::optional<std::string> short_spelling(const std::string& word);

}  // namespace bartizan
