#include "policy/sanitise/sanitiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "config/sanitising_names.h"
#include "policy/content/opaque_values.h"
#include "policy/content/rewrite_strings.h"
#include "policy/sanitise/active_markup.h"
#include "policy/sanitise/joined_markup.h"
#include "policy/sanitise/ui_resource.h"
#include "policy/text/byte_set.h"
#include "policy/text/character_kind.h"
#include "policy/text/hidden_text.h"
#include "schemas/base/keep_each_once.h"

namespace bartizan {
namespace {

/// The part's code points in visible form: `[U+202E]`. Letters of an escape stay unchanged.
std::string shown(std::string_view part) {
  std::string all;
  for (std::size_t at = 0; at < part.size();) {
    const ReadCharacter read = read_character(part, at);
    const bool is_letter = read.value > ' ' && read.value < 0x7F;
    if (is_letter) {
      all += part[at];
    } else {
      all += fmt::format("[U+{:04X}]", static_cast<std::uint32_t>(read.value));
    }
    at += read.size;
  }
  return all;
}

/// The replacement of a hidden part. A line break is replaced by another one, so that lines are not
/// joined.
std::string replacement(const HiddenPart& part, HiddenText action, std::string_view text) {
  if (action == HiddenText::show) return shown(part.range.of(text));
  return part.kind == HiddenKind::line_break ? "\n" : "";
}

/// Whether a hidden part is normal in the text of a file.
bool is_of_source(const HiddenPart& part, std::string_view text) {
  return part.kind == HiddenKind::soft_hyphen || part.kind == HiddenKind::private_use ||
         part.range.of(text) == "\f";
}

/// The hidden parts to remove, show or refuse.
std::vector<HiddenPart> find_unwanted(std::string_view text, SanitisedText kind) {
  std::vector<HiddenPart> parts = find_hidden(text);
  if (kind == SanitisedText::source) {
    std::erase_if(parts, [text](const HiddenPart& part) { return is_of_source(part, text); });
  }
  return parts;
}

/// The name of forbidden origins of apps in records and metrics.
constexpr std::string_view kUiOrigin = "ui-origin";
/// The name of forbidden base64 pages of apps in records and metrics.
constexpr std::string_view kUiPage = "ui-page";

/// An active part, with the rule if it is the reason for withholding.
Sanitised with_rule(const Sanitising& wanted, std::string_view what, ActiveMarkup action,
                    std::uint32_t count) {
  const bool is_refused = action == ActiveMarkup::refuse;
  return {what, text(action), count, std::string(is_refused ? wanted.markup_by : "")};
}

/// Sorts all parts and removes duplicates.
std::vector<ActivePart> with_joined(std::vector<ActivePart> parts,
                                    std::span<const JoinedPart> joined) {
  for (const JoinedPart& one : joined)
    parts.push_back(one.part);
  keep_each_once(parts, [](const ActivePart& part) { return part.edit.part.begin; });
  return parts;
}

/// Finds the edits of one text after the other, and keeps the findings.
class TextSanitising {
 public:
  explicit TextSanitising(const Sanitising& wanted)
      : wanted_(wanted),
        may_lead_to_([&wanted](const UrlHost& host) { return wanted.lets_lead_to(host); }) {}

  /// `joined` has the parts that are active together with adjacent texts.
  TextEdits find(std::string_view text, std::span<const JoinedPart> joined = {}) {
    if (is_withheld_ && parts_ > kHiddenPartsMax) return {};
    TextEdits hidden = find_hidden_edits(text);
    if (wanted_.markup == ActiveMarkup::keep) return hidden;
    if (hidden.empty()) return find_markup_edits(text, joined);
    // Markup is searched for in the visible form, so the whole text is replaced.
    const std::string seen = edited(text, hidden);
    const TextEdits markup = find_markup_edits(seen, joined);
    if (markup.empty()) return hidden;
    return {{{0, text.size()}, edited(seen, markup)}};
  }

  /// The edits of a string of a message. A page of an app may act, or is removed.
  TextEdits find(JsonValue value, std::string_view text) {
    if (text.data() != value.text().data()) return find(text);
    if (holds(pages_, value)) return find_hidden_edits(text);
    if (holds(blobs_, value)) return find_page_edits(text);
    return find(text, joined_.of(value.range().begin));
  }

  /// Sets the pages of apps in the message.
  void set_pages(UiResources apps) {
    pages_ = std::move(apps.pages);
    blobs_ = std::move(apps.blobs);
  }

