#include "gateway/command/man_text.h"

#include <fmt/format.h>

#include "gateway/runtime/version.h"

namespace bartizan {

std::string man_text(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char letter : text) {
    if (begins && (letter == '.' || letter == '\'')) out += "\\&";
    begins = letter == '\n';
    switch (letter) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '`':
        out += "\\(ga";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

std::string man_word(std::string_view text) {
  std::string out;
  for (const char letter : man_text(text)) {
    if (letter == ' ') {
      out += "\\ ";
    } else if (letter == '"') {
      out += "\\(dq";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string man_head(std::string_view name, int section, std::string_view part) {
  // Left-aligned and without hyphenation, because readers copy the text.
  return fmt::format(".TH {} {} \"\" \"bartizan {}\" \"{}\"\n.nh\n.ad l\n", name, section, kVersion,
                     part);
}

}  // namespace bartizan
