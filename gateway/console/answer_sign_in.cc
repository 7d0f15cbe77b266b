// The sign-in to the console, and the sign-out.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gateway/console/answer_console.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

/// A cookie for this host only. Scripts cannot read it, and other sites do not send it.
std::string cookie(const ConsoleRequest& request, std::string_view value) {
  const auto origin = request.head.find(KnownHeader::origin);
  const bool is_secure =
      request.is_encrypted || (origin.has_value() && origin->starts_with("https://"));
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict{}{}",
                     console_cookie_name(request.is_encrypted), value, is_secure ? "; Secure" : "",
                     value.empty() ? "; Max-Age=0" : "");
}

}  // namespace

Task<ConsoleAnswer> Console::sign_in(const ConsoleRequest& request, SnapshotPtr snapshot,
                                     const Form& form) {
  const auto now = steady_now();
  const std::string then(page_behind(form.find("then").value_or("")));
  const std::chrono::seconds wait = attempts_.wait_of(request.address, now);
  if (wait.count() > 0) {
    ConsoleAnswer limited = refuse_sign_in(
        request, *snapshot,
        {.status = 429,
         .reason = Reason::limited,
         .why = fmt::format("Too many keys were wrong: try again in {} s.", wait.count()),
         .then = then});
    limited.headers.emplace_back("Retry-After", std::to_string(wait.count()));
    co_return limited;
  }
  const Authentication proved =
      co_await prove_console_key(loop_, snapshot, form.find("key").value_or(""), request.peer);
  if (!proved.has_value()) {
    attempts_.count_failure(request.address, now);
    co_return refuse_sign_in(
        request, *snapshot,
        {.reason = proved.error().reason, .why = proved.error().detail, .then = then});
  }
  co_return let_in(request, *snapshot, *proved, then);
}

/// Begins a session of the proved principal, if it has any access.
ConsoleAnswer Console::let_in(const ConsoleRequest& request, const Snapshot& snapshot,
                              const Authenticated& proved, std::string_view then) {
  const auto now = steady_now();
  const Principal& principal = *proved.principal;
  const ConsoleAccess access = console_access(snapshot, principal);
  if (access == ConsoleAccess::none) {
    attempts_.count_failure(request.address, now);
    return refuse_sign_in(request, snapshot,
                          {.reason = Reason::role_missing,
                           .why = std::string(kMayNotEnter),
                           .principal = principal.id,
                           .proof = proved.proof,
                           .then = std::string(then)});
  }
  if (!record(RecordKind::sign_in, request, snapshot, principal, proved.proof)) {
    return refuse(
        request, snapshot,
        {.status = 503,
         .why = "Nobody is signed in while that cannot be recorded: " + gateway_.log.failure()});
  }
  // The browser's earlier session ends, so no attacker can fix a session id in advance.
  const auto before = console_cookie(request.head, request.is_encrypted);
  if (before.has_value()) sessions_.end(*before);
  const std::string id = sessions_.begin(
      {.principal = proved.principal, .proof = proved.proof, .credential = proved.credential},
      random_.draw<32>(), random_.draw<32>(), now);
  ConsoleAnswer answer = see_other_page(then.empty() ? home_of(access) : then);
  answer.headers.emplace_back("Set-Cookie", cookie(request, id));
  return answer;
}

/// The sign-in page, with the available providers.
ConsoleAnswer Console::sign_in_page(const Snapshot& snapshot, std::string_view error, int status,
                                    std::string_view then) const {
  std::vector<std::string> doors;
  doors.reserve(snapshot.config.auth.front_doors.size());
  for (const FrontDoorConfig& door : snapshot.config.auth.front_doors)
    doors.push_back(door.name);
  return console_page(sign_in_html(error, doors, !snapshot.config.auth.api_keys.empty(), then),
                      status);
}

/// The sign-in page again, with the reason of the refusal.
ConsoleAnswer Console::refuse_sign_in(const ConsoleRequest& request, const Snapshot& snapshot,
                                      const Refused& refused) {
  const std::string id = note(request, snapshot, refused);
  std::string error(message_of(refused.reason));
  if (refused.reason == Reason::limited || refused.reason == Reason::sign_in_refused) {
    error = refused.why;
  }
  if (refused.reason == Reason::unauthenticated || refused.reason == Reason::credentials_invalid) {
    error = "This is not a key that the gateway knows.";
  }
  if (!id.empty()) error += " (decision " + id + ")";
  return sign_in_page(snapshot, error, refused.status, refused.then);
}

ConsoleAnswer Console::sign_out(const ConsoleRequest& request, const Snapshot& snapshot,
                                const Operating& who) {
  record(RecordKind::sign_out, request, snapshot, *who.session->principal, who.session->proof);
  sessions_.end(who.id);
  ConsoleAnswer answer = see_other_page("/sign-in");
  answer.headers.emplace_back("Set-Cookie", cookie(request, ""));
  return answer;
}

}  // namespace bartizan
