#include "policy/sanitise/active_markup.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>

#include "policy/redact/redaction_mark.h"
#include "policy/text/hidden_text.h"
#include "schemas/base/ascii.h"
#include "schemas/base/byte_block.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, kActiveKindCount> kNames{"html", "link", "script"};

/// Tags that act, hide or reverse their content, or ask for something, without any attribute.
constexpr std::array<std::string_view, 63> kActiveTags{
    "applet",   "audio",       "base",          "blink",   "body",      "button",
    "canvas",   "datalist",    "details",       "dialog",  "embed",     "fencedframe",
    "form",     "frame",       "frameset",      "head",    "html",      "iframe",
    "input",    "isindex",     "keygen",        "layer",   "ilayer",    "link",
    "listing",  "marquee",     "math",          "meta",    "noembed",   "noframes",
    "noscript", "object",      "optgroup",      "option",  "plaintext", "portal",
    "script",   "select",      "slot",          "style",   "summary",   "svg",
    "template", "textarea",    "title",         "video",   "xml",       "xmp",
    "animate",  "set",         "foreignobject", "bgsound", "image",     "img",
    "menuitem", "font",        "bdo",           "rp",      "progress",  "meter",
    "basefont", "geolocation", "permission"};

/// Attributes that load, lead, run, hide or reverse something, in addition to those of events.
constexpr std::array<std::string_view, 29> kActiveAttributes{
    "color",         "dir",    "action",   "archive", "background", "classid",
    "codebase",      "data",   "dynsrc",   "form",    "fill",       "formaction",
    "hidden",        "href",   "longdesc", "lowsrc",  "manifest",   "ping",
    "popovertarget", "poster", "src",      "srcdoc",  "srcset",     "style",
    "usemap",        "xmlns",  "bgcolor",  "popover", "imagesrcset"};
/// Those of them that need no value.
constexpr std::array<std::string_view, 2> kActiveWords{"hidden", "popover"};

/// More `<` before one `>` than any text needs. Beyond that, all of them count as tags.
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

/// A candidate for a value of an attribute.
struct Value {
  std::size_t end;  ///< After the value and its quote.
  bool is_doubtful = false;
};

/// `mark` is the sign after all attributes. A value that extends beyond it is doubtful. So is a
/// value in several lines, as a line may end the tag in Markdown.
Value read_value(std::string_view attributes, std::size_t at, char mark) {
  while (at < attributes.size() && is_space(attributes[at]))
    ++at;
  if (at == attributes.size()) return {.end = at, .is_doubtful = true};
  const char quote = attributes[at];
  const bool is_quoted = quote == '"' || quote == '\'';
  const std::size_t end =
      is_quoted ? attributes.find(quote, at + 1) : attributes.find_first_of(" \t\n\r\f\"'", at);
  // Without quotes `>` ends a value; after a `<` it may continue.
  if (end == std::string_view::npos) {
    return {.end = attributes.size(), .is_doubtful = is_quoted || mark != '>'};
  }
  const std::string_view inside = attributes.substr(at, end - at);
  const bool is_doubtful =
      is_quoted ? inside.find_first_of("\n\r") != inside.npos : !is_space(attributes[end]);
  return {.end = end + 1, .is_doubtful = is_doubtful};
}

