#include "policy/sanitiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/sanitising_names.h"
#include "policy/active_markup.h"
#include "policy/character_kind.h"
#include "policy/hidden_text.h"
#include "policy/left_alone.h"
#include "policy/rewrite_strings.h"

namespace bartizan {
namespace {

/// The part's code points, to be read: `[U+202E]`. Letters of an escape stand as they are.
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

/// What stands in the place of what was hidden. Of a line break it is another: text that somebody
/// broke into lines is not made one.
std::string replacement(const HiddenPart& part, HiddenText action, std::string_view text) {
  if (action == HiddenText::show) return shown(part.range.of(text));
  return part.kind == HiddenKind::line_break ? "\n" : "";
}

/// Finds what is to be changed of one text after the other, and keeps what was found.
class TextSanitising {
 public:
  explicit TextSanitising(const Sanitising& wanted)
      : wanted_(wanted),
        may_lead_to_([this](const UrlHost& host) { return wanted_.lets_lead_to(host); }) {}

  TextEdits find(std::string_view text) {
    TextEdits hidden = find_hidden_edits(text);
    if (wanted_.markup == ActiveMarkup::keep) return hidden;
    if (hidden.empty()) return find_markup_edits(text);
    // Readers of markup see what is left, and so it is written anew as a whole.
    const std::string seen = edited(text, hidden);
    const TextEdits markup = find_markup_edits(seen);
    if (markup.empty()) return hidden;
    return {{{0, text.size()}, edited(seen, markup)}};
  }

  /// Whether anything is found in a value, in what is left alone as well.
  bool finds_in(JsonValue value) {
    for (const JsonValue one : value.within()) {
      if (one.key_range().size() > 0) find(one.key());
      if (one.is(JsonType::string)) find(one.text());
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
  TextEdits find_hidden_edits(std::string_view text) {
    TextEdits edits;
    for (const HiddenPart& part : find_hidden(text)) {
      add(found_, {bartizan::text(part.kind), bartizan::text(wanted_.hidden), 1});
      ++parts_;
      if (wanted_.hidden == HiddenText::keep) continue;
      is_withheld_ |= wanted_.hidden == HiddenText::refuse || parts_ > kHiddenPartsMax;
      if (is_withheld_) continue;
      edits.push_back({part.range, replacement(part, wanted_.hidden, text)});
    }
    return edits;
  }

  TextEdits find_markup_edits(std::string_view text) {
    TextEdits edits;
    for (ActivePart& part : find_active_markup(text, may_lead_to_)) {
      add(found_, {bartizan::text(part.kind), bartizan::text(wanted_.markup), 1});
      ++parts_;
      is_withheld_ |= wanted_.markup == ActiveMarkup::refuse || parts_ > kHiddenPartsMax;
      if (!is_withheld_) edits.push_back(std::move(part.edit));
    }
    return edits;
  }

  const Sanitising& wanted_;
  LinkFilter may_lead_to_;
  std::vector<Sanitised> found_;
  std::size_t parts_ = 0;
  bool is_withheld_ = false;
};

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

Sanitisation sanitise(const Sanitising& wanted, JsonValue message, JsonValue said) {
  // Almost always nothing is found, and then nobody needs to know what would be left alone.
  if (!TextSanitising(wanted).finds_in(message)) return {};
  TextSanitising sanitising(wanted);
  auto left =
      rewrite_strings(message, said, [&](std::string_view text) { return sanitising.find(text); });
  return std::move(sanitising).finish(std::move(left));
}

Sanitisation sanitise(const Sanitising& wanted, std::string_view text) {
  TextSanitising sanitising(wanted);
  const TextEdits edits = sanitising.find(text);
  std::optional<std::string> left;
  if (!edits.empty()) left = edited(text, edits);
  return std::move(sanitising).finish(std::move(left));
}

bool may_need_sanitising(JsonValue value) {
  bool is_root = true;  // Its name is the envelope's.
  for (const JsonValue one : value.within()) {
    const bool has_name = !std::exchange(is_root, false) && one.key_range().size() > 0;
    if (has_name && may_need_sanitising(one.key())) return true;
    if (one.is(JsonType::string) && may_need_sanitising(one.text())) return true;
  }
  return false;
}

bool may_need_sanitising(std::string_view text) {
  const LinkFilter nowhere = [](const UrlHost&) { return false; };
  return has_hidden(text) || has_active_markup(text, nowhere);
}

}  // namespace bartizan