  /// Examines adjacent texts of the message as one. Returns whether anything is active.
  bool join(JsonValue message) {
    if (wanted_.markup == ActiveMarkup::keep) return false;
    const auto seen = [this](JsonValue text) {
      // A string element of a list is data, which clients do not show joined to the next one.
      const bool is_shown = text.key_range().size() > 0 && !holds(pages_, text);
      return is_shown ? seen_of(text.text()) : std::string();
    };
    joined_ = find_joined_markup(message, seen, may_lead_to_);
    if (!joined_.has_too_many) return !joined_.parts.empty();
    note(bartizan::text(ActiveKind::html), ActiveMarkup::refuse);
    parts_ = kHiddenPartsMax + 1;
    return is_withheld_ = true;
  }

  /// Withholds everything, with the origins of apps as the reason.
  void refuse_origins() {
    note(kUiOrigin, ActiveMarkup::refuse);
    is_withheld_ = true;
  }

  /// Notes origins that an app must not name.
  void add_origins(std::size_t origins) {
    if (origins == 0) return;
    note(kUiOrigin, wanted_.markup, static_cast<std::uint32_t>(origins));
    is_withheld_ |= wanted_.markup == ActiveMarkup::refuse;
  }

  /// Whether anything is found in a value, opaque values included.
  bool finds_in(JsonValue value) {
    // A quick check for most messages, which are harmless.
    if (wanted_.markup == ActiveMarkup::keep && value.is_of_plain_text()) return false;
    for (const JsonValue one : value.within()) {
      if (one.key_range().size() > 0) find(one.key());
      if (one.is(JsonType::string)) find(one, one.text());
      if (!found_.empty()) return true;
    }
    return false;
  }

  Sanitisation finish(std::optional<std::string> left) && {
    Sanitisation done{.found = std::move(found_), .left = std::move(left), .is_withheld = false};
    done.is_withheld = is_withheld_;
    return done;
  }

 private:
  void note(std::string_view active, ActiveMarkup action, std::uint32_t count = 1) {
    add(found_, with_rule(wanted_, active, action, count));
  }

  std::string seen_of(std::string_view text) const {
    TextEdits edits;
    if (wanted_.hidden != HiddenText::keep) {
      for (const HiddenPart& part : find_unwanted(text, wanted_.text))
        edits.push_back({part.range, replacement(part, wanted_.hidden, text)});
    }
    return edited(text, edits);
  }

  TextEdits find_hidden_edits(std::string_view text) {
    TextEdits edits;
    for (const HiddenPart& part : find_unwanted(text, wanted_.text)) {
      const bool is_refused = wanted_.hidden == HiddenText::refuse;
      add(found_, {bartizan::text(part.kind), bartizan::text(wanted_.hidden), 1,
                   std::string(is_refused ? wanted_.hidden_by : "")});
      ++parts_;
      if (wanted_.hidden == HiddenText::keep) continue;
      is_withheld_ |= wanted_.hidden == HiddenText::refuse || parts_ > kHiddenPartsMax;
      if (is_withheld_) continue;
      edits.push_back({part.range, replacement(part, wanted_.hidden, text)});
    }
    return edits;
  }

  /// The content of a page in base64 cannot be examined, so the page is removed.
  TextEdits find_page_edits(std::string_view text) {
    note(kUiPage, wanted_.markup);
    is_withheld_ |= wanted_.markup == ActiveMarkup::refuse;
    if (is_withheld_) return {};
    return {{{0, text.size()}, ""}};
  }

  TextEdits find_markup_edits(std::string_view text, std::span<const JoinedPart> joined) {
    TextEdits edits;
    std::vector<ActivePart> parts = find_active_markup(text, may_lead_to_);
    // A withheld text may have more hidden parts than were found.
    if (!joined.empty() && !is_withheld_) parts = with_joined(std::move(parts), joined);
    for (ActivePart& part : parts) {
      note(bartizan::text(part.kind), wanted_.markup);
      ++parts_;
      is_withheld_ |= wanted_.markup == ActiveMarkup::refuse || parts_ > kHiddenPartsMax;
      if (!is_withheld_) edits.push_back(std::move(part.edit));
    }
    return edits;
  }

