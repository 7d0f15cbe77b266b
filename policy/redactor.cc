#include "policy/redactor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "policy/content_copies.h"
#include "policy/left_alone.h"
#include "policy/redaction_mark.h"
#include "policy/url.h"
#include "schemas/string_range.h"

namespace bartizan {
namespace {

/// Of what is spelled so that readers may take it for another URL, or holds two, nobody can say.
bool leads_to(const std::vector<HostPattern>& hosts, const FoundPart& found) {
  if (hosts.empty()) return true;
  const std::string_view whole = found.whole.of(found.text);
  const std::size_t slashes = whole.find("://");
  if (slashes == whole.npos || whole.rfind("://") != slashes) return false;
  const std::optional<Url> url = read_url(whole);
  return url.has_value() && std::ranges::any_of(hosts, [&](const HostPattern& host) {
           return host.matches(url->host);
         });
}

/// Parts of a message that pointers select, with all that is in them: in order, none in another.
class Selected {
 public:
  Selected(const std::vector<std::vector<PointerSegment>>& pointers, JsonValue root) {
    for (const std::vector<PointerSegment>& pointer : pointers) {
      visit_selected(pointer, root, [&](Selection selection, JsonValue value, const Place*) {
        if (selection == Selection::value) ranges_.push_back(value.range());
        return true;
      });
    }
    std::ranges::sort(ranges_, {},
                      [](const ByteRange& one) { return std::pair(one.begin, ~one.end); });
    std::size_t end = 0;
    std::erase_if(ranges_, [&](const ByteRange& one) {
      return one.begin < std::exchange(end, std::max(end, one.end));
    });
  }

  bool holds(JsonValue value) const {
    if (!value) return false;
    const std::size_t at = value.range().begin;
    const auto behind = std::ranges::upper_bound(ranges_, at, {}, &ByteRange::begin);
    return behind != ranges_.begin() && at < std::prev(behind)->end;
  }

 private:
  std::vector<ByteRange> ranges_;
};

/// An exception that holds for this message, and the values that its pointers select.
struct ActiveKeep {
  const RedactionKeep* keep;
  Places selected;

  bool names(const FoundPart& found) const {
    return keep->detectors[found.detector] != 0 && !found.is_name &&
           (keep->pointers.empty() || holds(selected, found.value)) && leads_to(keep->hosts, found);
  }
};

std::vector<ActiveKeep> active_keeps(const RedactionRule& rule, const RedactionScope& scope,
                                     JsonValue root) {
  std::vector<ActiveKeep> active;
  for (const RedactionKeep& keep : rule.keeps) {
    if (scope.now >= keep.expires || !scope.is_of(keep.tools)) continue;
    Places selected;
    for (const std::vector<PointerSegment>& pointer : keep.pointers) {
      visit_selected(pointer, root, [&](Selection selection, JsonValue value, const Place*) {
        if (selection == Selection::value) selected.push_back(value.range().begin);
        return true;
      });
    }
    std::ranges::sort(selected);
    active.push_back({&keep, std::move(selected)});
  }
  return active;
}

/// What becomes of one part: the strongest of what rules want.
struct Ruling {
  std::optional<RedactionAction> action;  ///< Nothing where no rule is about it.

