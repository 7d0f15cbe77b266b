#include "policy/redact/redactor.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "policy/content/opaque_values.h"
#include "policy/redact/redaction_edits.h"
#include "policy/redact/redaction_mark.h"
#include "policy/redact/redaction_ruling.h"
#include "policy/redact/redaction_span.h"

namespace bartizan {
namespace {

/// Finds marks of redaction, which are not secrets in any place.
class Marks {
 public:
  /// Input: parts in the order of their strings.
  bool hold(const FoundPart& found) {
    if (text_.data() != found.text.data()) {
      text_ = found.text;
      marks_ = find_redaction_marks(text_);
    }
    const auto behind = std::ranges::upper_bound(marks_, found.part.begin, {}, &ByteRange::begin);
    return behind != marks_.begin() && found.part.end <= std::prev(behind)->end;
  }

 private:
  std::string_view text_;
  std::vector<ByteRange> marks_;
};

/// A reader does not see hidden characters. Plain text can have only marks.
Hiding hiding_of(const RedactionScope& scope, JsonValue message) {
  const bool has_none = scope.hiding == Hiding::characters && message.is_of_plain_text();
  return has_none ? Hiding::none : scope.hiding;
}

}  // namespace

Redaction Redactor::redact(const RedactionRules& rules, const RedactionScope& scope,
                           JsonValue message, JsonValue said) {
  std::vector<const RedactionRule*> of_scope = rules.find(scope);
  if (of_scope.empty()) return {};
  look_for(rules);
  scanner_.see_through(hiding_of(scope, message));
  const std::span<const FoundPart> found = scanner_.scan(message, said, scope.before);
  if (found.empty()) {
    return {.is_without_orders = !scanner_.met_order_words() && message.is_of_plain_text()};
  }
  return decide(rules, scope,
                {.message = message, .said = said, .found = found, .rules = std::move(of_scope)});
}

Redaction Redactor::redact(const RedactionRules& rules, const RedactionScope& scope,
                           std::string_view text) {
  std::vector<const RedactionRule*> of_scope = rules.find(scope);
  if (of_scope.empty()) return {};
  look_for(rules);
  scanner_.see_through(scope.hiding);
  return decide(
      rules, scope,
      {.message = {}, .said = {}, .found = scanner_.scan(text), .rules = std::move(of_scope)});
}

bool Redactor::finds_in(const RedactionRules& rules, JsonValue value) {
  look_for(rules);
  scanner_.see_through(hiding_of({}, value));
  return !scanner_.scan(value).empty();
}

bool Redactor::finds_in(const RedactionRules& rules, std::string_view text) {
  look_for(rules);
  scanner_.see_through(Hiding::characters);
  return !scanner_.scan(text).empty();
}

void Redactor::look_for(const RedactionRules& rules) {
  scanner_.use(rules.database() != nullptr ? rules.database() : database_);
}

Redaction Redactor::decide(const RedactionRules& rules, const RedactionScope& scope,
                           const Search& search) const {
  const std::span<const FoundPart> found = search.found;
  if (found.empty()) return {};
  if (found.size() > StringScanner::kFoundMax) {
    return {
        .edits = {},
        .tokens = {},
        .redacted = {{std::string(rules.detectors().name(found.front().detector)),
                      text(RedactionAction::withhold), static_cast<std::uint32_t>(found.size())}},
        .is_withheld = true};
  }
  std::vector<RedactionRuling> rulings(found.size());
  for (const RedactionRule* rule : search.rules)
    add_rulings(*rule, scope, search.said, found, rulings);
  std::vector<Redacted> redacted;
  bool is_withheld = false;
  // Marks in a client's texts have no meaning.
  Marks marks;
  const Offsets alone = scope.carrier == Carrier::arguments
                            ? Offsets()
                            : opaque_values(search.message, search.said, scope.answered);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const RedactionRuling& ruling = rulings[i];
    if (!ruling.action.has_value() && !ruling.is_kept) continue;
    const bool is_left = !found[i].is_name && holds(alone, found[i].value);
    if (is_left || marks.hold(found[i])) {
      rulings[i] = {};
      continue;
    }
    const std::string detector(rules.detectors().name(found[i].detector));
    // A match that another rule only observes passes because of the exception.
    const bool is_observed = ruling.action == RedactionAction::observe;
    if (ruling.is_kept && (is_observed || !ruling.action)) add(redacted, {detector, kKept, 1});
    if (!ruling.action.has_value()) continue;
    const bool is_for_nobody = ruling.action == RedactionAction::withhold;
    add(redacted,
        {detector, text(*ruling.action), 1, is_for_nobody ? ruling.rule->name : std::string()});
    is_withheld |= is_for_nobody;
  }
  std::vector<RedactionSpan> spans = join_spans(found, rulings);
  if (scope.carrier != Carrier::arguments) add_originals(search.said, found, rulings, spans);
  RedactionEdits edits(seed_, rules.detectors(), search.message, scope);
  for (const RedactionSpan& span : spans)
    edits.add(span);
  Redaction redaction = std::move(edits).take();
  redaction.redacted = std::move(redacted);
  redaction.is_withheld = is_withheld;
  return redaction;
}

}  // namespace bartizan
