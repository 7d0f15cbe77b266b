#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/content/rewrite_strings.h"
#include "policy/url/link_target.h"

namespace bartizan {

/// What does something where a text is shown as HTML or Markdown.
enum class ActiveKind : std::uint8_t {
  html,   ///< A tag that acts, hides or asks, or that has an attribute which does; a comment.
  link,   ///< A Markdown link or image that leads where it may not.
  script  ///< A text that is a `javascript:`, `vbscript:` or `data:` URL.
};
inline constexpr std::size_t kActiveKindCount = 3;

/// As records and metrics have it.
std::string_view text(ActiveKind kind);

/// A part that makes text active, and what makes it be shown instead.
struct ActivePart {
  TextEdit edit;
  ActiveKind kind = ActiveKind::html;
};

/// What is active in a text, in order: with the edits done nothing is, and the rest is what it was.
/// A `<` is written `&lt;`, a `](` or `]:` as `&#93;(` and `&#93;:`, and behind a mark of redaction
/// as
/// `] (` and `] :`; before a URL stands `unsafe:`. In
/// doubt it is active: nobody knows who will show it. Of a text with more than `kHiddenPartsMax` of
/// them the rest is not looked for, as with `find_hidden`.
///
/// Input:  UTF-8 without hidden characters, which readers of HTML skip.
/// Cost:   linear.
/// Source: HTML, "Tokenization"; CommonMark 0.31, "Links", "Autolinks", "Raw HTML"; WHATWG URL,
///         "Basic URL parser".
std::vector<ActivePart> find_active_markup(std::string_view text, const LinkFilter& may_lead_to);

/// Whether it finds anything. Cost: linear, up to the first.
bool has_active_markup(std::string_view text, const LinkFilter& may_lead_to);

}  // namespace bartizan
