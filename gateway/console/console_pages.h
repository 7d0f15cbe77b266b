#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/catalogue/directory.h"
#include "gateway/catalogue/quarantine.h"
#include "gateway/store/revocations.h"
#include "gateway/worker/reload_status.h"

namespace bartizan {

// The pages of the console, as HTML without scripts or inline styles. The texts of servers and
// clients pass through `shown_text`.

/// The reader of a page. Empty on pages without a sign-in.
struct PageReader {
  std::string principal = {};
  std::string proof = {};  ///< `api_key:NAME`.
  std::string csrf = {};   ///< The token in the page's forms.
  bool sees_all = true;    ///< More than approvals.
};

/// The content of the first page.
struct ConsoleStatus {
  std::string not_ready;  ///< Why calls are refused; empty if they are accepted.
  std::vector<std::string> warnings = {};
  bool observes = false;  ///< Policy refuses nothing, and records what it would refuse.
  std::string policy = {};
  ReloadStatus reloads = {};
  std::size_t workers = 0, sessions = 0, connections = 0, calls = 0, children = 0;
  std::string audit_head = {};
  std::uint64_t memory_used = 0, memory_max = 0;  ///< Bytes.
  std::map<std::string, ServerState, std::less<>> servers = {};
  Quarantines quarantines = {};
};

/// GET /: the state of the gateway, and what needs attention.
std::string status_html(const ConsoleStatus& status, const PageReader& reader);

/// GET /quarantine: every quarantined definition, with a form for each that a release would free.
/// `notice` is the result of the last action; empty for none.
std::string quarantine_html(const Quarantines& quarantines, std::string_view notice,
                            const PageReader& reader);

/// GET /revocations: all revocations and blocks, each with a form that lifts it, and a form for a
/// new one. `has_state`: whether there is a state file to keep them in.
std::string revocations_html(std::span<const Revocation> revocations, bool has_state,
                             std::string_view notice, const PageReader& reader);

/// GET /sign-in. `error` says why the last sign-in was refused; empty for none. `doors` are the
/// front doors whose providers operators may use. `then` is the requested page, which the forms
/// carry; empty for none.
std::string sign_in_html(std::string_view error, const std::vector<std::string>& doors,
                         bool takes_keys, std::string_view then = {});

/// Forwards a browser automatically, with a link as a fallback.
std::string go_on_html(std::string_view title, std::string_view url);

/// GET /callback: a browser that returned from a provider continues by a form, since GET changes
/// nothing.
std::string callback_html(std::string_view code, std::string_view state,
                          const std::optional<std::string_view>& issuer);

/// A page that says why something was not done.
struct ConsoleMessage {
  std::string title;
  std::string sentence;
  std::string decision_id = {};  ///< The id of the record; empty without one.
  std::string link = "/";        ///< The link of the page.
  std::string link_text = "To the console";
};
std::string message_html(const ConsoleMessage& message);

/// GET /console.css: the only stylesheet.
std::string_view console_style();

}  // namespace bartizan
