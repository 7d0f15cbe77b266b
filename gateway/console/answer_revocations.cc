// Operators' revocations and blocks in the console, and their end.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "audit/digest.h"
#include "config/parse_units.h"
#include "gateway/console/answer_console.h"
#include "gateway/identity/bearer_token.h"
#include "gateway/runtime/clock.h"
#include "gateway/status/revocation_orders.h"
#include "gateway/status/revocation_pages.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

using AnswerKind = RevocationAnswer::Kind;
using Kind = Revocation::Kind;

ConsoleAnswer to_revocations() {
  return {.status = 303, .content_type = "", .headers = {{"Location", "/revocations"}}};
}

/// The subject that a form names. Only the SHA-256 of a session or token is passed on. The text
/// itself may look like a SHA-256, so it is never taken for one here.
std::string subject_of(Kind kind, std::string_view name) {
  if (kind == Kind::token) return hex_of(Digester().sha256(revocable_part(name)));
  return kind == Kind::session ? hex_of(Digester().sha256(name)) : std::string(name);
}

/// The order in a form, or a sentence about what is missing.
std::expected<RevocationOrder, std::string> order_of(const Form& form) {
  const auto kind = parse_revocation_kind(form.find("kind").value_or(""));
  const std::string_view name = form.find("name").value_or("");
  const std::string_view why = form.find("why").value_or("");
  if (!kind.has_value() || name.empty() || why.empty()) {
    return std::unexpected("The form has to say what, its name, and why.");
  }
  RevocationOrder order{.kind = *kind, .subject = subject_of(*kind, name), .why = std::string(why)};
  const std::string_view lasts = form.find("for").value_or("");
  if (lasts.empty()) return order;
  const auto duration = parse_duration(lasts);
  if (!duration.has_value() || *duration < std::chrono::seconds(1)) {
    return std::unexpected("A duration is a second or more, such as 1h or 30m.");
  }
  order.lasts = std::chrono::floor<std::chrono::seconds>(*duration);
  return order;
}

Operator operator_of(const ConsoleRequest& request, const Principal& principal,
                     const std::string& proof) {
  return {.source = request.peer,
          .transport = "console",
          .principal = principal.id,
          .roles = principal.roles,
          .proof = proof};
}

/// The notice about an order on the next page.
std::string notice_of(std::string_view done, const RevocationAnswer& answer) {
  const std::string at = time_text(std::chrono::floor<std::chrono::seconds>(system_now()));
  if (answer.kind != AnswerKind::done) return fmt::format("{}: not done: {}.", at, answer.why);
  return fmt::format("{}: {} number {}, {}.", at, done, answer.revocation.id,
                     describe(answer.revocation));
}

}  // namespace

Task<ConsoleAnswer> Console::revoke(ConsoleRequest request, SnapshotPtr snapshot, Form form,
                                    Operating who) {
  auto order = order_of(form);
  if (!order.has_value()) {
    co_return refuse(request, *snapshot, {.status = 400, .why = std::move(order.error())});
  }
  // The session may end meanwhile.
  const PrincipalPtr principal = who.session->principal;
  Operator by = operator_of(request, *principal, who.session->proof);
  const RevocationAnswer answer =
      co_await order_revocation(loop_, gateway_, *std::move(order), std::move(by));
  ConsoleSession* session = sessions_.find(who.id, steady_now());
  if (session != nullptr) session->notice = notice_of("in force is", answer);
  co_return to_revocations();
}

Task<ConsoleAnswer> Console::lift(ConsoleRequest request, SnapshotPtr snapshot, Form form,
                                  Operating who) {
  const std::string_view text = form.find("number").value_or("");
  const auto number = read_number(text);
  if (!number.has_value()) {
    co_return refuse(request, *snapshot, {.status = 400, .why = "The form names no number."});
  }
  const PrincipalPtr principal = who.session->principal;
  Operator by = operator_of(request, *principal, who.session->proof);
  const RevocationAnswer answer = co_await lift_revocation(loop_, gateway_, *number, std::move(by));
  ConsoleSession* session = sessions_.find(who.id, steady_now());
  if (session != nullptr) session->notice = notice_of("lifted is", answer);
  co_return to_revocations();
}

}  // namespace bartizan
