#include "gateway/console/check_console.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/identity/check_source.h"

namespace bartizan {
namespace {

struct Served {
  std::string_view path;
  ConsolePlace place;
  bool is_read = false;  ///< By GET and HEAD, which change nothing.
  bool takes_form = false;
};

constexpr std::array kServed{
    Served{"/", ConsolePlace::status, true, false},
    Served{"/quarantine", ConsolePlace::quarantine, true, false},
    Served{"/console.css", ConsolePlace::style, true, false},
    Served{"/sign-in", ConsolePlace::sign_in, true, true},
    Served{"/sign-out", ConsolePlace::sign_out, false, true},
    Served{"/sign-in/provider", ConsolePlace::provider, false, true},
    Served{"/callback", ConsolePlace::callback, true, true},
    Served{"/release", ConsolePlace::release, false, true},
    Served{"/revocations", ConsolePlace::revocations, true, false},
    Served{"/revoke", ConsolePlace::revoke, false, true},
    Served{"/lift", ConsolePlace::lift, false, true},
    Served{"/registrations", ConsolePlace::registrations, true, false},
    Served{"/registration", ConsolePlace::registration, false, true},
    Served{"/approvals", ConsolePlace::approvals, true, false},
    Served{"/approvals/", ConsolePlace::approval, true, true},
    Served{"/api/approvals", ConsolePlace::api_approvals, true, false},
    Served{"/api/approvals/", ConsolePlace::api_approval, true, true},
    Served{"/orchestrator/pending", ConsolePlace::orchestrator_pending, true, false},
    Served{"/orchestrator/approve", ConsolePlace::orchestrator_approve, false, true},
    Served{"/orchestrator/deny", ConsolePlace::orchestrator_deny, false, true},
};
/// The last part of these paths is an id.
constexpr std::array<std::string_view, 2> kOfRequests{"/approvals/", "/api/approvals/"};

constexpr std::size_t kIdDigits = 64;
/// Size of a request's id: a UUID.
constexpr std::size_t kRequestIdSize = 36;

/// The number of fields of that name, and the value of the last.
std::pair<std::size_t, std::string_view> find_all(const RequestHead& head, std::string_view name) {
  std::pair<std::size_t, std::string_view> found;
  for (const HeaderField& field : head.fields().all()) {
    if (equal_ignoring_case(field.name, name)) found = {found.first + 1, field.value};
  }
  return found;
}

std::optional<ConsoleFlaw> find_origin_flaw(const ConsoleConfig& console, const RequestHead& head,
                                            bool is_encrypted) {
  const auto origin = head.find(KnownHeader::origin);
  if (origin.has_value() && !is_console_origin(console, head.host(), is_encrypted, *origin)) {
    return ConsoleFlaw{.status = 403,
                       .reason = Reason::origin_not_allowed,
                       .why =
                           "The form came from another site. Where a proxy shows the console, "
                           "[console] allowed_origins names its origin."};
  }
  const auto [sites, site] = find_all(head, "sec-fetch-site");
  if (sites > 0 && (sites > 1 || site != "same-origin")) {
    return ConsoleFlaw{.status = 403,
                       .reason = Reason::origin_not_allowed,
                       .why = "The browser says that the form came from another site."};
  }
  return std::nullopt;
}

std::optional<ConsoleFlaw> find_size_flaw(const RequestHead& head) {
  if (head.framing() != BodyFraming::content_length) {
    return ConsoleFlaw{.status = 411, .why = "A form is sent with its length."};
  }
  if (head.content_length() > limits::console_form_bytes_max) {
    return ConsoleFlaw{
        .status = 413, .reason = Reason::http_too_large, .why = "The form is too large."};
  }
  return std::nullopt;
}

std::optional<ConsoleFlaw> find_form_flaw(const ConsoleConfig& console, const RequestHead& head,
                                          bool is_encrypted) {
  if (!head.has(KnownHeader::origin)) {
    return ConsoleFlaw{.status = 403,
                       .reason = Reason::origin_not_allowed,
                       .why = "The form came without an Origin header: send it from a browser."};
  }
  if (const auto flaw = find_origin_flaw(console, head, is_encrypted)) return flaw;
  const auto type = head.find(KnownHeader::content_type);
  const bool is_form =
      type.has_value() && equal_ignoring_case(*type, "application/x-www-form-urlencoded");
  if (!is_form || head.has_content_coding()) {
    return ConsoleFlaw{.status = 415,
                       .why = "A form is sent as application/x-www-form-urlencoded."};
  }
  return find_size_flaw(head);
}

/// Checks a program's JSON. A page of another site could send it only if the console allowed that.
std::optional<ConsoleFlaw> find_json_flaw(const ConsoleConfig& console, const RequestHead& head,
                                          bool is_encrypted) {
  if (const auto flaw = find_origin_flaw(console, head, is_encrypted)) return flaw;
  const auto type = head.find(KnownHeader::content_type);
  const bool is_json = type.has_value() && equal_ignoring_case(*type, "application/json");
  if (!is_json || head.has_content_coding()) {
    return ConsoleFlaw{.status = 415, .why = "An answer is sent as application/json."};
  }
  return find_size_flaw(head);
}

bool is_request_id(std::string_view text) {
  return text.size() == kRequestIdSize && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-';
         });
}