  const Sanitising& wanted_;
  LinkFilter may_lead_to_;
  Offsets pages_, blobs_;
  JoinedMarkup joined_;
  std::vector<Sanitised> found_;
  std::size_t parts_ = 0;
  bool is_withheld_ = false;
};

/// Sanitises the strings, as the last step.
Sanitisation sanitise_strings(TextSanitising sanitising, JsonValue message, JsonValue said,
                              const Answered& answered) {
  auto left = rewrite_strings(message, said, answered, [&](JsonValue value, std::string_view text) {
    return sanitising.find(value, text);
  });
  return std::move(sanitising).finish(std::move(left));
}

/// The part of the reparsed message that `said` was of `message`.
JsonValue same_part(JsonValue message, JsonValue said, JsonValue again) {
  if (!said) return {};
  const bool is_root = said.range().begin == message.range().begin;
  return is_root ? again : again.find(said.key());
}

/// Removes forbidden origins from the policies of apps, and parses the result again. Its strings
/// are then sanitised as in any other message.
Sanitisation sanitise_apps(const Sanitising& wanted, JsonValue message, JsonValue said,
                           const Answered& answered, const UiResources& apps) {
  TextSanitising sanitising(wanted);
  sanitising.add_origins(apps.origins.size());
  std::string cut = without_elements(message, apps.origins);
  const Bytes bytes{std::string_view(cut)};
  JsonDocument document;
  const Result<JsonValue> again = document.read(bytes, kResponseLimits);
  if (!again.has_value()) {
    // It was JSON, and a shorter list is still JSON. It can only exceed the size of messages.
    sanitising.refuse_origins();
    return std::move(sanitising).finish({});
  }
  const JsonValue said_again = same_part(message, said, *again);
  sanitising.set_pages(find_ui_resources(wanted, *again, said_again));
  sanitising.join(*again);
  Sanitisation sanitised = sanitise_strings(std::move(sanitising), *again, said_again, answered);
  if (!sanitised.left.has_value()) sanitised.left = std::move(cut);
  return sanitised;
}

bool has_unjudged_app(const Sanitising& wanted, JsonValue left, JsonValue said) {
  if (wanted.of_markup.empty()) return false;
  const UiResources apps = find_ui_resources(wanted, left, said);
  if (!apps.origins.empty() || apps.has_too_many) return true;
  if (apps.blobs.empty()) return false;
  // Base64 of images was skipped, which is allowed.
  return !std::ranges::includes(opaque_values(left, said), apps.blobs);
}

}  // namespace

std::string text(const Sanitised& sanitised) {
  return fmt::format("{} {} {}", sanitised.what, sanitised.action, sanitised.count);
}

void add(std::vector<Sanitised>& all, const Sanitised& one) {
  const auto same = std::ranges::find_if(all, [&](const Sanitised& other) {
    return other.what == one.what && other.action == one.action;
  });
  if (same == all.end()) {
    all.push_back(one);
  } else {
    same->count += one.count;
  }
}

Sanitisation sanitise(const Sanitising& wanted, JsonValue message, JsonValue said,
                      const Answered& answered) {
  UiResources apps = find_ui_resources(wanted, message, said);
  if (apps.has_too_many) {
    TextSanitising refusing(wanted);
    refusing.refuse_origins();
    return std::move(refusing).finish({});
  }
  if (!apps.origins.empty()) return sanitise_apps(wanted, message, said, answered, apps);
  // Almost always nothing is found, and then the opaque values are not needed.
  TextSanitising looking(wanted);
  looking.set_pages(apps);
  const bool finds = looking.finds_in(message);
  TextSanitising sanitising(wanted);
  sanitising.set_pages(std::move(apps));
  const bool is_active = sanitising.join(message);
  if (!finds && !is_active) return {};
  return sanitise_strings(std::move(sanitising), message, said, answered);
}

Sanitisation find_unjudged_app(const Sanitising& wanted, JsonValue left, JsonValue said) {
  if (!has_unjudged_app(wanted, left, said)) return {};
  return {.found = {with_rule(wanted, kUiOrigin, ActiveMarkup::refuse, 1)},
          .left = {},
          .is_withheld = true};
}

Sanitisation sanitise(const Sanitising& wanted, std::string_view text) {
  TextSanitising sanitising(wanted);
  const TextEdits edits = sanitising.find(text);
  std::optional<std::string> left;
  if (!edits.empty()) left = edited(text, edits);
  return std::move(sanitising).finish(std::move(left));
}

bool may_need_sanitising(JsonValue value) {
  bool is_root = true;  // The name of the root belongs to the envelope.
  for (const JsonValue one : value.within()) {
    // It may be the policy of an app, or its page in base64.
    if (one.key() == "csp" || one.key() == "blob") return true;
    const bool has_name = !std::exchange(is_root, false) && one.key_range().size() > 0;
    if (has_name && may_need_sanitising(one.key())) return true;
    if (one.is(JsonType::string) && may_need_sanitising(one.text())) return true;
  }
  return false;
}

bool may_need_sanitising(std::string_view text) {
  // Names, versions and addresses, as in most values.
  static constexpr ByteSet harmless("A-Za-z0-9_./ -");
  if (std::ranges::all_of(text, [](char c) { return harmless.holds(c); })) return false;
  const LinkFilter nowhere = [](const UrlHost&) { return false; };
  return has_hidden(text) || has_active_markup(text, nowhere);
}

}  // namespace bartizan
