#include "policy/redact/restore_tokens.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "policy/content/opaque_values.h"
#include "policy/redact/redaction_mark.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"
#include "schemas/json/string_range.h"

namespace bartizan {
namespace {

/// The detector in a mark. The name in an unknown `custom` mark is arbitrary, so only `custom` is
/// returned.
std::string detector_of(std::string_view mark, bool is_known) {
  constexpr std::string_view kCustom = "custom";
  mark.remove_prefix(kRedactionMarkOpening.size());
  if (!is_known && mark.starts_with(kCustom)) return std::string(kCustom);
  return std::string(mark.substr(0, mark.find_first_of(":]")));
}

}  // namespace

std::expected<RestoredTokens, Reason> restore_tokens(JsonValue arguments, std::string_view bytes,
                                                     const FindToken& find) {
  RestoredTokens done;
  if (!arguments) return done;
  std::string restored;
  std::size_t at = 0;
  std::map<std::string, std::optional<std::string>, std::less<>> known;
  for (const JsonValue value : arguments.within()) {
    if (!value.is(JsonType::string)) continue;
    const std::string_view text = value.text();
    if (!text.contains(kRedactionMarkOpening)) continue;
    StringRanges ranges(value.raw());
    for (const ByteRange mark : find_redaction_marks(text)) {
      const std::string_view token = mark.of(text);
      auto meant = known.find(token);
      if (meant == known.end()) {
        std::optional<std::string> standing = find(token);
        if (standing.has_value()) {
          done.tokens.push_back({std::string(token), *standing});
          standing = json_string_inside(*standing);
        }
        meant = known.emplace(token, std::move(standing)).first;
      }
      const bool is_known = meant->second.has_value();
      add(done.found, {detector_of(token, is_known), is_known ? kRestored : kUnknown, 1});
      if (!is_known) continue;
      const ByteRange place = ranges.find(mark);
      const std::size_t begin = value.range().begin;
      restored += bytes.substr(at, begin + place.begin - at);
      restored += *meant->second;
      if (restored.size() > limits::request_bytes_max) {
        return std::unexpected(Reason::invalid_params);
      }
      at = begin + place.end;
    }
  }
  if (at > 0) done.text = std::move(restored.append(bytes.substr(at)));
  return done;
}

namespace {

/// Finds values in one text, in order. Each value is searched for over the text once.
class ValueSearch {
 public:
  ValueSearch(std::string_view text, std::span<const Redaction::Token> tokens)
      : text_(text), tokens_(tokens), next_(tokens.size()) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      next_[i] = tokens[i].value.empty() ? text.npos : text.find(tokens[i].value);
  }

  /// Returns the token whose value comes first from a place on, the longest of several; null if
  /// there is none. Moves `place` to it.
  const Redaction::Token* next(std::size_t& place) {
    const Redaction::Token* found = nullptr;
    std::size_t first = text_.npos;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (next_[i] < place) next_[i] = text_.find(tokens_[i].value, place);
      if (next_[i] == text_.npos || next_[i] > first) continue;
      const bool is_longer = found == nullptr || tokens_[i].value.size() > found->value.size();
      if (next_[i] == first && !is_longer) continue;
      first = next_[i];
      found = &tokens_[i];
    }
    place = first;
    return found;
  }

 private:
  std::string_view text_;
  std::span<const Redaction::Token> tokens_;
  std::vector<std::size_t> next_;
};

}  // namespace

std::vector<Redaction::Edit> hide_restored(JsonValue message, JsonValue said,
                                           const Answered& answered,
                                           std::span<const Redaction::Token> tokens) {
  std::vector<Redaction::Edit> edits;
  const Offsets alone = opaque_values(message, said, answered);
  for (const JsonValue value : message.within()) {
    if (holds(alone, value)) continue;
    if (value.is(JsonType::number)) {
      const auto same = std::ranges::find(tokens, value.raw(), &Redaction::Token::value);
      if (same != tokens.end()) edits.push_back({value.range(), '"' + same->text + '"'});
    }
    if (!value.is(JsonType::string)) continue;
    const std::string_view text = value.text();
    ValueSearch search(text, tokens);
    std::size_t at = 0;
    const Redaction::Token* token = search.next(at);
    if (token == nullptr) continue;
    StringRanges ranges(value.raw());
    const std::size_t begin = value.range().begin;
    for (; token != nullptr; token = search.next(at)) {
      const std::size_t end = at + token->value.size();
      const ByteRange place = ranges.find({at, end});
      edits.push_back({{begin + place.begin, begin + place.end}, token->text});
      at = end;
    }
  }
  return edits;
}

}  // namespace bartizan