  void add(RedactionAction wanted) {
    if (!action.has_value() || *action < wanted) action = wanted;
  }
};

/// Adds what one rule wants. What it keeps, it keeps with all that lies within: a part of what an
/// exception names is what it names. Parts are in order, so that one that holds another comes
/// first.
void apply(const RedactionRule& rule, const RedactionScope& scope, JsonValue root,
           std::span<const FoundPart> found, std::vector<Ruling>& rulings) {
  const std::vector<ActiveKeep> keeps = active_keeps(rule, scope, root);
  const Selected selected(rule.pointers, root);
  const auto is_there = [&](const FoundPart& one) {
    return rule.pointers.empty() || selected.holds(one.value);
  };
  std::size_t string = 0;
  std::size_t kept_until = 0;
  const auto is_kept = [&](const FoundPart& one) {
    return std::ranges::any_of(keeps, [&](const ActiveKeep& keep) { return keep.names(one); });
  };
  for (auto first = found.begin(); first != found.end();) {
    // Several detectors may find the same: what one of them is kept for, is kept.
    const auto last = std::find_if(first, found.end(), [first](const FoundPart& one) {
      return one.string != first->string || one.part.begin != first->part.begin;
    });
    if (std::exchange(string, first->string) != first->string) kept_until = 0;
    for (auto one = first; one != last; ++one) {
      if (is_kept(*one)) kept_until = std::max(kept_until, one->part.end);
    }
    for (auto one = first; one != last; ++one) {
      if (rule.detectors[one->detector] == 0 || one->part.end <= kept_until) continue;
      if (!is_there(*one)) continue;
      rulings[static_cast<std::size_t>(one - found.begin())].add(rule.action);
    }
    first = last;
  }
}

/// Whose tokens come back, and to which server; empty where none would.
std::string token_owner(const RedactionScope& scope) {
  const bool is_read = scope.carrier != Carrier::arguments && scope.carrier != Carrier::records;
  if (!is_read || scope.principal == nullptr || scope.server.empty()) return {};
  return fmt::format("{}\n{}\n{}\n", scope.server, scope.principal->id.size(), scope.principal->id);
}

/// Parts of one string that touch each other, and what stands in their place.
struct Span {
  const FoundPart* first = nullptr;
  ByteRange part;
  RedactionAction action = RedactionAction::mask;
  DetectorId detector = 0;
};

/// Of parts that overlap, one: it bears the name of the strongest, and of several such that of the
/// first which says what was found.
std::vector<Span> join(std::span<const FoundPart> found, const std::vector<Ruling>& rulings) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (rulings[i].action.value_or(RedactionAction::observe) == RedactionAction::observe) continue;
    const FoundPart& one = found[i];
    const RedactionAction action = *rulings[i].action;
    const bool is_whole = action == RedactionAction::drop && !one.is_name;
    const ByteRange part = is_whole ? ByteRange{0, one.text.size()} : one.part;
    // What is dropped takes with it what stands before it in its string.
    while (is_whole && !spans.empty() && spans.back().first->string == one.string)
      spans.pop_back();
    const bool touches = !spans.empty() && spans.back().first->string == one.string &&
                         part.begin < spans.back().part.end;
    if (!touches) {
      spans.push_back({&one, part, action, one.detector});
      continue;
    }
    Span& last = spans.back();
    last.part.end = std::max(last.part.end, part.end);
    const bool says_more = is_known_by_name(last.detector) && !is_known_by_name(one.detector);
    if (last.action < action || (last.action == action && says_more)) {
      last.action = action;
      last.detector = one.detector;
    }
  }
  return spans;
}

/// What has no name in structured content may have one in the text that says the same: there a part
/// of a string is found by what stands around it, and a number is written in digits. Both say the
/// same afterwards, so each value is taken out as a whole, in the strongest way that is wanted for
/// either.
class Originals {
 public:
  explicit Originals(JsonValue said) : copies_(find_copies(said)) {}

