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

/// The allowlists of one file of gitleaks', in its order. Rules share them.
using SharedAllowlists = std::vector<std::shared_ptr<const AllowedTexts>>;

/// A rule of a file of gitleaks', compiled: what it finds in one string of a message, or in one
/// text, as gitleaks does in one file. Immutable.
class GitleaksDetector {
 public:
  /// Matches of up to so many bytes are found wherever they stand in a longer string.
  static constexpr std::size_t kMatchBytes = std::size_t{8} << 10;

  /// `bytes_max` is for its pattern with all that RE2 learns while it matches.
  /// Errors: config_invalid, for what loading a configuration refuses.
  static Result<GitleaksDetector> compile(const GitleaksRule& rule,
                                          const SharedAllowlists& allowlists, DetectorId id,
                                          std::size_t bytes_max);

  /// Only a string that holds one of these, whatever its case, has to be read; empty: every one.
  const std::vector<std::string>& triggers() const { return triggers_; }

  /// What it needs at least of `bytes_max`, and how large its program is.
  std::size_t least_bytes() const { return regex_.memory; }
  std::size_t instructions() const { return regex_.instructions; }

  /// Reads the string that goes through `place` of a text in which NUL parts strings, and reports
  /// what it finds. `searched` is how far an earlier place had it look; returns how far it has
  /// looked now.
  ///
  /// Cost: linear in the string; each match may have 24 KiB behind it read again, and of the first
  /// 64 matches 256 KiB.
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
  std::optional<CompiledPattern> keywords_;  ///< Nothing where its triggers tell of them.
  SharedAllowlists allowlists_;
  double entropy_ = 0;
  std::uint32_t secret_group_ = 0;
};

/// Bits for each character of a text, as gitleaks reckons them: the number of characters of each
/// kind against the number of bytes. Source: gitleaks, detect/utils.go, `shannonEntropy`.
double shannon_entropy(std::string_view text);

}  // namespace bartizan
