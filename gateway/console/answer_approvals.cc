// Calls that wait for approval: what people see of them in the console, and how they answer.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gateway/approval/approval_desk.h"
#include "gateway/console/answer_console.h"
#include "gateway/console/approval_json.h"
#include "gateway/console/approval_pages.h"
#include "gateway/console/approval_view.h"
#include "gateway/identity/bearer_token.h"
#include "gateway/runtime/clock.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

using Kind = AnsweredApproval::Kind;

constexpr std::string_view kTransport = "console";
/// The most requests searched for one page.
constexpr std::int64_t kListedMax = 50;

constexpr std::string_view kNoState =
    "No call can wait for people here: [state] file in the configuration keeps such calls.";
constexpr std::string_view kNoRequest = "There is no such request, or it is not yours to see.";

ConsoleAnswer json_answer(std::string json, std::string tag = {}) {
  ConsoleAnswer answer{.content_type = "application/json", .body = std::move(json) + "\n"};
  if (!tag.empty()) answer.headers.emplace_back("ETag", fmt::format("\"{}\"", tag));
  return answer;
}

/// The header of that name; nothing if there is none, or more than one.
std::optional<std::string> find_header(const RequestHead& head, std::string_view name) {
  std::optional<std::string> found;
  for (const HeaderField& field : head.fields().all()) {
    if (!equal_ignoring_case(field.name, name)) continue;
    if (found.has_value()) return std::nullopt;
    found = field.value;
  }
  return found;
}

std::string field_of(const ConsoleRequest& request, std::string_view name) {
  const Result<Form> query = read_query(request.head.query());
  return query.has_value() ? std::string(query->find(name).value_or("")) : std::string();
}

std::optional<bool> read_decision(std::string_view text) {
  if (text == "approve") return true;
  if (text == "deny") return false;
  return std::nullopt;
}

/// Why a body is not a JSON object of only these text members, as a sentence; nothing if it is.
std::optional<std::string> find_flaw(const Result<JsonValue>& order, std::string_view name,
                                     std::string_view other) {
  if (!order.has_value() || !order->is(JsonType::object)) return "The body is not a JSON object.";
  for (const JsonValue member : *order) {
    const bool is_known = member.key() == name || member.key() == other;
    if (is_known && member.is(JsonType::string)) continue;
    return fmt::format("An answer has \"{}\" and perhaps \"{}\", both texts.", name, other);
  }
  return std::nullopt;
}

/// The order that a program sent, or a sentence about its fault.
std::expected<ApprovalOrder, std::string> read_order(std::string_view body) {
  const Bytes bytes(body);
  JsonDocument document;
  const Result<JsonValue> order = document.read(bytes);
  if (auto flaw = find_flaw(order, "decision", "why")) return std::unexpected(*std::move(flaw));
  const auto approves = read_decision(order->find("decision").text());
  if (!approves.has_value()) {
    return std::unexpected("\"decision\" is \"approve\" or \"deny\".");
  }
  return ApprovalOrder{.approves = *approves, .why = std::string(order->find("why").text())};
}

/// An answer at a Fabricore path. The path has the decision, and the body names the request. It
/// applies to the current state, whatever the program saw: the subject of a request never changes.
std::expected<ApprovalOrder, std::string> read_orchestrator_order(std::string_view body,
                                                                  bool approves) {
  const Bytes bytes(body);
  JsonDocument document;
  const Result<JsonValue> order = document.read(bytes);
  if (auto flaw = find_flaw(order, "approval_id", "why")) return std::unexpected(*std::move(flaw));
  const JsonValue id = order->find("approval_id");
  if (!id) return std::unexpected("\"approval_id\" names the request.");
  return ApprovalOrder{.id = std::string(id.text()),
                       .approves = approves,
                       .why = std::string(order->find("why").text()),
                       .match = "*"};
}

}  // namespace

// --- What is seen -------------------------------------------------------------------------------

