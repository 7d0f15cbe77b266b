#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "config/console_config.h"
#include "gateway/http/http_head.h"
#include "policy/verdict/reason.h"

namespace bartizan {

namespace limits {
/// A form of the console: a key, or the names of a definition and a token.
inline constexpr std::size_t console_form_bytes_max = std::size_t{4} << 10;
}  // namespace limits

/// What the console serves.
enum class ConsolePlace : std::uint8_t {
  none,
  status,         ///< GET /
  quarantine,     ///< GET /quarantine
  style,          ///< GET /console.css
  sign_in,        ///< GET and POST /sign-in
  sign_out,       ///< POST /sign-out
  provider,       ///< POST /sign-in/provider: on to an identity provider
  callback,       ///< GET and POST /callback: back from there
  release,        ///< POST /release
  revocations,    ///< GET /revocations
  revoke,         ///< POST /revoke
  lift,           ///< POST /lift
  registrations,  ///< GET /registrations
  registration,   ///< POST /registration
  approvals,      ///< GET /approvals
  approval,       ///< GET and POST /approvals/ID

  // For programs, which show a key with each request: no cookie counts there.
  api_approvals,  ///< GET /api/approvals
  api_approval,   ///< GET and POST /api/approvals/ID
  // In the paths that Fabricore has.
  orchestrator_pending,  ///< GET /orchestrator/pending
  orchestrator_approve,  ///< POST /orchestrator/approve
  orchestrator_deny,     ///< POST /orchestrator/deny
};

/// The place that a path names. A query changes nothing.
ConsolePlace console_place(std::string_view path);

/// The request for approval that a path names; empty for none.
std::string_view approval_of(std::string_view path);

/// Whether a page asked for itself again, and nobody is there perhaps: its query says so.
bool is_asked_by_itself(const RequestHead& head);
/// What such a page has behind its path.
inline constexpr std::string_view kByItself = "?live=on";

/// Whether a path is for programs: what is refused there is told as JSON.
bool is_for_programs(std::string_view path);

/// The page behind a sign-in that somebody asked for, as its path has it: of approvals alone, and
/// nowhere else. Empty for any other text.
std::string_view page_behind(std::string_view text);

/// Why a request is answered before anybody asks whose it is.
struct ConsoleFlaw {
  int status = 400;
  /// What the record says; `none` where it says nothing: such a request is a slip, and not an
  /// attack.
  Reason reason = Reason::none;
  std::string_view why;         ///< A sentence for who sent it.
  std::string_view allow = {};  ///< With 405: the methods that are served there.
};

/// Whether a request may be looked at: its Host is one of the console's, its place takes its
/// method, and a form comes from a page of the console, as a browser sends it. A form without
/// `Origin` comes from no browser of today, and is refused. A program sends JSON, and needs no
/// `Origin`. Nothing for a request without flaw.
///
/// Input:  `is_encrypted`: whether it came over TLS.
/// Source: CWE-350 (Host), CWE-352 (Origin, Sec-Fetch-Site); W3C Fetch Metadata.
std::optional<ConsoleFlaw> find_console_flaw(const ConsoleConfig& console, const RequestHead& head,
                                             bool is_encrypted);

/// The name of the cookie of a session. Over TLS browsers take it from the very host only, and from
/// no connection without TLS (RFC 6265bis §4.1.3.2).
std::string_view console_cookie_name(bool is_encrypted);

/// The id of a session that a request carries; nothing where it carries none, two, or what is none.
std::optional<std::string_view> console_cookie(const RequestHead& head, bool is_encrypted);

}  // namespace bartizan
