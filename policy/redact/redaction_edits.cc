#include "policy/redact/redaction_edits.h"

#include <fmt/format.h>

#include <utility>

#include "policy/redact/redaction_mark.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// The server and caller for which tokens are restored; empty if there are none.
std::string token_owner(const RedactionScope& scope) {
  const bool is_read = scope.carrier != Carrier::arguments && scope.carrier != Carrier::records;
  if (!is_read || scope.principal == nullptr || scope.server.empty()) return {};
  return fmt::format("{}\n{}\n{}\n", scope.server, scope.principal->id.size(), scope.principal->id);
}

/// The spelling of a quote in a text that is JSON itself, for a number with a name. The mark that
/// replaces the number must be a string, or the text could not be parsed. Empty for everything
/// else.
std::string_view quote_of_number(std::string_view text, ByteRange part) {
  constexpr std::string_view kNumber = "0123456789+-.eE";
  constexpr std::string_view kBlanks = " \t\r\n";
  if (part.of(text).find_first_not_of(kNumber) != std::string_view::npos) return {};
  const std::size_t behind = text.find_first_not_of(kBlanks, part.end);
  const bool is_last = behind == std::string_view::npos;
  if (!is_last && !std::string_view(",}]").contains(text[behind])) return {};
  const std::size_t colon = text.substr(0, part.begin).find_last_not_of(kBlanks);
  if (colon == std::string_view::npos || text[colon] != ':') return {};
  const std::size_t quote = text.substr(0, colon).find_last_not_of(kBlanks);
  if (quote == std::string_view::npos || text[quote] != '"') return {};
  const auto spelled_at = [text](std::size_t at) {
    const std::size_t before = text.substr(0, at).find_last_not_of('\\');
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    return text.substr(begin, at + 1 - begin);
  };
  // A name may end with its own backslashes.
  const std::size_t opening = quote == 0 ? text.npos : text.rfind('"', quote - 1);
  const bool is_alike = opening != text.npos && spelled_at(opening) == spelled_at(quote);
  return is_alike ? spelled_at(quote) : std::string_view();
}

}  // namespace

RedactionEdits::RedactionEdits(const HashSeed& seed, const DetectorSet& detectors,
                               JsonValue message, const RedactionScope& scope)
    : seed_(seed),
      detectors_(detectors),
      bytes_(message.raw()),
      bytes_begin_(message.range().begin),
      owner_(token_owner(scope)) {}

void RedactionEdits::add(const RedactionSpan& span) {
  const FoundPart& found = span.first;
  std::string text = replacement(span);
  if (!found.is_name && found.value && !found.value.is(JsonType::string)) {
    // A number, a boolean or null is replaced as a whole.
    redaction_.edits.push_back({found.value.range(), '"' + text + '"'});
    return;
  }
  const std::string_view quote = quote_of_number(found.text, span.part);
  if (!found.value) {
    redaction_.edits.push_back({span.part, std::string(quote).append(text).append(quote)});
    return;
  }
  if (!quote.empty()) {
    const std::string spelled = json_string_inside(quote);
    text = spelled + text + spelled;
  }
  if (last_ != found.string) {
    const ByteRange quoted = found.is_name ? found.value.key_range() : found.value.range();
    quoted_begin_ = quoted.begin;
    ranges_.emplace(bytes_.substr(quoted.begin - bytes_begin_, quoted.size()));
    last_ = found.string;
  }
  const ByteRange range = ranges_->find(span.part);
  redaction_.edits.push_back(
      {{quoted_begin_ + range.begin, quoted_begin_ + range.end}, std::move(text)});
}

/// Marks of names are numbered, so that they are unique in an object. Names are neither dropped nor
/// tokenised.
std::string RedactionEdits::replacement(const RedactionSpan& span) {
  const std::string_view value = span.part.of(span.first.text);
  const bool is_name = span.first.is_name;
  if (span.action == RedactionAction::drop && !is_name) return {};
  const bool may_return = !is_name && has_room_for(value);
  if (span.action == RedactionAction::tokenise && may_return) return token(span.detector, value);
  std::string more;
  if (span.action == RedactionAction::hash) {
    more = fmt::format("{:016x}", keyed_hash(seed_, value)[0]);
  }
  if (is_name) more += fmt::format("{}{}", more.empty() ? "" : ":", redaction_.edits.size());
  return redaction_mark(detectors_.name(span.detector), more);
}

/// Only tokens that can be stored are made, as others would be lost.
bool RedactionEdits::has_room_for(std::string_view value) const {
  return !owner_.empty() && value.size() <= limits::token_value_bytes_max &&
         tokens_.size() < limits::tokens_per_message_max &&
         token_bytes_ + value.size() <= limits::token_bytes_per_message_max;
}

/// The token of a value. Each owner has one token per value, and no token is shared between owners.
std::string RedactionEdits::token(DetectorId detector, std::string_view value) {
  const auto hash = keyed_hash(seed_, owner_ + std::string(value));
  std::string text =
      redaction_mark(detectors_.name(detector), fmt::format("{:016x}{:016x}", hash[0], hash[1]));
  if (tokens_.insert(text).second) {
    token_bytes_ += value.size();
    redaction_.tokens.push_back({text, std::string(value)});
  }
  return text;
}

}  // namespace bartizan
