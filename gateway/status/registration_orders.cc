#include "gateway/status/registration_orders.h"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/status/revocation_pages.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

using Kind = RegistrationAnswer::Kind;

constexpr std::string_view kApprove = "/api/registration/approve/";
constexpr std::string_view kRemove = "/api/registration/remove/";

RegistrationAnswer refused(Kind kind, std::string why) {
  return {.kind = kind, .why = std::move(why), .registration = {}};
}

/// Input: `why_not` is empty for what is done.
bool record_verdict(Gateway& gateway, const KeptRegistration& kept, RegistrationVerdict verdict,
                    const Operator& by, std::string_view why_not) {
  Record record{.kind = RecordKind::registration, .time = system_now()};
  record.decision_id = kept.decision_id;
  record.source = by.source;
  record.transport = by.transport;
  record.principal = by.principal;
  record.roles.assign(by.roles.begin(), by.roles.end());
  record.proof = by.proof;
  record.server = kept.registration.server;
  record.target = kept.registration.tool;
  const bool approves = verdict == RegistrationVerdict::approve;
  record.decision = approves && why_not.empty() ? "permit" : "deny";
  std::string detail =
      fmt::format("{} registration {} by {}, version {}", approves ? "approves" : "removes",
                  kept.registration.number, kept.by, kept.registration.version);
  if (!why_not.empty()) detail += fmt::format(", {}", why_not);
  record.detail = detail;
  if (gateway.log.append({encode_record(record)}).has_value()) return true;
  gateway.log.count_lost();
  return false;
}

Task<Result<std::optional<KeptRegistration>>> keep_verdict(Loop& asking,
                                                           ToolRegistrations& registrations,
                                                           std::int64_t number,
                                                           RegistrationVerdict verdict,
                                                           std::string by) {
  if (verdict == RegistrationVerdict::remove) return registrations.remove(asking, number);
  return registrations.approve(asking, number, std::move(by));
}

/// Why it cannot be done, before it is on record.
std::optional<RegistrationAnswer> refusal_of(const std::optional<KeptRegistration>& kept,
                                             std::int64_t number, RegistrationVerdict verdict,
                                             const Operator& by) {
  if (!kept.has_value()) {
    return refused(Kind::unknown, fmt::format("there is no registration {}", number));
  }
  if (verdict == RegistrationVerdict::remove) return std::nullopt;
  if (!kept->approved_by.empty()) {
    return refused(Kind::not_done, fmt::format("registration {} is approved already", number));
  }
  if (!by.principal.empty() && by.principal == kept->by) {
    return refused(Kind::not_done, "whoever registered a tool cannot approve that");
  }
  return std::nullopt;
}

std::string registration_json(const KeptRegistration& kept) {
  const ToolRegistration& registration = kept.registration;
  std::string json = fmt::format(
      R"({{"number":{},"server":{},"tool":{},"version":{},"state":"{}","by":{},"at":{})",
      registration.number, json_string(registration.server), json_string(registration.tool),
      json_string(registration.version), kept.approved_by.empty() ? "pending" : "approved",
      json_string(kept.by), json_string(time_text(kept.at)));
  if (!kept.approved_by.empty()) json += R"(,"approved_by":)" + json_string(kept.approved_by);
  return json + R"(,"decision_id":)" + json_string(kept.decision_id) + R"(,"registration":)" +
         kept.text + "}";
}

StatusPage refused_page(int status, std::string_view why) {
  return {.status = status, .body = R"({"done":false,"reason":)" + json_string(why) + "}\n"};
}

int status_of(Kind kind) {
  switch (kind) {
    case Kind::done:
      return 200;
    case Kind::unknown:
      return 404;
    case Kind::not_done:
      return 409;
    case Kind::not_recordable:
      return 503;
  }
  return 500;
}

}  // namespace

Task<RegistrationAnswer> decide_registration(Loop& asking, Gateway& gateway, std::int64_t number,
                                             RegistrationVerdict verdict, Operator by) {
  const std::shared_ptr<ToolRegistrations> registrations = gateway.registrations;
  if (registrations == nullptr) {
    co_return refused(Kind::not_done,
                      "no tool can be registered without [state] in the configuration");
  }
  const std::optional<KeptRegistration> kept = registrations->find(number);
  if (auto refusal = refusal_of(kept, number, verdict, by)) co_return *std::move(refusal);
  if (!record_verdict(gateway, *kept, verdict, by, "")) {
    co_return refused(Kind::not_recordable, "it cannot be recorded, so nothing was done");
  }
  const std::string name = by.principal.empty() ? by.source : by.principal;
  const auto done = co_await keep_verdict(asking, *registrations, number, verdict, name);
  if (!done.has_value() || !done->has_value()) {
    const bool may_be_done = !done.has_value() && done.error().code == ErrorCode::timed_out;
    const std::string why =
        done.has_value() ? "somebody else decided meanwhile" : done.error().detail;
    record_verdict(
        gateway, *kept, verdict, by,
        may_be_done ? "nobody knows whether it is done: " + why : "not done after all: " + why);
    co_return refused(Kind::not_done, may_be_done ? why + "; it may yet be done: list them" : why);
  }
  log(LogLevel::info,
      verdict == RegistrationVerdict::approve ? "registration approved" : "registration removed",
      {{"server", kept->registration.server},
       {"name", kept->registration.tool},
       {"version", kept->registration.version},
       {"number", number},
       {"by", name}});
  co_return RegistrationAnswer{.registration = **done};
}

std::vector<KeptRegistration> present_registrations(const Gateway& gateway) {
  return gateway.registrations == nullptr ? std::vector<KeptRegistration>()
                                          : gateway.registrations->all();
}

StatusPage registrations_page(const Gateway& gateway) {
  std::string body = R"({"registrations":[)";
  bool is_first = true;
  for (const KeptRegistration& kept : present_registrations(gateway)) {
    if (!std::exchange(is_first, false)) body += ",";
    body += registration_json(kept);
  }
  return {.body = body + "]}\n"};
}

Task<StatusPage> order_registration(Loop& asking, Gateway& gateway, AdminOrder order) {
  const std::string_view path = order.path;
  const bool approves = path.starts_with(kApprove);
  if (!approves && !path.starts_with(kRemove)) co_return refused_page(404, "approve or remove");
  const std::string_view text = path.substr(approves ? kApprove.size() : kRemove.size());
  const auto number = read_number(text);
  if (!number.has_value()) {
    co_return refused_page(400, "the path ends in a number, as bartizan registrations shows it");
  }
  const RegistrationAnswer answer = co_await decide_registration(
      asking, gateway, *number,
      approves ? RegistrationVerdict::approve : RegistrationVerdict::remove,
      {.source = order.peer, .transport = "admin"});
  if (answer.kind != Kind::done) co_return refused_page(status_of(answer.kind), answer.why);
  co_return StatusPage{.body = R"({"done":true,"registration":)" +
                               registration_json(answer.registration) + "}\n"};
}

}  // namespace bartizan
