#include "policy/redact/redaction_span.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "policy/content/content_copies.h"
#include "policy/detect/detector.h"

namespace bartizan {
namespace {

/// Values of the structured content to redact, as they were found in its text copies.
class Originals {
 public:
  explicit Originals(JsonValue said) : copies_(find_copies(said)) {}

  /// Adds the originals of the values that were found in a copy.
  void add(std::span<const FoundPart> found, const std::vector<RedactionRuling>& rulings,
           std::vector<RedactionSpan>& spans) {
    if (copies_.empty()) return;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const RedactionAction action = rulings[i].action.value_or(RedactionAction::observe);
      if (action != RedactionAction::observe) note(found[i], action);
    }
    for (const RedactionSpan& span : spans) {
      const auto original = originals_.find(span.first.string);
      if (original != originals_.end()) original->second.meet(span);
    }
    // If the same detector found it in the original, with an action as strong, only its part is
    // redacted.
    std::erase_if(originals_, [](const auto& one) { return one.second.is_found; });
    std::erase_if(spans, [this](const RedactionSpan& span) {
      return originals_.contains(span.first.string);
    });
    for (auto& [string, original] : originals_)
      spans.push_back(
          {original.whole, original.whole.part, original.action, original.whole.detector});
    std::ranges::sort(spans, {}, [](const RedactionSpan& span) {
      return std::pair(span.first.string, span.part.begin);
    });
  }

 private:
  /// A value of the structured content to redact.
  struct Original {
    FoundPart whole;
    RedactionAction action;
    bool is_found = false;

    void meet(const RedactionSpan& span) {
      is_found |= span.detector == whole.detector && span.action >= action;
      if (span.action <= action) return;
      action = span.action;
      whole.detector = span.detector;
    }
  };

  void note(const FoundPart& found, RedactionAction action) {
    const auto copy = std::ranges::find_if(copies_, [&](const ContentCopy& one) {
      return !found.is_name && found.value && one.text().range().begin == found.value.range().begin;
    });
    if (copy == copies_.end()) return;
    for (const JsonValue value : copy->originals_of(found.part)) {
      const std::size_t string = value.range().begin;
      const std::string_view text = value.is(JsonType::string) ? value.text() : value.raw();
      const ByteRange all{0, text.size()};
      const auto [there, is_new] =
          originals_.try_emplace(string, Original{.whole = {.string = string,
                                                            .value = value,
                                                            .is_name = false,
                                                            .text = text,
                                                            .part = all,
                                                            .whole = all,
                                                            .detector = found.detector},
                                                  .action = action});
      if (is_new || there->second.action >= action) continue;
      there->second.action = action;
      there->second.whole.detector = found.detector;
    }
  }

  std::vector<ContentCopy> copies_;
  std::map<std::size_t, Original> originals_;  ///< By offset in the message.
};

}  // namespace

std::vector<RedactionSpan> join_spans(std::span<const FoundPart> found,
                                      const std::vector<RedactionRuling>& rulings) {
  std::vector<RedactionSpan> spans;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (rulings[i].action.value_or(RedactionAction::observe) == RedactionAction::observe) continue;
    const FoundPart& one = found[i];
    const RedactionAction action = *rulings[i].action;
    const bool is_whole = action == RedactionAction::drop && !one.is_name;
    const ByteRange part = is_whole ? ByteRange{0, one.text.size()} : one.part;
    // A drop includes the earlier parts of its string.
    while (is_whole && !spans.empty() && spans.back().first.string == one.string)
      spans.pop_back();
    const bool touches = !spans.empty() && spans.back().first.string == one.string &&
                         part.begin < spans.back().part.end;
    if (!touches) {
      spans.push_back({one, part, action, one.detector});
      continue;
    }
    RedactionSpan& last = spans.back();
    last.part.end = std::max(last.part.end, part.end);
    const bool says_more = is_known_by_name(last.detector) && !is_known_by_name(one.detector);
    if (last.action < action || (last.action == action && says_more)) {
      last.action = action;
      last.detector = one.detector;
    }
  }
  return spans;
}

void add_originals(JsonValue said, std::span<const FoundPart> found,
                   const std::vector<RedactionRuling>& rulings, std::vector<RedactionSpan>& spans) {
  Originals(said).add(found, rulings, spans);
}

}  // namespace bartizan
