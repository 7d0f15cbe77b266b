// Operators' decisions in the console on tools that clients registered.
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gateway/console/answer_console.h"
#include "gateway/runtime/clock.h"
#include "gateway/status/registration_orders.h"
#include "gateway/status/revocation_pages.h"

namespace bartizan {

Task<ConsoleAnswer> Console::decide_on_registration(ConsoleRequest request, SnapshotPtr snapshot,
                                                    Form form, Operating who) {
  const std::string_view text = form.find("number").value_or("");
  const std::string_view act = form.find("act").value_or("");
  const auto number = read_number(text);
  if (!number.has_value() || (act != "approve" && act != "remove")) {
    co_return refuse(request, *snapshot,
                     {.status = 400, .why = "The form names no registration, or no act."});
  }
  // The session may end meanwhile.
  const PrincipalPtr principal = who.session->principal;
  Operator by{.source = request.peer,
              .transport = "console",
              .principal = principal->id,
              .roles = principal->roles,
              .proof = who.session->proof};
  const auto verdict =
      act == "approve" ? RegistrationVerdict::approve : RegistrationVerdict::remove;
  const RegistrationAnswer answer =
      co_await decide_registration(loop_, gateway_, *number, verdict, std::move(by));
  ConsoleSession* session = sessions_.find(who.id, steady_now());
  if (session == nullptr) co_return see_other_page("/sign-in");
  const std::string at = time_text(std::chrono::floor<std::chrono::seconds>(system_now()));
  session->notice =
      answer.kind == RegistrationAnswer::Kind::done
          ? fmt::format("{}: {} registration {}.", at,
                        verdict == RegistrationVerdict::approve ? "approved" : "removed", *number)
          : fmt::format("{}: not done: {}.", at, answer.why);
  co_return see_other_page("/registrations");
}

}  // namespace bartizan
