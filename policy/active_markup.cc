#include "policy/active_markup.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "policy/hidden_text.h"
#include "schemas/ascii.h"
#include "schemas/byte_block.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, kActiveKindCount> kNames{"html", "link", "script"};

/// Tags that act, hide or turn around what is in them, or ask for something, without any attribute.
constexpr std::array<std::string_view, 58> kActiveTags{
    "applet",   "audio",    "base",          "blink",   "body",      "button",
    "canvas",   "datalist", "details",       "dialog",  "embed",     "fencedframe",
    "form",     "frame",    "frameset",      "head",    "html",      "iframe",
    "input",    "isindex",  "keygen",        "layer",   "ilayer",    "link",
    "listing",  "marquee",  "math",          "meta",    "noembed",   "noframes",
    "noscript", "object",   "optgroup",      "option",  "plaintext", "portal",
    "script",   "select",   "slot",          "style",   "summary",   "svg",
    "template", "textarea", "title",         "video",   "xml",       "xmp",
    "animate",  "set",      "foreignobject", "bgsound", "image",     "img",
    "menuitem", "font",     "bdo",           "rp"};

/// Attributes that load, lead, run, hide or turn around something, beside those of events.
constexpr std::array<std::string_view, 26> kActiveAttributes{
    "color",    "dir",    "action",   "archive", "background",    "classid", "codebase",
    "data",     "dynsrc", "form",     "fill",    "formaction",    "hidden",  "href",
    "longdesc", "lowsrc", "manifest", "ping",    "popovertarget", "poster",  "src",
    "srcdoc",   "srcset", "style",    "usemap",  "xmlns"};

/// More `<` before one `>` than anybody writes: all of them are tags then.
constexpr std::size_t kOpenMax = 100'000;

bool is_name_part(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '_';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

bool equals_ignoring_case(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, lower_case, lower_case);
}

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::any_of(
      names, [name](std::string_view one) { return equals_ignoring_case(one, name); });
}

bool is_active_attribute(std::string_view name) {
  const bool is_event = name.size() > 2 && lower_case(name[0]) == 'o' && lower_case(name[1]) == 'n';
  return is_event || is_one_of(kActiveAttributes, name);
}

/// Whether attributes do something, or may go on behind the text: what stands between a `<` and the
/// next one or `>`. `mark` is that one.
bool are_active(std::string_view attributes, char mark) {
  std::size_t at = 0;
  while (at < attributes.size()) {
    if (!is_name_part(attributes[at])) {
      if (attributes[at++] != '=') continue;
      while (at < attributes.size() && is_space(attributes[at]))
        ++at;
      if (at == attributes.size()) return true;
      const char quote = attributes[at];
      const bool is_quoted = quote == '"' || quote == '\'';
      const std::size_t end =
          is_quoted ? attributes.find(quote, at + 1) : attributes.find_first_of(" \t\n\r\f\"'", at);
      // Without quotes `>` ends a value; a `<` may go on with it.
      if (end == std::string_view::npos) return is_quoted || mark != '>';
      if (!is_quoted && !is_space(attributes[end])) return true;
      at = end + 1;
      continue;
    }
    const std::size_t begin = at;
    while (at < attributes.size() && is_name_part(attributes[at]))
      ++at;
    const std::string_view name = attributes.substr(begin, at - begin);
    std::size_t next = at;
    while (next < attributes.size() && is_space(attributes[next]))
      ++next;
    const bool has_value = next < attributes.size() && attributes[next] == '=';
    // The one that needs no value.
    const bool is_word =
        begin > 0 && (is_space(attributes[begin - 1]) || attributes[begin - 1] == '/');
    if (is_word && equals_ignoring_case(name, "hidden")) return true;
    if (has_value && is_active_attribute(name)) return true;
    at = next;
  }
  return false;
}

/// One search through a text.
class MarkupSearch {
 public:
  MarkupSearch(std::string_view text, const LinkFilter& may_lead_to)
      : text_(text), may_lead_to_(may_lead_to) {}

  /// Ends at the first part above `parts_max`.
  std::vector<ActivePart> search(std::size_t parts_max) {
    search_start();
    EitherSearch marks(text_, '<', ']');
    for (at_ = marks.next(0); at_ < text_.size() && parts_.size() <= parts_max;
         at_ = marks.next(at_ + 1)) {
      if (text_[at_] == '<' && is_tag()) add({at_, at_ + 1}, "&lt;", ActiveKind::html);
      if (text_[at_] == ']' && is_link()) add({at_, at_ + 1}, "\\]", ActiveKind::link);
    }
    return std::move(parts_);
  }