/// Open requests that a reader may see.
Task<Result<Console::Listed>> Console::list_approvals(SnapshotPtr snapshot, Asker asker,
                                                      std::string after) {
  auto open = co_await gateway_.approvals->table().open(loop_, std::move(after), kListedMax);
  if (!open.has_value()) co_return std::unexpected(open.error());
  Listed listed;
  if (std::ssize(*open) >= kListedMax) listed.next = open->back().id;
  for (ApprovalRequest& request : *open) {
    if (may_see(*snapshot->policy, request, *asker.principal, asker.access)) {
      listed.requests.push_back(std::move(request));
    }
  }
  co_return listed;
}

/// A request that the asker may see; otherwise nothing.
Task<Result<std::optional<Approvals::Found>>> Console::find_approval(SnapshotPtr snapshot,
                                                                     Asker asker, std::string id) {
  auto found = co_await gateway_.approvals->table().find(loop_, std::move(id));
  if (!found.has_value() || !found->has_value()) co_return found;
  if (!may_see(*snapshot->policy, (*found)->request, *asker.principal, asker.access)) {
    co_return std::optional<Approvals::Found>();
  }
  co_return found;
}

Task<ConsoleAnswer> Console::show_approvals(ConsoleRequest request, SnapshotPtr snapshot,
                                            Asker asker, PageReader reader) {
  const std::string_view id = approval_of(request.head.path());
  const bool is_live = field_of(request, "live") != "off";
  if (gateway_.approvals == nullptr) {
    co_return console_page(approvals_html({.requests = {}, .has_state = false}, reader));
  }
  if (id.empty()) {
    const auto listed = co_await list_approvals(snapshot, asker, field_of(request, "after"));
    if (!listed.has_value()) co_return refuse_store(request, *snapshot);
    co_return console_page(approvals_html({.requests = listed->requests,
                                           .next = listed->next,
                                           .is_live = is_live,
                                           .now = seconds_now()},
                                          reader));
  }
  const auto found = co_await find_approval(snapshot, asker, std::string(id));
  if (!found.has_value()) co_return refuse_store(request, *snapshot);
  if (!found->has_value()) {
    co_return refuse(request, *snapshot, {.status = 404, .why = std::string(kNoRequest)});
  }
  const std::int64_t now = seconds_now();
  co_return console_page(approval_html(
      {.found = **found,
       .why_no_answer = why_no_answer(*snapshot->policy, **found, *asker.principal, now),
       .now = now},
      reader));
}

// --- Programs -----------------------------------------------------------------------------------

/// The caller that a program's key proves, or the response to a refused one.
Task<std::expected<Console::Asker, ConsoleAnswer>> Console::prove_program(
    const ConsoleRequest& request, SnapshotPtr snapshot) {
  const auto now = steady_now();
  const std::chrono::seconds wait = attempts_.wait_of(request.address, now);
  if (wait.count() > 0) {
    ConsoleAnswer limited =
        refuse(request, *snapshot,
               {.status = 429,
                .reason = Reason::limited,
                .why = fmt::format("Too many keys were wrong: try again in {} s.", wait.count())});
    limited.headers.emplace_back("Retry-After", std::to_string(wait.count()));
    co_return std::unexpected(std::move(limited));
  }
  const auto authorization = request.head.find(KnownHeader::authorization);
  const auto key = bearer_token(authorization.value_or(""));
  Authentication proved = std::unexpected(
      AuthenticationFailure{Reason::unauthenticated, "no Authorization: Bearer with a key"});
  if (key.has_value()) {
    proved = co_await prove_console_key(loop_, snapshot, *key, request.peer);
    if (!proved.has_value()) attempts_.count_failure(request.address, now);
  }
  if (!proved.has_value()) {
    ConsoleAnswer refused =
        refuse(request, *snapshot,
               {.status = 401, .reason = proved.error().reason, .why = proved.error().detail});
    refused.headers.emplace_back("WWW-Authenticate", "Bearer");
    co_return std::unexpected(std::move(refused));
  }
  const ConsoleAccess access = console_access(*snapshot, *proved->principal);
  if (access == ConsoleAccess::none) {
    co_return std::unexpected(refuse(request, *snapshot,
                                     {.reason = Reason::role_missing,
                                      .why = std::string(kMayNotEnter),
                                      .principal = proved->principal->id,
                                      .proof = proved->proof,
                                      .has_session = true}));
  }
  if (gateway_.approvals == nullptr) {
    co_return std::unexpected(
        refuse(request, *snapshot, {.status = 409, .why = std::string(kNoState)}));
  }
  co_return Asker{.principal = std::move(proved->principal),
                  .proof = std::move(proved->proof),
                  .credential = std::move(proved->credential),
                  .access = access};
}