  /// Takes the values that were found in a copy out of the structured content, too.
  void add(std::span<const FoundPart> found, const std::vector<Ruling>& rulings,
           std::vector<Span>& spans) {
    if (copies_.empty()) return;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const RedactionAction action = rulings[i].action.value_or(RedactionAction::observe);
      if (action != RedactionAction::observe) note(found[i], action);
    }
    for (const Span& span : spans) {
      const auto original = originals_.find(span.first->string);
      if (original != originals_.end()) original->second.meet(span);
    }
    // What was found there by itself, as strongly, leaves the rest of the string.
    std::erase_if(originals_, [](const auto& one) { return one.second.is_found; });
    std::erase_if(spans,
                  [this](const Span& span) { return originals_.contains(span.first->string); });
    for (auto& [string, original] : originals_)
      spans.push_back(
          {&original.whole, original.whole.part, original.action, original.whole.detector});
    std::ranges::sort(
        spans, {}, [](const Span& span) { return std::pair(span.first->string, span.part.begin); });
  }

 private:
  /// A value of the structured content that is to be taken out.
  struct Original {
    FoundPart whole;
    RedactionAction action;
    bool is_found = false;

    void meet(const Span& span) {
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
  std::map<std::size_t, Original> originals_;  ///< By where they begin in the message.
};

/// What stands in the place of a secret is none, whatever it is assigned to.
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

/// What writes edits: what stands in the place of each part.
class Edits {
 public:
  /// Input: edits are of the bytes that the message was read from, or of a text where that is
  /// absent; tokens are made for `owner`, or not where that is empty.
  Edits(const HashSeed& seed, const DetectorSet& detectors, JsonValue message, std::string owner)
      : seed_(seed),
        detectors_(detectors),
        bytes_(message.raw()),
        bytes_begin_(message.range().begin),
        owner_(std::move(owner)) {}

  void add(const Span& span) {
    const FoundPart& found = *span.first;
    std::string text = replacement(span);
    if (!found.value) {
      redaction_.edits.push_back({span.part, std::move(text)});
      return;
    }
    if (!found.is_name && !found.value.is(JsonType::string)) {
      // A number or the like, as a whole.
      redaction_.edits.push_back({found.value.range(), '"' + text + '"'});
      return;
    }
    if (last_ == nullptr || last_->string != found.string) {
      const ByteRange quoted = found.is_name ? found.value.key_range() : found.value.range();
      quoted_begin_ = quoted.begin;
      ranges_.emplace(bytes_.substr(quoted.begin - bytes_begin_, quoted.size()));
      last_ = &found;
    }
    const ByteRange range = ranges_->find(span.part);
    redaction_.edits.push_back(
        {{quoted_begin_ + range.begin, quoted_begin_ + range.end}, std::move(text)});
  }

  /// With edits and tokens.
  Redaction take() && { return std::move(redaction_); }

 private:
  /// Names are numbered, so that none is twice in an object; and they can neither be dropped nor
  /// come back.
  std::string replacement(const Span& span) {
    const std::string_view value = span.part.of(span.first->text);
    const bool is_name = span.first->is_name;
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

  /// A token that is not kept would be lost, so there are no more than can be.
  bool has_room_for(std::string_view value) const {
    return !owner_.empty() && value.size() <= limits::token_value_bytes_max &&
           tokens_.size() < limits::tokens_per_message_max &&
           token_bytes_ + value.size() <= limits::token_bytes_per_message_max;
  }

  /// The same for the same value of one owner; two owners have nothing in common.
  std::string token(DetectorId detector, std::string_view value) {
    const auto hash = keyed_hash(seed_, owner_ + std::string(value));
    std::string text =
        redaction_mark(detectors_.name(detector), fmt::format("{:016x}{:016x}", hash[0], hash[1]));
    if (tokens_.insert(text).second) {
      token_bytes_ += value.size();
      redaction_.tokens.push_back({text, std::string(value)});
    }
    return text;
  }

  const HashSeed& seed_;
  const DetectorSet& detectors_;
  std::string_view bytes_;
  std::size_t bytes_begin_;
  std::string owner_;
  Redaction redaction_;
  std::set<std::string> tokens_;  ///< That are among those of the redaction.
  std::size_t token_bytes_ = 0;   ///< Of their values.
  std::optional<StringRanges> ranges_;
  const FoundPart* last_ = nullptr;
  std::size_t quoted_begin_ = 0;
};

/// Whoever reads a text sees through what is hidden in it. Plain text has nothing but marks.
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
    return {.edits = {},
            .tokens = {},
            .redacted = {{std::string(rules.detectors().name(found.front().detector)),
                          RedactionAction::withhold, static_cast<std::uint32_t>(found.size())}},
            .is_withheld = true};
  }
  std::vector<Ruling> rulings(found.size());
  for (const RedactionRule* rule : search.rules)
    apply(*rule, scope, search.said, found, rulings);
  std::vector<Redacted> redacted;
  bool is_withheld = false;
  // What clients send means nothing of that kind.
  Marks marks;
  const Places alone =
      scope.carrier == Carrier::arguments ? Places() : left_alone(search.message, search.said);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!rulings[i].action.has_value()) continue;
    const bool is_left = !found[i].is_name && holds(alone, found[i].value);
    if (is_left || marks.hold(found[i])) {
      rulings[i].action.reset();
      continue;
    }
    add(redacted, {std::string(rules.detectors().name(found[i].detector)), *rulings[i].action, 1});
    is_withheld |= *rulings[i].action == RedactionAction::withhold;
  }
  std::vector<Span> spans = join(found, rulings);
  Originals originals(scope.carrier == Carrier::arguments ? JsonValue() : search.said);
  originals.add(found, rulings, spans);
  Edits edits(seed_, rules.detectors(), search.message, token_owner(scope));
  for (const Span& span : spans)
    edits.add(span);
  Redaction redaction = std::move(edits).take();
  redaction.redacted = std::move(redacted);
  redaction.is_withheld = is_withheld;
  return redaction;
}

}  // namespace bartizan
