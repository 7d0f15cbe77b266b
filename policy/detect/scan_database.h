#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/detect/custom_detector.h"
#include "policy/detect/detector.h"
#include "policy/detect/gitleaks_detector.h"
#include "policy/detect/token_formats.h"
#include "policy/detect/token_pattern.h"
#include "schemas/base/result.h"

struct hs_database;

namespace bartizan {

/// The reader that is called at a literal.
enum class Reader : std::uint8_t {
  token,          ///< `index` is that of a pattern.
  json_token,     ///< A JWT.
  private_key,    ///< The first line of a PEM block, or of a PuTTY key.
  url,            ///< The `://` of a URL: the text before its host.
  signature,      ///< A signing parameter of a URL.
  authorization,  ///< The name of the header.
  bearer,         ///< The scheme alone, as in logs and commands.
  cookie,         ///< The name of the header, `Cookie` or `Set-Cookie`.
  command,        ///< The name of a program with a password option.
  assignment,     ///< A word of the names of secrets.
  password_line,  ///< The port in a line of a PostgreSQL password file.
  piped,          ///< The name of a program that reads users and passwords.
  own,            ///< `index` is that of a detector of the configuration.
  rule,           ///< `index` is that of a rule of gitleaks.
  order,          ///< A word of orders: it is counted, and no reader is called.
};

/// An action for a literal.
struct LiteralUse {
  Reader reader;
  std::uint16_t index = 0;  ///< Its meaning depends on the reader.
  std::size_t length = 0;   ///< The bytes of the literal that the reader gets.
  std::size_t behind = 0;   ///< The bytes of the literal after those.
};

/// The compiled form of everything that a scan looks for: one Hyperscan block database of literals
/// only, and the readers for each literal. It includes the rare ASCII words of the injection
/// screen, so most messages need no separate search for them. Every literal has at least 4 bytes.
/// Without that rule, three patterns cost nine tenths of a scan.
///
/// Threads: immutable; all workers share one.
/// Cost:    half a megabyte.
class ScanDatabase {
 public:
  ScanDatabase() = default;
  ScanDatabase(const ScanDatabase&) = delete;
  ScanDatabase& operator=(const ScanDatabase&) = delete;

  const hs_database* literals() const { return literals_.get(); }
  /// The actions for a literal, by its number in the database.
  const std::vector<LiteralUse>& uses(std::size_t literal) const { return uses_[literal]; }
  std::size_t literal_count() const { return uses_.size(); }
  const std::vector<TokenPattern>& patterns() const { return patterns_; }
  DetectorId pattern_detector(std::size_t index) const { return pattern_detectors_[index]; }
  TokenLook pattern_look(std::size_t index) const { return pattern_looks_[index]; }
  /// Where a token may begin in a long run: at the start of the run or of a path segment in it; or
  /// after another word, for tokens with a prefix of their provider.
  enum class RunPlace : std::uint8_t { begin, within };
  /// The patterns that are tried there if the next byte is `first`.
  const std::vector<std::uint16_t>& run_patterns(RunPlace place, char first) const {
    return run_patterns_[static_cast<std::size_t>(place)][static_cast<unsigned char>(first)];
  }
  /// The patterns of `named_secrets`, in that order.
  const std::vector<TokenPattern>& named_patterns() const { return named_patterns_; }
  DetectorId named_detector(std::size_t index) const { return named_detectors_[index]; }
  const Alphabets& alphabets() const { return alphabets_; }
  /// The detectors of the configuration, sorted by name.
  const std::vector<CustomDetector>& own() const { return own_; }
  /// The rules of gitleaks, sorted by detector name and then by file order.
  const std::vector<GitleaksDetector>& rules() const { return rules_; }
  /// The indexes of the rules that must search every string.
  const std::vector<std::size_t>& untriggered_rules() const { return untriggered_rules_; }
  /// For each `DetectorId`, whether a rule needs it. Secrets are reported even if no rule needs
  /// them.
  const std::vector<char>& wanted() const { return wanted_; }
  bool wants_personal_data() const { return wants_personal_data_; }
  /// Bytes of the compiled literals.
  std::size_t bytes() const;

 private:
  friend class DatabaseBuilder;
  struct Freed {
    void operator()(hs_database* database) const;
  };
  std::unique_ptr<hs_database, Freed> literals_;
  std::vector<std::vector<LiteralUse>> uses_;
  std::vector<TokenPattern> patterns_;
  std::vector<DetectorId> pattern_detectors_;
  std::vector<TokenLook> pattern_looks_;
  std::array<std::array<std::vector<std::uint16_t>, 256>, 2> run_patterns_;
  std::vector<TokenPattern> named_patterns_;
  std::vector<DetectorId> named_detectors_;
  Alphabets alphabets_;
  std::vector<CustomDetector> own_;
  std::vector<GitleaksDetector> rules_;
  std::vector<std::size_t> untriggered_rules_;
  std::vector<char> wanted_;
  bool wants_personal_data_ = false;
};

/// Compiles the detectors of a configuration: secrets, its own detectors, and the personal data
/// that its rules name. Called once for each loaded configuration.
///
/// Errors: server fault if the processor is too old for Hyperscan (no SSSE3); gateway fault for an
///         error in the built-in tables.
/// Cost:   tens of milliseconds.
Result<std::shared_ptr<const ScanDatabase>> compile_scan_database(const Config& config);

/// Compiles the default detectors: secrets only.
///
/// Errors: server fault if the processor is too old for Hyperscan (no SSSE3); gateway fault for an
///         error in the built-in tables.
/// Cost:   tens of milliseconds.
Result<std::shared_ptr<const ScanDatabase>> compile_scan_database();

}  // namespace bartizan
