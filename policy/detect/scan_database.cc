#include "policy/detect/scan_database.h"

#include <hs/hs.h>

#include <algorithm>
#include <map>
#include <utility>

#include "policy/detect/detector_id.h"
#include "policy/detect/detector_set.h"
#include "policy/detect/named_secrets.h"
#include "policy/detect/secret_readers.h"
#include "policy/detect/token_formats.h"
#include "policy/injection/injection_phrases.h"
#include "policy/text/long_runs.h"
#include "schemas/base/ascii.h"
#include "schemas/base/required_literals.h"

namespace bartizan {

void ScanDatabase::Freed::operator()(hs_database* database) const {
  hs_free_database(database);
}

std::size_t ScanDatabase::bytes() const {
  std::size_t size = 0;
  hs_database_size(literals_.get(), &size);
  return size;
}

namespace {

std::string lower(std::string_view text) {
  std::string folded(text);
  std::ranges::transform(folded, folded.begin(), lower_case);
  return folded;
}

struct ReaderLiteral {
  std::string_view bytes;
  Reader reader;
};

/// The first base64 characters of `{"`, and of `{` with white space, combined with the first bytes
/// of header names.
constexpr ReaderLiteral kExact[] = {
    {"eyJh", Reader::json_token},         {"eyJ0", Reader::json_token},
    {"eyJr", Reader::json_token},         {"eyJ4", Reader::json_token},
    {"eyJj", Reader::json_token},         {"eyJl", Reader::json_token},
    {"eyJq", Reader::json_token},         {"eyJi", Reader::json_token},
    {"eyJ6", Reader::json_token},         {"eyJu", Reader::json_token},
    {"eyJw", Reader::json_token},         {"eyAi", Reader::json_token},
    {"ewog", Reader::json_token},         {"ewoJ", Reader::json_token},
    {"ew0K", Reader::json_token},         {"-----BEGIN ", Reader::private_key},
    {"---- BEGIN ", Reader::private_key}, {"Private-Lines: ", Reader::private_key},
};

constexpr ReaderLiteral kFolded[] = {
    {"X-Amz-Signature=", Reader::signature},
    {"X-Amz-Credential=", Reader::signature},
    {"X-Amz-Security-Token=", Reader::signature},
    {"X-Goog-Signature=", Reader::signature},
    {"X-Goog-Credential=", Reader::signature},
    {"Signature=", Reader::signature},
    {"AWSAccessKeyId=", Reader::signature},
    {"OSSAccessKeyId=", Reader::signature},
    {"Policy=", Reader::signature},
    {"sig=", Reader::signature},
    {"q-signature=", Reader::signature},
    {"authorization", Reader::authorization},
    {"bearer ", Reader::bearer},
    {"basic ", Reader::bearer},
    {"cookie:", Reader::cookie},
    {"cookie\"", Reader::cookie},
    {"cookie'", Reader::cookie},
    {"cookie\\\"", Reader::cookie},
    {"curl", Reader::command},
    {"mysql", Reader::command},
    {"mariadb", Reader::command},
    {"sshpass", Reader::command},
    {"redis-cli", Reader::command},
    {"ldapsearch", Reader::command},
    {"ldapadd", Reader::command},
    {"ldapmodify", Reader::command},
    {"ldapdelete", Reader::command},
    {"ldapcompare", Reader::command},
    {"ldapwhoami", Reader::command},
    {"ldappasswd", Reader::command},
    {":5432:", Reader::password_line},
    {"chpasswd", Reader::piped},
};

}  // namespace

/// Collects literals and their uses, and compiles them.
class DatabaseBuilder {
 public:
  explicit DatabaseBuilder(const Config& config) : config_(config) {}

  Result<std::shared_ptr<const ScanDatabase>> build() {
    for (const Alphabet* alphabet : kReaderAlphabets)
      database_->alphabets_.index_of(alphabet->set);
    for (const TokenFormat& format : token_formats()) {
      const auto added = add_format(format);
      if (!added) return std::unexpected(added.error());
    }
    for (const TokenFormat& format : run_formats()) {
      const auto added = add_run_format(format);
      if (!added) return std::unexpected(added.error());
    }
    for (const NamedSecret& secret : named_secrets()) {
      auto pattern = read_token_pattern(secret.pattern, database_->alphabets_);
      if (!pattern) return std::unexpected(pattern.error());
      database_->named_patterns_.push_back(*std::move(pattern));
      database_->named_detectors_.push_back(detector_id(secret.detector));
    }
    add_readers();
    const auto added = add_own();
    if (!added) return std::unexpected(added.error());
    note_wanted();
    return compile();
  }

