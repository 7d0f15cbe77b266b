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
/// The most bytes of a form: a key, or the names of a definition and a token.
inline constexpr std::size_t console_form_bytes_max = std::size_t{4} << 10;
}  // namespace limits

/// The paths that the console serves.
enum class ConsolePlace : std::uint8_t {
  none,
  status,         ///< GET /
  quarantine,     ///< GET /quarantine
  style,          ///< GET /console.css
  sign_in,        ///< GET and POST /sign-in
  sign_out,       ///< POST /sign-out
  provider,       ///< POST /sign-in/provider: to an identity provider
  callback,       ///< GET and POST /callback: back from the provider
  release,        ///< POST /release
  revocations,    ///< GET /revocations
  revoke,         ///< POST /revoke
  lift,           ///< POST /lift
  registrations,  ///< GET /registrations
  registration,   ///< POST /registration
  approvals,      ///< GET /approvals
  approval,       ///< GET and POST /approvals/ID

  // For programs, which send a key with each request; cookies are ignored.
  api_approvals,  ///< GET /api/approvals
  api_approval,   ///< GET and POST /api/approvals/ID
  // With the paths of Fabricore.
  orchestrator_pending,  ///< GET /orchestrator/pending
  orchestrator_approve,  ///< POST /orchestrator/approve
  orchestrator_deny,     ///< POST /orchestrator/deny
};

/// The place of a path. Queries are not part of it.
ConsolePlace console_place(std::string_view path);

/// The id of the request for approval in a path; empty for none.
std::string_view approval_of(std::string_view path);

/// Whether a page refreshed itself, so that possibly nobody is there. Its query says so.
bool is_asked_by_itself(const RequestHead& head);
/// The query of such a refresh.
inline constexpr std::string_view kByItself = "?live=on";

/// Whether a path is for programs; refusals are then JSON.
bool is_for_programs(std::string_view path);

/// The path of a page to show after a sign-in. Only pages of approvals are allowed; empty for any
/// other text.
std::string_view page_behind(std::string_view text);

/// Why a request is refused before its sender is identified.
struct ConsoleFlaw {
  int status = 400;
  /// The reason for the record; `none` if nothing is recorded, since the request is a mistake
  /// rather than an attack.
  Reason reason = Reason::none;
  std::string_view why;         ///< A sentence for the sender.
  std::string_view allow = {};  ///< With 405: the methods of that path.
};

/// Checks a request before its sender is identified. Its Host must be one of the console's, and its
/// place must allow its method. A form must come from a page of the console, with `Origin`, which
/// every current browser sends. A program sends JSON, and needs no `Origin`. Nothing if the request
/// has no flaw.
///
/// Input:  `is_encrypted`: whether it came over TLS.
/// Source: CWE-350 (Host), CWE-352 (Origin, Sec-Fetch-Site); W3C Fetch Metadata.
std::optional<ConsoleFlaw> find_console_flaw(const ConsoleConfig& console, const RequestHead& head,
                                             bool is_encrypted);

/// The name of the session cookie. With TLS, browsers accept it only from this very host, and never
/// from a connection without TLS (RFC 6265bis §4.1.3.2).
std::string_view console_cookie_name(bool is_encrypted);

/// The session id in a request; nothing if there is none, there are two, or it is malformed.
std::optional<std::string_view> console_cookie(const RequestHead& head, bool is_encrypted);

}  // namespace bartizan
