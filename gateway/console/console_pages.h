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

// The pages of the console, as HTML without scripts and without styles of their own. What servers
// and clients worded goes through `shown_text`.

/// Who looks at a page. Empty on pages that nobody signed in to see.
struct PageReader {
  std::string principal = {};
  std::string proof = {};  ///< `api_key:NAME`.
  std::string csrf = {};   ///< What the forms of the page carry.
  bool sees_all = true;    ///< Not only approvals.
};

/// What the first page shows.
struct ConsoleStatus {
  std::string not_ready;  ///< Why calls are not accepted; empty while they are.
  std::vector<std::string> warnings = {};
  bool observes = false;  ///< Policy refuses nothing, and says what it would refuse.
  std::string policy = {};
  ReloadStatus reloads = {};
  std::size_t workers = 0, sessions = 0, connections = 0, calls = 0, children = 0;
  std::string audit_head = {};
  std::uint64_t memory_used = 0, memory_max = 0;  ///< Bytes.
  std::map<std::string, ServerState, std::less<>> servers = {};
  Quarantines quarantines = {};
};

/// GET /: what runs, and what should be looked at.
std::string status_html(const ConsoleStatus& status, const PageReader& reader);

/// GET /quarantine: every definition that is quarantined, and a form for each that a release would
/// free. `notice` says what became of the last act; empty for none.
std::string quarantine_html(const Quarantines& quarantines, std::string_view notice,
                            const PageReader& reader);

/// GET /revocations: what is revoked and blocked, each with a form that lifts it, and a form that
/// revokes or blocks. `has_state`: whether there is a state file to keep it in.
std::string revocations_html(std::span<const Revocation> revocations, bool has_state,
                             std::string_view notice, const PageReader& reader);

/// GET /sign-in. `error` says why the last sign-in was not taken; empty for none. `doors` are the
/// front doors whose providers operators may sign in at. `then` is the page that was asked for,
/// which the forms name; empty for none.
std::string sign_in_html(std::string_view error, const std::vector<std::string>& doors,
                         bool takes_keys, std::string_view then = {});

/// Sends a browser on by itself, and by a link where it does not go.
std::string go_on_html(std::string_view title, std::string_view url);

/// GET /callback: a browser that came back from a provider goes on by a form, since GET changes
/// nothing.
std::string callback_html(std::string_view code, std::string_view state,
                          const std::optional<std::string_view>& issuer);

/// A page that says why something was not done.
struct ConsoleMessage {
  std::string title;
  std::string sentence;
  std::string decision_id = {};  ///< Under which it is on record; empty where it is not.
  std::string link = "/";        ///< Where the page leads on to.
  std::string link_text = "To the console";
};
std::string message_html(const ConsoleMessage& message);

/// GET /console.css: the one stylesheet.
std::string_view console_style();

}  // namespace bartizan
