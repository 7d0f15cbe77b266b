#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/position.h"
#include "config/redaction.h"

namespace bartizan {

/// What becomes of characters that nobody sees: controls, escapes of terminals, zero-width and
/// bidirectional marks, tags. From the weakest to the strongest: of several rules the strongest
/// counts.
enum class HiddenText : std::uint8_t {
  keep,    ///< It passes, and is on record.
  show,    ///< Its code points stand in its place, to be read.
  remove,  ///< It is left out.
  refuse,  ///< Nothing of the message passes.
};

/// What texts are for. Those of files are written back by whoever read them, and have to be the
/// same file: form feeds, glyphs of private use and soft hyphens stay in them.
enum class SanitisedText : std::uint8_t { shown, source };

/// What becomes of text that does something where it is shown: HTML, links that run code, images
/// and links that carry data out. From the weakest to the strongest.
enum class ActiveMarkup : std::uint8_t {
  keep,    ///< It passes.
  defuse,  ///< It is written so that it is shown and does nothing.
  refuse,  ///< Nothing of the message passes.
};

/// What becomes of text that talks to the model as if it were its user. From the weakest to the
/// strongest; never a promise that all of it is found.
enum class InjectionScreen : std::uint8_t {
  observe,   ///< It passes, and is on record.
  mark,      ///< A warning stands before it.
  withhold,  ///< Nothing of the message passes.
};

/// `[sanitise.NAME]`: what texts of servers may have in them beside what is read.
struct SanitisingConfig {
  std::string name = {};
  std::vector<Carrier> in = {};  ///< Never empty: all that reaches clients by default.
  HiddenText hidden = HiddenText::keep;
  SanitisedText text = SanitisedText::shown;
  ActiveMarkup markup = ActiveMarkup::keep;
  /// To which links and images may lead where `markup` is not `keep`; without any, to none.
  std::vector<std::string> hosts = {};
  InjectionScreen injection = InjectionScreen::observe;
  /// Origins that `ui://` resources may name for what they load and reach, where `markup` is not
  /// `keep`; without any, none.
  std::vector<std::string> ui_origins = {};
  std::vector<std::string> roles = {};  ///< Of the principal that would see it; empty is everyone.
  /// Globs: only what comes from these tools; empty is everything that servers send.
  std::vector<std::string> tools = {};
  Position where = {};
  Position hosts_where = {};
  Position ui_origins_where = {};
};

/// `[sanitise.default]` as it stands where nobody wrote it: hidden text is removed wherever
/// clients would get it, markup stays, injections are observed.
SanitisingConfig default_sanitising();

}  // namespace bartizan