 private:
  /// A text that is a URL as a whole, as links of resources are.
  void search_start() {
    const std::size_t begin = text_.find_first_not_of(" \t\n\r");
    if (begin == std::string_view::npos || !is_script_url(text_.substr(begin))) return;
    add({begin, begin + 1}, std::string("unsafe:") + text_[begin], ActiveKind::script);
  }

  bool is_tag();
  bool is_active_from(std::size_t begin);
  void measure(std::size_t begin);
  bool is_autolink() const;
  bool is_link() const;

  void add(ByteRange part, std::string replacement, ActiveKind kind) {
    parts_.push_back({{part, std::move(replacement)}, kind});
  }
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  std::string_view text_;
  const LinkFilter& may_lead_to_;
  std::vector<ActivePart> parts_;
  std::size_t at_ = 0;
  /// From one `<` to the next `>`: each `<` between them, and whether a tag that begins there has
  /// attributes that do something. What stands behind a later one is its attribute, too.
  struct Open {
    std::size_t at;
    bool is_active;
  };
  std::vector<Open> open_;
  std::size_t open_end_ = 0;
};

void MarkupSearch::measure(std::size_t begin) {
  open_end_ = std::min(text_.find('>', begin), text_.size());
  open_.clear();
  for (std::size_t at = begin; at < open_end_ && open_.size() < kOpenMax;
       at = std::min(text_.find('<', at + 1), text_.size())) {
    open_.push_back({at, true});
  }
  if (open_.size() == kOpenMax) return;
  bool is_active = false;
  std::size_t end = open_end_;
  for (Open& open : std::views::reverse(open_)) {
    is_active = is_active || are_active(text_.substr(open.at + 1, end - open.at - 1), at(end));
    open.is_active = is_active;
    end = open.at;
  }
}

bool MarkupSearch::is_active_from(std::size_t begin) {
  if (begin >= open_end_) measure(begin);
  const auto found = std::ranges::lower_bound(open_, begin, {}, &Open::at);
  return found == open_.end() || found->at != begin || found->is_active;
}

/// Source: CommonMark 0.31, "Autolinks". Of schemes, those that are known to do something: in code
/// `<std::string>` has the same form.
bool MarkupSearch::is_autolink() const {
  return is_active_autolink(text_.substr(at_ + 1), may_lead_to_);
}

bool MarkupSearch::is_tag() {
  std::size_t name_begin = at_ + 1;
  const char first = at(name_begin);
  if (first == '!') {
    const char second = at(name_begin + 1);
    return second == '-' || second == '[' || is_letter(second);
  }
  if (first == '?') return true;
  if (first == '/') ++name_begin;
  if (!is_letter(at(name_begin))) return false;
  std::size_t name_end = name_begin;
  while (is_name_part(at(name_end)))
    ++name_end;
  const std::string_view name = text_.substr(name_begin, name_end - name_begin);
  // Names of tags that anybody may use for any other: `svg:script`.
  if (at(name_end) == ':' && at(name_end + 1) != ':' && at(name_end + 1) != '/') {
    std::size_t end = name_end + 1;
    while (is_name_part(at(end)))
      ++end;
    if (is_one_of(kActiveTags, text_.substr(name_end + 1, end - name_end - 1))) return true;
  }
  return is_one_of(kActiveTags, name) || is_active_from(at_) || (first != '/' && is_autolink());
}

/// Whether `]` ends the text of a link or the name of a definition, of which the target is one that
/// may not be. One behind a backslash ends nothing.
bool MarkupSearch::is_link() const {
  const char next = at(at_ + 1);
  if (next != '(' && next != ':') return false;
  std::size_t backslashes = 0;
  while (backslashes < at_ && text_[at_ - 1 - backslashes] == '\\')
    ++backslashes;
  if (backslashes % 2 == 1) return false;
  return !is_harmless_target(text_.substr(at_ + 2), may_lead_to_);
}

}  // namespace

std::string_view text(ActiveKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<ActivePart> find_active_markup(std::string_view text, const LinkFilter& may_lead_to) {
  return MarkupSearch(text, may_lead_to).search(kHiddenPartsMax);
}

bool has_active_markup(std::string_view text, const LinkFilter& may_lead_to) {
  return !MarkupSearch(text, may_lead_to).search(0).empty();
}

}  // namespace bartizan