 private:
  struct Literal {
    std::string bytes;
    bool is_folded;
    auto operator<=>(const Literal&) const = default;
  };

  std::size_t add_pattern(const TokenFormat& format, TokenPattern pattern) {
    const std::size_t index = database_->patterns_.size();
    database_->patterns_.push_back(std::move(pattern));
    database_->pattern_detectors_.push_back(detector_id(format.detector));
    database_->pattern_looks_.push_back(format.look);
    return index;
  }

  static std::unexpected<Error> bad(const TokenFormat& format, std::string_view what) {
    return fail(ErrorCode::config_invalid, Fault::gateway,
                "the token pattern \"" + std::string(format.pattern) + "\" " + std::string(what));
  }

  Result<void> add_format(const TokenFormat& format) {
    auto pattern = read_token_pattern(format.pattern, database_->alphabets_);
    if (!pattern) return std::unexpected(pattern.error());
    const std::string anchor = pattern->parts[pattern->anchor].literal;
    LiteralUse use{.reader = Reader::token,
                   .index = static_cast<std::uint16_t>(database_->patterns_.size()),
                   .length = anchor.size()};
    const bool is_added = anchor.size() >= kLiteralBytesMin
                              ? add_literal({.bytes = anchor, .is_folded = false}, use)
                              : add_between(*pattern, use);
    if (!is_added) return bad(format, "has a short literal");
    add_pattern(format, *std::move(pattern));
    return {};
  }

  bool add_literal(Literal literal, const LiteralUse& use) {
    literals_[std::move(literal)].push_back(use);
    return true;
  }

  /// Extends a literal that is too short by each byte that may precede and follow it. If both sides
  /// may have letters of either case, the literal ignores case. This halves the number of literals.
  bool add_between(const TokenPattern& pattern, LiteralUse use) {
    const std::string& anchor = pattern.parts[pattern.anchor].literal;
    const auto set_of = [&](std::size_t part) -> const ByteSet* {
      const bool is_there = part < pattern.parts.size() && pattern.parts[part].literal.empty() &&
                            pattern.parts[part].least > 0;
      return is_there ? &database_->alphabets_[pattern.parts[part].alphabet].set : nullptr;
    };
    const ByteSet* behind = set_of(pattern.anchor + 1);
    const bool is_enough = behind != nullptr && anchor.size() + 1 >= kLiteralBytesMin;
    const ByteSet* before = pattern.anchor == 0 || is_enough ? nullptr : set_of(pattern.anchor - 1);
    const bool is_folded = behind != nullptr && behind->holds('a') && behind->holds('A');
    std::vector<std::string> all{anchor};
    if (behind != nullptr) use.behind = kLiteralBytesMin - anchor.size();
    if (behind != nullptr && before != nullptr) use.behind = 1;
    if (behind != nullptr && pattern.parts[pattern.anchor + 1].least < use.behind) return false;
    for (std::size_t i = 0; i < use.behind; ++i)
      all = with_each(all, Side::behind, bytes_of(*behind, is_folded));
    if (before != nullptr) all = with_each(all, Side::before, bytes_of(*before, is_folded));
    if (all.front().size() < kLiteralBytesMin) return false;
    for (const std::string& one : all)
      add_literal({.bytes = is_folded ? lower(one) : one, .is_folded = is_folded}, use);
    return true;
  }

  enum class Side : std::uint8_t { before, behind };
  /// Each literal with each byte on that side.
  static std::vector<std::string> with_each(const std::vector<std::string>& all, Side side,
                                            std::string_view bytes) {
    std::vector<std::string> longer;
    for (const char byte : bytes) {
      for (const std::string& one : all)
        longer.push_back(side == Side::before ? byte + one : one + byte);
    }
    return longer;
  }
  static std::string bytes_of(const ByteSet& set, bool is_folded) {
    std::string bytes;
    for (char byte = 1; byte != 127; ++byte) {
      const bool is_twin = is_folded && is_upper(byte) && set.holds(lower_case(byte));
      if (set.holds(byte) && !is_twin) bytes += byte;
    }
    return bytes;
  }

