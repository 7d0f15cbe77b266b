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

/// Who reads on from a literal.
enum class Reader : std::uint8_t {
  token,          ///< `index` is that of a pattern.
  json_token,     ///< A JWT.
  private_key,    ///< The first line of a PEM block, or of a PuTTY key.
  url,            ///< The `://` of a URL: what stands before its host.
  signature,      ///< A signing parameter of a URL.
  authorization,  ///< The name of the header.
  bearer,         ///< The scheme alone, as logs and commands have it.
  cookie,         ///< The name of the header, either way.
  command,        ///< The name of a program that takes a password.
  assignment,     ///< A word that names of secrets are made of.
  password_line,  ///< The port in a line of a password file of PostgreSQL.
  piped,          ///< The name of a program that reads users and passwords.
  own,            ///< `index` is that of a detector of the configuration.
  rule,           ///< `index` is that of a rule of gitleaks.
  order,          ///< A word that orders have: nobody reads on, it is counted.
};

/// One thing to do where a literal was found.
struct LiteralUse {
  Reader reader;
  std::uint16_t index = 0;  ///< What it means is the reader's.
  std::size_t length = 0;   ///< Of the literal's bytes that the reader begins with …
  std::size_t behind = 0;   ///< … and of those that follow these, which it reads itself.
};

/// Everything that a scan looks for, compiled: one Hyperscan block database over literals only, and
/// what is to be read around each of them. The rare words of the injection screen are among them,
/// as far as they are ASCII, so that most messages need no search of their own for them. Every
/// literal has at least 4 bytes; without that rule three patterns cost nine tenths of a scan.
///
/// Threads: immutable; share one among all workers. Cost: half a megabyte.
class ScanDatabase {
 public:
  ScanDatabase() = default;
  ScanDatabase(const ScanDatabase&) = delete;
  ScanDatabase& operator=(const ScanDatabase&) = delete;

  const hs_database* literals() const { return literals_.get(); }
  /// What is to be done with a literal, by its number in the database.
  const std::vector<LiteralUse>& uses(std::size_t literal) const { return uses_[literal]; }
  std::size_t literal_count() const { return uses_.size(); }
  const std::vector<TokenPattern>& patterns() const { return patterns_; }
  DetectorId pattern_detector(std::size_t index) const { return pattern_detectors_[index]; }
  TokenLook pattern_look(std::size_t index) const { return pattern_looks_[index]; }
  /// Where in a long run a token may begin: where the run does, or a part of a path in it; or
  /// behind another word, for those whose first bytes are their provider's.
  enum class RunPlace : std::uint8_t { begin, within };
  /// Of these, those that are looked for there in front of a byte.
  const std::vector<std::uint16_t>& run_patterns(RunPlace place, char first) const {
    return run_patterns_[static_cast<std::size_t>(place)][static_cast<unsigned char>(first)];
  }
  /// Secrets that are known by their names, in the order of `named_secrets`.
  const std::vector<TokenPattern>& named_patterns() const { return named_patterns_; }
  DetectorId named_detector(std::size_t index) const { return named_detectors_[index]; }
  const Alphabets& alphabets() const { return alphabets_; }
  /// The configuration's own detectors, in the order of their names.
  const std::vector<CustomDetector>& own() const { return own_; }
  /// The rules of gitleaks, in the order of the names of their detectors, then of their files.
  const std::vector<GitleaksDetector>& rules() const { return rules_; }
  /// Those of them, by index, that every string has to be read for.
  const std::vector<std::size_t>& untriggered_rules() const { return untriggered_rules_; }
  /// By `DetectorId`, whether a rule asks for it. Secrets are looked for in any case, and reported
  /// to whoever asks for none.
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

/// Compiles what the detectors of a configuration look for: secrets, what it defines itself, and of
/// personal data what its rules name. Whoever loads a configuration calls it once and keeps it.
///
/// Errors: server fault where this processor is older than Hyperscan supports (SSSE3), and a
/// gateway fault for a mistake in our own tables. Cost: tens of milliseconds.
Result<std::shared_ptr<const ScanDatabase>> compile_scan_database(const Config& config);

/// Compiles what is looked for where a configuration says nothing of it: secrets alone.
///
/// Errors: server fault where this processor is older than Hyperscan supports (SSSE3), and a
/// gateway fault for a mistake in our own tables. Cost: tens of milliseconds.
Result<std::shared_ptr<const ScanDatabase>> compile_scan_database();

}  // namespace bartizan