/// The part of a path before the id.
std::string_view place_part(std::string_view path) {
  const std::string_view id = approval_of(path);
  return path.substr(0, path.size() - id.size());
}

const Served* find_served(std::string_view path) {
  const auto found = std::ranges::find(kServed, place_part(path), &Served::path);
  const bool is_served = found != kServed.end() && !path.ends_with("approvals/");
  return is_served ? &*found : nullptr;
}

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

ConsolePlace console_place(std::string_view path) {
  const Served* served = find_served(path);
  return served == nullptr ? ConsolePlace::none : served->place;
}

std::string_view approval_of(std::string_view path) {
  for (const std::string_view place : kOfRequests) {
    if (path.starts_with(place) && is_request_id(path.substr(place.size()))) {
      return path.substr(place.size());
    }
  }
  return {};
}

bool is_asked_by_itself(const RequestHead& head) {
  return head.query() == kByItself.substr(1);
}

bool is_for_programs(std::string_view path) {
  return path.starts_with("/api/") || path.starts_with("/orchestrator/");
}

std::string_view page_behind(std::string_view text) {
  const ConsolePlace place = console_place(text);
  const bool is_page = place == ConsolePlace::approvals || place == ConsolePlace::approval;
  return is_page ? text : std::string_view();
}

std::optional<ConsoleFlaw> find_console_flaw(const ConsoleConfig& console, const RequestHead& head,
                                             bool is_encrypted) {
  if (!is_console_host_allowed(console, head.host())) {
    return ConsoleFlaw{.status = 403,
                       .reason = Reason::host_not_allowed,
                       .why =
                           "The console is not served under this name: [console] allowed_hosts "
                           "names those that it has."};
  }
  const Served* served = find_served(head.path());
  if (served == nullptr) return ConsoleFlaw{.status = 404, .why = "There is no such page."};
  const bool is_read = head.method() == HttpMethod::get || head.method() == HttpMethod::head;
  const bool is_form = head.method() == HttpMethod::post;
  if ((!is_read || !served->is_read) && (!is_form || !served->takes_form)) {
    std::string_view allow = served->is_read ? "GET, HEAD" : "POST";
    if (served->is_read && served->takes_form) allow = "GET, HEAD, POST";
    return ConsoleFlaw{.status = 405, .why = "This method is not served here.", .allow = allow};
  }
  if (is_form && is_for_programs(head.path())) return find_json_flaw(console, head, is_encrypted);
  if (is_form) return find_form_flaw(console, head, is_encrypted);
  if (head.framing() != BodyFraming::none) {
    return ConsoleFlaw{.status = 400, .why = "A page is asked for without a body."};
  }
  return std::nullopt;
}

std::string_view console_cookie_name(bool is_encrypted) {
  return is_encrypted ? "__Host-bartizan" : "bartizan";
}

std::optional<std::string_view> console_cookie(const RequestHead& head, bool is_encrypted) {
  auto [fields, cookies] = find_all(head, "cookie");
  if (fields != 1) return std::nullopt;
  std::optional<std::string_view> id;
  while (!cookies.empty()) {
    std::string_view one = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(one.size() + 1, cookies.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    const std::size_t equals = one.find('=');
    if (equals == one.npos || one.substr(0, equals) != console_cookie_name(is_encrypted)) continue;
    // Another program on the same host may have set one of two.
    if (id.has_value()) return std::nullopt;
    id = one.substr(equals + 1);
  }
  if (!id.has_value() || id->size() != kIdDigits || !is_hex(*id)) return std::nullopt;
  return id;
}

}  // namespace bartizan
