#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/content/rewrite_strings.h"
#include "policy/url/link_target.h"

namespace bartizan {

/// Kinds of markup that act when a text is shown as HTML or Markdown.
enum class ActiveKind : std::uint8_t {
  html,   ///< A tag that acts, hides or asks, or has such an attribute; a comment.
  link,   ///< A Markdown link or image to a place that is not allowed.
  script  ///< A text that is a `javascript:`, `vbscript:` or `data:` URL.
};
inline constexpr std::size_t kActiveKindCount = 3;

/// The name in records and metrics.
std::string_view text(ActiveKind kind);

/// An active part of a text, and the edit that makes it visible instead.
struct ActivePart {
  TextEdit edit;
  ActiveKind kind = ActiveKind::html;
};

/// Returns the active parts of a text, in order. After their edits nothing is active, and
/// everything else is unchanged. A `<` becomes `&lt;`. `](` and `]:` become `&#93;(` and `&#93;:`,
/// and `] (` and `] :` after a mark of redaction. `unsafe:` is put before a URL. A doubtful part
/// counts as active, as the reader is unknown. The search ends after `kHiddenPartsMax` parts, as in
/// `find_hidden`.
///
/// Input:  UTF-8 without hidden characters, which readers of HTML skip.
/// Cost:   linear.
/// Source: HTML, "Tokenization"; CommonMark 0.31, "Links", "Autolinks", "Raw HTML"; WHATWG URL,
///         "Basic URL parser".
std::vector<ActivePart> find_active_markup(std::string_view text, const LinkFilter& may_lead_to);

/// Whether there is an active part. Cost: linear, up to the first.
bool has_active_markup(std::string_view text, const LinkFilter& may_lead_to);

}  // namespace bartizan