  /// It is read from the start of its run.
  Result<void> add_run_format(const TokenFormat& format) {
    auto pattern = read_token_pattern(format.pattern, database_->alphabets_);
    if (!pattern) return std::unexpected(pattern.error());
    const auto is_of_run = [&](const PatternPart& part) {
      return part.literal.empty() ? !database_->alphabets_[part.alphabet].set.holds('.')
                                  : std::ranges::all_of(part.literal, is_base64_digit);
    };
    std::size_t length = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < pattern->parts.size() && length < LongRuns::kLengthMin; ++i) {
      const PatternPart& part = pattern->parts[i];
      if (!is_of_run(part)) {
        length = 0;
        first = i + 1;
        continue;
      }
      length += part.literal.empty() ? part.least : part.literal.size();
    }
    if (length < LongRuns::kLengthMin) return bad(format, "has no long run");
    pattern->anchor = first;
    const PatternPart& part = pattern->parts[first];
    const bool is_literal = !part.literal.empty();
    const ByteSet begins =
        is_literal ? ByteSet(part.literal.substr(0, 1)) : database_->alphabets_[part.alphabet].set;
    const auto index = static_cast<std::uint16_t>(add_pattern(format, *std::move(pattern)));
    auto& [at_begin, within] = database_->run_patterns_;
    for (std::size_t byte = 1; byte < at_begin.size(); ++byte) {
      if (!begins.holds(static_cast<char>(byte))) continue;
      at_begin[byte].push_back(index);
      if (is_literal) within[byte].push_back(index);
    }
    return {};
  }

  void add_readers() {
    for (const ReaderLiteral& literal : kExact)
      add({.bytes = std::string(literal.bytes), .is_folded = false}, literal.reader);
    for (const ReaderLiteral& literal : kFolded)
      add({.bytes = lower(literal.bytes), .is_folded = true}, literal.reader);
    for (const std::string_view word : secret_words())
      add({.bytes = lower(word), .is_folded = true}, Reader::assignment);
    // A scheme ends with a letter or a digit.
    for (const char last : std::string_view("abcdefghijklmnopqrstuvwxyz0123456789"))
      literals_[{.bytes = std::string(1, last) + "://", .is_folded = true}].push_back(
          {.reader = Reader::url, .index = 0, .length = 3});
    for (const auto words : {injection_triggers(), injection_sign_parts()}) {
      for (const std::string_view word : words) {
        if (is_ascii(word)) add({.bytes = lower(word), .is_folded = true}, Reader::order);
      }
    }
  }

  Result<void> add_own() {
    std::vector<Rule> rules;
    std::size_t next = 0;
    for (const auto& [name, detector] : config_.detectors) {
      if (detector.rules.empty()) {
        if (auto added = add_own(detector, own_detector_id(next++)); !added) return added;
        continue;
      }
      SharedAllowlists allowlists;
      for (const GitleaksAllowlist& allowlist : detector.allowlists) {
        auto compiled = AllowedTexts::compile(allowlist);
        if (!compiled) return std::unexpected(compiled.error());
        allowlists.push_back(std::make_shared<const AllowedTexts>(*std::move(compiled)));
      }
      for (const GitleaksRule& rule : detector.rules)
        rules.push_back({.rule = rule, .allowlists = allowlists, .id = own_detector_id(next++)});
    }
    return add_rules(rules);
  }

  Result<void> add_own(const DetectorConfig& detector, DetectorId id) {
    auto own = CustomDetector::compile(detector, id);
    if (!own) return std::unexpected(own.error());
    const LiteralUse use{.reader = Reader::own,
                         .index = static_cast<std::uint16_t>(database_->own_.size())};
    add_literals(own->literals(), use);
    database_->own_.push_back(*std::move(own));
    return {};
  }

  void add_literals(const std::vector<std::string>& literals, LiteralUse use) {
    for (const std::string& literal : literals) {
      use.length = literal.size();
      literals_[{.bytes = lower(literal), .is_folded = true}].push_back(use);
    }
  }

