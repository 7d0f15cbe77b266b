#include "policy/scan_database.h"

#include <hs/hs.h>

#include <algorithm>
#include <map>
#include <utility>

#include "policy/detector_id.h"
#include "policy/detector_set.h"
#include "policy/injection_phrases.h"
#include "policy/named_secrets.h"
#include "policy/secret_readers.h"
#include "policy/token_formats.h"
#include "schemas/ascii.h"
#include "schemas/required_literals.h"

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

/// What begins base64 of `{"`, and of `{` before white space, with the bytes of names that headers
/// begin with.
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
};

}  // namespace

/// Gathers literals and their uses, and compiles them.
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

  Result<void> add_format(const TokenFormat& format) {
    auto pattern = read_token_pattern(format.pattern, database_->alphabets_);
    if (!pattern) return std::unexpected(pattern.error());
    const auto index = static_cast<std::uint16_t>(database_->patterns_.size());
    const std::string anchor = pattern->parts[pattern->anchor].literal;
    const LiteralUse use{.reader = Reader::token, .index = index, .length = anchor.size()};
    const std::size_t next = pattern->anchor + 1;
    if (anchor.size() >= kLiteralBytesMin) {
      literals_[{.bytes = anchor, .is_folded = false}].push_back(use);
    } else if (anchor.size() + 1 == kLiteralBytesMin && next < pattern->parts.size()) {
      // One byte short: with each that can follow. Either case, so that they are half as many.
      add_followed(anchor, database_->alphabets_[pattern->parts[next].alphabet].set, use);
    } else {
      return fail(ErrorCode::config_invalid, Fault::gateway,
                  "the token pattern \"" + std::string(format.pattern) + "\" has a short literal");
    }
    database_->patterns_.push_back(*std::move(pattern));
    database_->pattern_detectors_.push_back(detector_id(format.detector));
    return {};
  }

  void add_followed(std::string_view anchor, const ByteSet& set, LiteralUse use) {
    for (unsigned c = 1; c < 128; ++c) {
      const char byte = static_cast<char>(c);
      if (!set.holds(byte) || (is_upper(byte) && set.holds(lower_case(byte)))) continue;
      std::string bytes(anchor);
      bytes += byte;
      literals_[{.bytes = lower(bytes), .is_folded = true}].push_back(use);
    }
  }

  void add_readers() {
    for (const ReaderLiteral& literal : kExact)
      add({.bytes = std::string(literal.bytes), .is_folded = false}, literal.reader);
    for (const ReaderLiteral& literal : kFolded)
      add({.bytes = lower(literal.bytes), .is_folded = true}, literal.reader);
    for (const std::string_view word : secret_words())
      add({.bytes = lower(word), .is_folded = true}, Reader::assignment);
    // Any scheme: it ends with a letter or a digit.
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
    for (const auto& [name, detector] : config_.detectors) {
      const std::size_t index = database_->own_.size();
      auto own = OwnDetector::compile(detector, own_detector_id(index));
      if (!own) return std::unexpected(own.error());
      const LiteralUse use{.reader = Reader::own, .index = static_cast<std::uint16_t>(index)};
      for (const std::string& literal : own->literals()) {
        auto& uses = literals_[{.bytes = lower(literal), .is_folded = true}];
        uses.push_back(use);
        uses.back().length = literal.size();
      }
      database_->own_.push_back(*std::move(own));
    }
    return {};
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