/// Whether attributes act, as browsers parse them: a `=` at the start of a name is part of the
/// name.
/// Source: HTML §13.2.5.8 "Tag name state" to §13.2.5.39.
bool are_active_in_browsers(std::string_view attributes, char mark) {
  const auto ends_name = [](char c) { return is_space(c) || c == '/'; };
  std::size_t at = 0;
  while (at < attributes.size() && !ends_name(attributes[at]))
    ++at;
  while (at < attributes.size()) {
    if (ends_name(attributes[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at++;
    while (at < attributes.size() && !ends_name(attributes[at]) && attributes[at] != '=')
      ++at;
    const std::string_view name = attributes.substr(begin, at - begin);
    while (at < attributes.size() && is_space(attributes[at]))
      ++at;
    if (is_one_of(kActiveWords, name)) return true;
    if (at == attributes.size() || attributes[at] != '=') continue;
    if (is_active_attribute(name)) return true;
    const Value value = read_value(attributes, at + 1, mark);
    if (value.is_doubtful) return true;
    at = value.end;
  }
  return false;
}

/// Whether attributes may be active for a parser to which each word is a name, and each `=` starts
/// a value.
bool are_active_in_doubt(std::string_view attributes, char mark) {
  std::size_t at = 0;
  while (at < attributes.size()) {
    if (!is_name_part(attributes[at])) {
      if (attributes[at++] != '=') continue;
      const Value value = read_value(attributes, at, mark);
      if (value.is_doubtful) return true;
      at = value.end;
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
    constexpr std::string_view kBefore = " \t\n\r\f/\"'";
    const bool is_word = begin > 0 && kBefore.contains(attributes[begin - 1]);
    if (is_word && is_one_of(kActiveWords, name)) return true;
    if (has_value && is_active_attribute(name)) return true;
    at = next;
  }
  return false;
}

/// Whether attributes act, or may continue after the text. They are the text between a `<` and the
/// next `<` or `>`, which is `mark`.
bool are_active(std::string_view attributes, char mark) {
  return are_active_in_browsers(attributes, mark) || are_active_in_doubt(attributes, mark);
}

bool is_of_margin(char c) {
  return c == ' ' || c == '\t' || c == '>' || c == '\n' || c == '\r';
}

/// The end of a tag whose lines may belong to a Markdown quotation, and begin with `>`.
std::size_t tag_end(std::string_view text, std::size_t from) {
  for (;;) {
    const std::size_t place = text.find_first_of(">\n\r", from);
    if (place == std::string_view::npos) return text.size();
    if (text[place] == '>') return place;
    from = place + 1;
    while (from < text.size() && is_of_margin(text[from]))
      ++from;
  }
}

/// A text without the quotation signs of its lines.
std::string without_margin(std::string_view text) {
  std::string plain(text);
  bool is_margin = false;
  for (char& c : plain) {
    is_margin = c == '\n' || c == '\r' || (is_margin && is_of_margin(c));
    if (is_margin && c == '>') c = ' ';
  }
  return plain;
}

/// Whether the attributes act if a quotation sign ends the tag, or if it only precedes the next
/// line.
bool is_active_in_any_reading(std::string_view attributes, char mark) {
  const std::size_t first = attributes.find('>');
  if (first == std::string_view::npos) return are_active(attributes, mark);
  return are_active(attributes.substr(0, first), '>') ||
         are_active(without_margin(attributes), mark);
}

/// A search through one text.
class MarkupSearch {
 public:
  MarkupSearch(std::string_view text, const LinkFilter& may_lead_to)
      : text_(text), may_lead_to_(may_lead_to) {}

  /// Stops at the first part beyond `parts_max`.
  std::vector<ActivePart> search(std::size_t parts_max) {
    search_start();
    EitherSearch marks(text_, '<', ']');
    for (at_ = marks.next(0); at_ < text_.size() && parts_.size() <= parts_max;
         at_ = marks.next(at_ + 1)) {
      if (text_[at_] == '<' && is_tag()) add({at_, at_ + 1}, "&lt;", ActiveKind::html);
      if (text_[at_] == ']' && is_link()) {
        add({at_, at_ + 1}, ends_mark() ? "] " : "&#93;", ActiveKind::link);
      }
    }
    return std::move(parts_);
  }

 private:
  /// Handles a text that is a URL as a whole, such as the link of a resource.
  void search_start() {
    const std::size_t begin = text_.find_first_not_of(" \t\n\r");
    if (begin == std::string_view::npos || !is_script_url(text_.substr(begin))) return;
    add({begin, begin + 1}, std::string("unsafe:") + text_[begin], ActiveKind::script);
  }

  bool is_tag();
  bool is_active_from(std::size_t begin);
  void measure(std::size_t begin);
  bool is_autolink() const;
  bool ends_mark();
  bool is_link() const;

  void add(ByteRange part, std::string replacement, ActiveKind kind) {
    parts_.push_back({{part, std::move(replacement)}, kind});
  }
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  std::string_view text_;
  const LinkFilter& may_lead_to_;
  std::vector<ActivePart> parts_;
  std::size_t at_ = 0;
  /// For each `<` before the next `>`: whether a tag that begins there has active attributes. The
  /// text after a later `<` also counts as its attributes.
  struct Open {
    std::size_t at;
    bool is_active;
  };
  std::vector<Open> open_;
  std::size_t open_end_ = 0;
  std::optional<std::vector<ByteRange>> marks_;  ///< Of redaction, once one matters.
};

void MarkupSearch::measure(std::size_t begin) {
  open_end_ = tag_end(text_, begin);
  open_.clear();
  for (std::size_t at = begin; at < open_end_ && open_.size() < kOpenMax;
       at = std::min(text_.find('<', at + 1), text_.size())) {
    open_.push_back({at, true});
  }
  if (open_.size() == kOpenMax) return;
  bool is_active = false;
  std::size_t end = open_end_;
  for (Open& open : std::views::reverse(open_)) {
    is_active = is_active ||
                is_active_in_any_reading(text_.substr(open.at + 1, end - open.at - 1), at(end));
    open.is_active = is_active;
    end = open.at;
  }
}

bool MarkupSearch::is_active_from(std::size_t begin) {
  if (begin >= open_end_) measure(begin);
  const auto found = std::ranges::lower_bound(open_, begin, {}, &Open::at);
  return found == open_.end() || found->at != begin || found->is_active;
}

/// Source: CommonMark 0.31, "Autolinks". Only schemes that are known to act count, as
///         `<std::string>` in code has the same form.
bool MarkupSearch::is_autolink() const {
  return is_active_autolink(text_.substr(at_ + 1), may_lead_to_);
}

bool MarkupSearch::is_tag() {
  std::size_t name_begin = at_ + 1;
  const char first = at(name_begin);
  // Anything that is neither a tag nor text is a comment, which is invisible.
  if (first == '!' || first == '?') return true;
  if (first == '/') {
    ++name_begin;
    if (!is_letter(at(name_begin))) return at(name_begin) != '>';
  }
  if (!is_letter(at(name_begin))) return false;
  std::size_t name_end = name_begin;
  while (is_name_part(at(name_end)))
    ++name_end;
  const std::string_view name = text_.substr(name_begin, name_end - name_begin);
  // The name of a tag may have any prefix: `svg:script`.
  if (at(name_end) == ':' && at(name_end + 1) != ':' && at(name_end + 1) != '/') {
    std::size_t end = name_end + 1;
    while (is_name_part(at(end)))
      ++end;
    if (is_one_of(kActiveTags, text_.substr(name_end + 1, end - name_end - 1))) return true;
  }
  return is_one_of(kActiveTags, name) || is_active_from(at_) || (first != '/' && is_autolink());
}

/// A mark of redaction stays whole, so that it can be recognised and restored.
bool MarkupSearch::ends_mark() {
  if (!marks_.has_value()) marks_ = find_redaction_marks(text_);
  return std::ranges::binary_search(*marks_, at_ + 1, {}, &ByteRange::end);
}

/// Whether `]` ends the text of a link or the name of a definition with a forbidden target. A `]`
/// after a backslash ends nothing.
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
