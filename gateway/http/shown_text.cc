#include "gateway/http/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "policy/text/character_kind.h"
#include "policy/text/hidden_text.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kMarkBegin = "<span class=\"mark\">";
constexpr std::string_view kMarkEnd = "</span>";

void append_escaped(std::string& html, char c) {
  switch (c) {
    case '&':
      html += "&amp;";
      break;
    case '<':
      html += "&lt;";
      break;
    case '>':
      html += "&gt;";
      break;
    case '"':
      html += "&quot;";
      break;
    case '\'':
      html += "&#39;";
      break;
    default:
      html += c;
  }
}

/// Makes an invisible part readable. ASCII characters of an escape sequence stay unchanged.
void append_hidden(std::string& html, std::string_view part) {
  html += kMarkBegin;
  for (std::size_t at = 0; at < part.size();) {
    const ReadCharacter read = read_character(part, at);
    if (read.value == kNoCharacter) {
      html += fmt::format("[byte {:02X}]", static_cast<unsigned char>(part[at]));
    } else if (read.value > ' ' && read.value < 0x7F) {
      append_escaped(html, part[at]);
    } else {
      html += fmt::format("[U+{:04X}]", static_cast<std::uint32_t>(read.value));
    }
    at += read.size;
  }
  html += kMarkEnd;
}

/// Shows bytes that are not UTF-8 by their values: a browser would show the same sign for all.
void append_seen(std::string& html, std::string_view part) {
  for (std::size_t at = 0; at < part.size();) {
    const ReadCharacter read = read_character(part, at);
    if (read.value == kNoCharacter) {
      append_hidden(html, part.substr(at, 1));
    } else if (read.size == 1) {
      append_escaped(html, part[at]);
    } else {
      html += part.substr(at, read.size);
    }
    at += read.size;
  }
}

/// The beginning of a text, without a cut character.
std::string_view head_of(std::string_view text, std::size_t bytes_max) {
  std::size_t end = std::min(text.size(), bytes_max);
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  for (int back = 0; back < 3 && end < text.size() && end > 0 && is_inside(text[end]); ++back)
    --end;
  return text.substr(0, end);
}

}  // namespace

std::string shown_text(std::string_view text, std::size_t bytes_max) {
  const std::string_view head = head_of(text, bytes_max);
  std::string html = "<bdi>";
  std::size_t shown = 0;
  for (const HiddenPart& part : find_hidden(head)) {
    append_seen(html, head.substr(shown, part.range.begin - shown));
    append_hidden(html, head.substr(part.range.begin, part.range.end - part.range.begin));
    shown = part.range.end;
  }
  append_seen(html, head.substr(shown));
  if (head.size() < text.size()) {
    html += fmt::format("{}[… {} more bytes]{}", kMarkBegin, text.size() - head.size(), kMarkEnd);
  }
  return html + "</bdi>";
}

std::string escaped_html(std::string_view text) {
  std::string html;
  for (const char c : text)
    append_escaped(html, c);
  return html;
}

}  // namespace bartizan
