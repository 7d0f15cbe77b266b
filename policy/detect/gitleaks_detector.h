#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/detect/allowed_texts.h"
#include "policy/detect/detector.h"
#include "policy/detect/scan_text.h"
#include "schemas/base/result.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {

/// The allowlists of a gitleaks file, in its order. Rules share them.
using SharedAllowlists = std::vector<std::shared_ptr<const AllowedTexts>>;

/// A compiled rule of a gitleaks file. It searches one string of a message, or one text, as
/// gitleaks searches a file. Immutable.
class GitleaksDetector {
 public:
  /// Matches of up to so many bytes are found anywhere in a longer string.
  static constexpr std::size_t kMatchBytes = std::size_t{8} << 10;

  /// `bytes_max` bounds the memory of its pattern, including the states that RE2 adds while it
  /// matches.
  /// Errors: config_invalid, as when a configuration is loaded.
  static Result<GitleaksDetector> compile(const GitleaksRule& rule,
                                          const SharedAllowlists& allowlists, DetectorId id,
                                          std::size_t bytes_max);

  /// Only strings that contain one of these, in any case, must be searched. Empty: all strings.
  const std::vector<std::string>& triggers() const { return triggers_; }

  /// The least `bytes_max` that it needs, and the size of its program.
  std::size_t least_bytes() const { return regex_.memory; }
  std::size_t instructions() const { return regex_.instructions; }

  /// Searches the string that contains `place`, and reports the matches. NUL separates the strings
  /// of the text. `searched` is the end of the part that earlier places searched. Returns the new
  /// end.
  ///
  /// Cost: linear in the string. After each match 24 KiB may be read again, and after each of the
  ///       first 64 matches 256 KiB.
  std::size_t read(ScanText& text, std::size_t place, std::size_t searched) const;

 private:
  GitleaksDetector() = default;
  void read_string(ScanText& text, MatchRange string) const;
  void read_view(ScanText& text, MatchRange view) const;
  void judge(ScanText& text, MatchRange view, std::vector<MatchRange>& groups) const;
  bool is_allowed(std::string_view view, MatchRange match, MatchRange secret) const;

  DetectorId id_ = 0;
  CompiledPattern regex_;
  bool has_anchor_ = false;
  std::vector<std::string> triggers_;
  std::optional<CompiledPattern> keywords_;  ///< Empty if the triggers imply them.
  SharedAllowlists allowlists_;
  double entropy_ = 0;
  std::uint32_t secret_group_ = 0;
};

/// The entropy of a text in bits per character, as gitleaks computes it: characters of each kind
/// over the number of bytes.
/// Source: gitleaks, detect/utils.go, `shannonEntropy`.
double shannon_entropy(std::string_view text);

}  // namespace bartizan
