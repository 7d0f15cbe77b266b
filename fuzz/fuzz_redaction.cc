#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "policy/check/compile_policy.h"
#include "policy/redact/redactor.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

/// A message that was read can be read without what was found in it, unless two names became one,
/// which the gateway withholds; every byte outside of the edits is the same, and the edits lie in
/// strings, or are numbers; in what stands in the place of a finding, nothing is found.

namespace {

using namespace bartizan;

constexpr RedactionAction kActions[] = {RedactionAction::mask, RedactionAction::hash,
                                        RedactionAction::tokenise, RedactionAction::drop};

/// Everything that can be looked for, with one action.
Config config_for(RedactionAction action) {
  Config made;
  made.detectors["pattern"] = {.name = "pattern", .pattern = "(?i)acme-[0-9]{3,}"};
  made.detectors["words"] = {.name = "words", .words = {"project falcon"}};
  made.redactions["all"] = {.name = "all",
                            .detectors = {"secrets", "pii", "custom"},
                            .in = {Carrier::results},
                            .action = action};
  return made;
}

/// Rules for each action, and one redactor for all of them.
class Redacting {
 public:
  Redacting() : database_(compile_scan_database(config_for(kActions[0])).value()) {
    for (const RedactionAction action : kActions)
      rules_.push_back(std::make_unique<RedactionRules>(config_for(action), database_));
    principal_.id = "ann";
  }

  Redaction redact(std::size_t action, JsonValue message) {
    const RedactionScope scope{
        .carrier = Carrier::results, .server = "files", .principal = &principal_};
    return redactor().redact(*rules_[action], scope, message, message);
  }

 private:
  Redactor& redactor() {
    if (!redactor_) redactor_ = std::make_unique<Redactor>(database_, HashSeed{});
    return *redactor_;
  }

  std::shared_ptr<const ScanDatabase> database_;
  std::vector<std::unique_ptr<RedactionRules>> rules_;
  std::unique_ptr<Redactor> redactor_;
  Principal principal_;
};

/// Strings of a message without their quotes, and numbers, in order: where there may be an edit.
std::vector<ByteRange> places_of(JsonValue message) {
  std::vector<ByteRange> strings;
  const auto add = [&](ByteRange quoted) { strings.push_back({quoted.begin + 1, quoted.end - 1}); };
  bool is_root = true;
  for (const JsonValue value : message.within()) {
    if (!is_root && value.key_range().size() > 0) add(value.key_range());
    if (value.is(JsonType::string)) add(value.range());
    if (value.is(JsonType::number)) strings.push_back(value.range());
    is_root = false;
  }
  return strings;
}

bool is_name(JsonValue message, ByteRange part) {
  for (const JsonValue value : message.within()) {
    const ByteRange name = value.key_range();
    if (name.size() > 0 && part.begin >= name.begin && part.end <= name.end) return true;
  }
  return false;
}

/// Whether a text may stand between the quotes of a string.
bool is_inside_of_string(std::string_view text) {
  const Bytes bytes{'"' + std::string(text) + '"'};
  JsonDocument document;
  const Result<JsonValue> read = document.read(bytes);
  return read.has_value() && read->is(JsonType::string);
}

struct LeftMessage {
  std::string text;
  std::vector<ByteRange> marks;  ///< Of the text, what stands in the place of something.
  bool has_names = false;        ///< The name of a member was edited.
};

LeftMessage apply(JsonValue message, std::string_view bytes, const Redaction& redaction) {
  const std::vector<ByteRange> strings = places_of(message);
  LeftMessage redacted;
  append_redacted(redacted.text, bytes, redaction.edits);
  std::size_t at = 0;
  std::size_t left = 0;
  for (const Redaction::Edit& edit : redaction.edits) {
    require(edit.range.begin >= at && edit.range.end <= bytes.size());
    const auto behind = std::ranges::upper_bound(strings, edit.range.begin, {}, &ByteRange::begin);
    require(behind != strings.begin() && edit.range.end <= std::prev(behind)->end);
    // Nothing that JSON would read otherwise is put into a string, but the quotes of a number that
    // was one within a text.
    require(!edit.replacement.contains('\n'));
    const ByteRange place = *std::prev(behind);
    const bool is_in_string = place.begin > 0 && bytes[place.begin - 1] == '"';
    require(!is_in_string || is_inside_of_string(edit.replacement));
    const std::size_t kept = edit.range.begin - at;
    require(std::string_view(redacted.text).substr(left, kept) == bytes.substr(at, kept));
    left += kept;
    redacted.marks.push_back({left, left + edit.replacement.size()});
    left += edit.replacement.size();
    at = edit.range.end;
    redacted.has_names = redacted.has_names || is_name(message, edit.range);
  }
  require(std::string_view(redacted.text).substr(left) == bytes.substr(at));
  return redacted;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Redacting redacting;
  if (size == 0) return 0;
  const std::size_t action = data[0] % std::size(kActions);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Bytes bytes{text};
  JsonDocument document;
  const Result<JsonValue> message = document.read(bytes, kResponseLimits);
  if (!message.has_value()) return 0;
  const Redaction redaction = redacting.redact(action, *message);
  if (redaction.is_withheld) return 0;
  const LeftMessage redacted = apply(*message, bytes.view(), redaction);
  const Bytes left{std::string_view(redacted.text)};
  JsonDocument again;
  const Result<JsonValue> read = again.read(left, kResponseLimits);
  if (!read.has_value()) {
    require(redacted.has_names && read.error().code == ErrorCode::json_duplicate_key);
    return 0;
  }
  for (const Redaction::Edit& edit : redacting.redact(action, *read).edits) {
    for (const ByteRange& mark : redacted.marks)
      require(edit.range.begin < mark.begin || edit.range.end > mark.end || mark.size() == 0);
  }
  return 0;
}
