#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/position.h"
#include "config/redaction.h"

namespace bartizan {

/// The handling of invisible characters: controls, terminal escapes, zero-width and bidirectional
/// marks, tags. From the weakest to the strongest; if several rules match, the strongest applies.
enum class HiddenText : std::uint8_t {
  keep,    ///< It passes and is recorded.
  show,    ///< Its code points, in readable form, replace it.
  remove,  ///< It is removed.
  refuse,  ///< The whole message is withheld.
};

/// The use of a text. Clients write a `source` text back to its file, and the file must stay the
/// same. Therefore form feeds, private-use glyphs and soft hyphens stay in it.
enum class SanitisedText : std::uint8_t { shown, source };

/// The handling of text that acts when it is displayed: HTML, links that run code, and images and
/// links that leak data. From the weakest to the strongest.
enum class ActiveMarkup : std::uint8_t {
  keep,    ///< It passes.
  defuse,  ///< It is escaped, so that it is shown but does nothing.
  refuse,  ///< The whole message is withheld.
};

/// The handling of text that addresses the model as if it were its user. From the weakest to the
/// strongest. Detection is never complete.
enum class InjectionScreen : std::uint8_t {
  observe,   ///< It passes and is recorded.
  mark,      ///< A warning precedes it.
  withhold,  ///< The whole message is withheld.
};

/// `[sanitise.NAME]`: what servers' texts may have in them beside visible text.
struct SanitisingConfig {
  std::string name = {};
  std::vector<Carrier> in = {};  ///< Never empty; default: everything that reaches clients.
  HiddenText hidden = HiddenText::keep;
  SanitisedText text = SanitisedText::shown;
  ActiveMarkup markup = ActiveMarkup::keep;
  /// Allowed hosts of links and images if `markup` is not `keep`. Empty: none.
  std::vector<std::string> hosts = {};
  InjectionScreen injection = InjectionScreen::observe;
  /// Origins that `ui://` resources may load from and connect to, if `markup` is not `keep`. Empty:
  /// none.
  std::vector<std::string> ui_origins = {};
  std::vector<std::string> roles = {};  ///< Roles of the receiving principal; empty: everyone.
  /// Globs of the tools whose messages are checked; empty: everything that servers send.
  std::vector<std::string> tools = {};
  Position where = {};
  Position hosts_where = {};
  Position ui_origins_where = {};
};

/// The default of `[sanitise.default]`. It removes hidden text from everything that reaches
/// clients, keeps markup, and observes injections.
SanitisingConfig default_sanitising();

}  // namespace bartizan