Task<ConsoleAnswer> Console::show_to_program(ConsoleRequest request, SnapshotPtr snapshot) {
  auto asker = co_await prove_program(request, snapshot);
  if (!asker.has_value()) co_return std::move(asker.error());
  const std::string id(approval_of(request.head.path()));
  if (!id.empty()) {
    const auto found = co_await find_approval(snapshot, *asker, id);
    if (!found.has_value()) co_return refuse_store(request, *snapshot);
    if (!found->has_value()) {
      co_return refuse(request, *snapshot, {.status = 404, .why = std::string(kNoRequest)});
    }
    co_return tell_program(*snapshot, **found, *asker->principal);
  }
  const auto listed = co_await list_approvals(snapshot, *asker, field_of(request, "after"));
  if (!listed.has_value()) co_return refuse_store(request, *snapshot);
  const bool is_orchestrator =
      console_place(request.head.path()) == ConsolePlace::orchestrator_pending;
  std::string json = is_orchestrator ? R"({"pending":[)" : R"({"approvals":[)";
  for (const ApprovalRequest& one : listed->requests) {
    if (is_orchestrator && state_at(one, seconds_now()) != ApprovalState::pending) continue;
    if (json.back() != '[') json += ',';
    json += is_orchestrator ? pending_json(one, seconds_now())
                            : listed_approval_json(one, seconds_now());
  }
  json += ']';
  if (!listed->next.empty()) json += fmt::format(R"(,"next":"{}")", listed->next);
  co_return json_answer(json + "}");
}

ConsoleAnswer Console::tell_program(const Snapshot& snapshot, const Approvals::Found& found,
                                    const Principal& reader) {
  const std::int64_t now = seconds_now();
  return json_answer(approval_json(found, why_no_answer(*snapshot.policy, found, reader, now), now),
                     entity_tag(found, now));
}

Task<ConsoleAnswer> Console::take_from_program(ConsoleRequest request, SnapshotPtr snapshot,
                                               std::string body) {
  auto asker = co_await prove_program(request, snapshot);
  if (!asker.has_value()) co_return std::move(asker.error());
  const ConsolePlace place = console_place(request.head.path());
  const bool is_orchestrator = place != ConsolePlace::api_approval;
  auto order = is_orchestrator
                   ? read_orchestrator_order(body, place == ConsolePlace::orchestrator_approve)
                   : read_order(body);
  if (!order.has_value()) {
    co_return refuse(request, *snapshot, {.status = 400, .why = std::move(order.error())});
  }
  if (!is_orchestrator) {
    order->id = approval_of(request.head.path());
    order->match = find_header(request.head, "if-match");
  }
  GivenAnswer given = co_await give_answer(request, *asker, *std::move(order));
  if (given.found.has_value()) {
    co_return tell_program(*snapshot, *given.found, *asker->principal);
  }
  co_return refuse(request, *snapshot, given.refused);
}

// --- Answers ------------------------------------------------------------------------------------

/// The form of a request's page. The pressed button gives `decision`; without a valid one there is
/// no answer.
Task<ConsoleAnswer> Console::take_answer(ConsoleRequest request, SnapshotPtr snapshot, Form form,
                                         Asker asker) {
  const std::string id(approval_of(request.head.path()));
  const auto approves = read_decision(form.find("decision").value_or(""));
  if (!approves.has_value()) {
    co_return refuse(request, *snapshot,
                     {.status = 400, .why = "The form says neither yes nor no."});
  }
  if (gateway_.approvals == nullptr) {
    co_return refuse(request, *snapshot, {.status = 409, .why = std::string(kNoState)});
  }
  ApprovalOrder order{
      .id = id, .approves = *approves, .why = std::string(form.find("why").value_or(""))};
  if (const auto match = form.find("match")) order.match = fmt::format("\"{}\"", *match);
  GivenAnswer given = co_await give_answer(request, std::move(asker), std::move(order));
  const std::string page = "/approvals/" + id;
  if (given.found.has_value()) co_return see_other_page(page);
  given.refused.link = page;
  given.refused.link_text = "To the request";
  co_return refuse(request, *snapshot, given.refused);
}