  struct Rule {
    const GitleaksRule& rule;
    SharedAllowlists allowlists;
    DetectorId id;
  };

  /// Compiles the rules twice. The memory for RE2 is divided in proportion to the size of their
  /// programs.
  Result<void> add_rules(const std::vector<Rule>& rules) {
    std::size_t least = 0;
    std::size_t instructions = 0;
    for (const Rule& rule : rules) {
      auto compiled = compile(rule, kGitleaksPatternBytesMax);
      if (!compiled) return std::unexpected(compiled.error());
      least += compiled->least_bytes();
      instructions += compiled->instructions();
      database_->rules_.push_back(*std::move(compiled));
    }
    const std::size_t left = kGitleaksBytesMax - std::min(least, kGitleaksBytesMax);
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const std::size_t share = database_->rules_[i].least_bytes() +
                                left / instructions * database_->rules_[i].instructions();
      auto compiled = compile(rules[i], std::min(share, kGitleaksPatternBytesMax));
      if (!compiled) return std::unexpected(compiled.error());
      add_literals(compiled->triggers(),
                   {.reader = Reader::rule, .index = static_cast<std::uint16_t>(i)});
      if (compiled->triggers().empty()) database_->untriggered_rules_.push_back(i);
      database_->rules_[i] = *std::move(compiled);
    }
    return {};
  }

  static Result<GitleaksDetector> compile(const Rule& rule, std::size_t bytes_max) {
    return GitleaksDetector::compile(rule.rule, rule.allowlists, rule.id, bytes_max);
  }

  void note_wanted() {
    const DetectorSet all(config_);
    database_->wanted_.assign(all.size(), 0);
    for (const auto& [name, rule] : config_.redactions) {
      const std::vector<char> selected = all.select(rule.detectors);
      for (std::size_t id = 0; id < selected.size(); ++id)
        database_->wanted_[id] |= selected[id];
    }
    for (const DetectorId id : select_detectors("pii"))
      database_->wants_personal_data_ |= database_->wanted_[id] != 0;
  }

  void add(Literal literal, Reader reader) {
    const LiteralUse use{.reader = reader, .index = 0, .length = literal.bytes.size()};
    literals_[std::move(literal)].push_back(use);
  }

  Result<std::shared_ptr<const ScanDatabase>> compile() {
    if (hs_valid_platform() != HS_SUCCESS) {
      return fail(ErrorCode::config_invalid, Fault::server,
                  "this processor lacks SSSE3, which the search for secrets needs");
    }
    std::vector<const char*> expressions;
    std::vector<unsigned> flags;
    std::vector<unsigned> ids;
    std::vector<std::size_t> lengths;
    for (auto& [literal, uses] : literals_) {
      expressions.push_back(literal.bytes.c_str());
      flags.push_back(literal.is_folded ? HS_FLAG_CASELESS : 0U);
      ids.push_back(static_cast<unsigned>(ids.size()));
      lengths.push_back(literal.bytes.size());
      database_->uses_.push_back(std::move(uses));
    }
    hs_database_t* compiled = nullptr;
    hs_compile_error_t* error = nullptr;
    const hs_error_t result = hs_compile_lit_multi(
        expressions.data(), flags.data(), ids.data(), lengths.data(),
        static_cast<unsigned>(ids.size()), HS_MODE_BLOCK, nullptr, &compiled, &error);
    if (result != HS_SUCCESS) {
      const std::string detail = error != nullptr ? error->message : "out of memory";
      hs_free_compile_error(error);
      return fail(ErrorCode::config_invalid, Fault::gateway,
                  "the literals of detectors do not compile: " + detail);
    }
    database_->literals_.reset(compiled);
    return database_;
  }

  const Config& config_;
  std::shared_ptr<ScanDatabase> database_ = std::make_shared<ScanDatabase>();
  std::map<Literal, std::vector<LiteralUse>> literals_;
};

Result<std::shared_ptr<const ScanDatabase>> compile_scan_database(const Config& config) {
  return DatabaseBuilder(config).build();
}

Result<std::shared_ptr<const ScanDatabase>> compile_scan_database() {
  return compile_scan_database(Config{});
}

}  // namespace bartizan