/// Takes an answer, if that person may answer and has seen the current state. A repeated answer has
/// no effect, and gets the current state.
Task<Console::GivenAnswer> Console::give_answer(const ConsoleRequest& request, Asker asker,
                                                ApprovalOrder order) {
  const auto refused = [&asker](int status, std::string why, Reason reason = Reason::none) {
    return GivenAnswer{.refused = {.status = status,
                                   .reason = reason,
                                   .why = std::move(why),
                                   .principal = asker.principal->id,
                                   .proof = asker.proof,
                                   .has_session = true}};
  };
  if (order.why.size() > limits::approval_why_bytes_max) {
    co_return refused(413, "The reason is too long.");
  }
  auto found = co_await gateway_.approvals->table().find(loop_, order.id);
  if (!found.has_value()) co_return refused(503, std::string(kNotKept));
  // The request is judged by the current configuration.
  const SnapshotPtr snapshot = co_await present_snapshot();
  const std::int64_t now = seconds_now();
  const auto present = snapshot->authenticator.review(*asker.principal, asker.credential, now);
  if (!present.has_value()) {
    co_return refused(401, present.error().detail, present.error().reason);
  }
  asker.principal = *present;
  const Principal& who = *asker.principal;
  const Policy& policy = *snapshot->policy;
  if (!found->has_value() ||
      !may_see(policy, (*found)->request, who, console_access(*snapshot, who))) {
    co_return refused(404, std::string(kNoRequest));
  }
  const ApprovalRequest& asked = (*found)->request;
  const std::string person(policy.persons().person_of(who.id));
  const ApprovalAnswer* own = answer_of(**found, person);
  if (own != nullptr && own->approves == order.approves) {
    co_return GivenAnswer{.found = *std::move(found)};
  }
  if (const auto why = why_no_answer(policy, **found, who, now)) {
    const bool is_late = own != nullptr || state_at(asked, now) != ApprovalState::pending ||
                         asked.policy != policy.digest();
    co_return refused(is_late ? 409 : 403, fmt::format("Not answered: {}.", *why),
                      is_late ? Reason::none : Reason::role_missing);
  }
  if (!order.match.has_value()) {
    co_return refused(428, "If-Match has to name the state that was seen, as ETag had it.");
  }
  if (!is_match(*order.match, entity_tag(**found, now))) {
    co_return refused(412, "The request is not as you saw it any more: look again.");
  }
  const auto answered = co_await gateway_.approvals->answer(loop_,
                                                            {.request = order.id,
                                                             .approver = who.id,
                                                             .roles = who.roles,
                                                             .person = person,
                                                             .approves = order.approves,
                                                             .why = std::move(order.why),
                                                             .at = now},
                                                            {.principal = who.id,
                                                             .roles = who.roles,
                                                             .proof = asker.proof,
                                                             .source = request.peer,
                                                             .transport = kTransport});
  if (!answered.has_value()) co_return refused(503, std::string(kNotKept));
  if (answered->kind == Kind::unknown) co_return refused(404, std::string(kNoRequest));
  if (answered->kind == Kind::answered) {
    co_return refused(409, "Not answered: you have said the contrary already.");
  }
  if (answered->kind == Kind::decided) {
    co_return refused(409, fmt::format("Not answered: it is {} already.",
                                       text(state_at(answered->request, now))));
  }
  auto after = co_await gateway_.approvals->table().find(loop_, order.id);
  if (!after.has_value() || !after->has_value()) co_return refused(503, std::string(kNotKept));
  co_return GivenAnswer{.found = *std::move(after)};
}

ConsoleAnswer Console::refuse_store(const ConsoleRequest& request, const Snapshot& snapshot) {
  return refuse(request, snapshot, {.status = 503, .why = std::string(kNotKept)});
}

}  // namespace bartizan
