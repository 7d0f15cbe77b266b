#include "gateway/console/answer_console.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "gateway/console/approval_json.h"
#include "gateway/console/registration_page.h"
#include "gateway/runtime/clock.h"
#include "gateway/status/gateway_view.h"
#include "gateway/status/registration_orders.h"
#include "gateway/status/release_tool.h"
#include "gateway/status/revocation_pages.h"
#include "schemas/base/same_secret.h"
#include "schemas/base/secret_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kTransport = "console";
/// The longest name in a release; no name is longer.
constexpr std::size_t kNameMax = limits::name_bytes_max;

std::string time_of_day() {
  return fmt::format("{:%H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(system_now())));
}

/// The definition to release in a form; all empty if it names none.
ReleasedTool wanted_of(const Form& form) {
  const auto read = [&form](std::string_view name) {
    const std::string_view value = form.find(name).value_or("");
    return value.size() <= kNameMax ? std::string(value) : std::string();
  };
  ReleasedTool wanted{
      .server = read("server"), .tool = read("tool"), .fingerprint = read("fingerprint")};
  const bool is_named =
      !wanted.server.empty() && is_tool_name(wanted.tool) && !wanted.fingerprint.empty();
  return is_named ? wanted : ReleasedTool();
}

/// The page of approvals that a sign-in was requested for; empty for none, and for any other page.
std::string then_of(const Result<Form>& fields) {
  return fields.has_value() ? std::string(page_behind(fields->find("then").value_or("")))
                            : std::string();
}

/// Whether a browser follows a link from another site, so that it withholds the session's cookie.
bool is_from_elsewhere(const RequestHead& head) {
  return std::ranges::any_of(head.fields().all(), [](const HeaderField& field) {
    return equal_ignoring_case(field.name, "sec-fetch-site") &&
           (field.value == "cross-site" || field.value == "same-site");
  });
}

/// Asks a visitor to sign in for the requested page of approvals.
ConsoleAnswer ask_to_sign_in(const RequestHead& head) {
  const std::string_view page = page_behind(head.path());
  if (page.empty()) return see_other_page("/sign-in");
  // After a forward by the console's own page, the browser sends the cookie, if it has one.
  if (is_from_elsewhere(head)) return console_page(go_on_html("To the approval", page));
  return see_other_page(fmt::format("/sign-in?then={}", page));
}

std::string_view title_of(int status) {
  if (status == 404) return "Not found";
  return status == 405 ? "Not served here" : "Not done";
}

}  // namespace

ConsoleAnswer console_page(std::string html, int status) {
  return {.status = status, .body = std::move(html)};
}

ConsoleAnswer see_other_page(std::string_view path) {
  return {.status = 303, .content_type = "", .headers = {{"Location", std::string(path)}}};
}

PageReader Console::Operating::reader() const {
  return {.principal = session->principal->id,
          .proof = session->proof,
          .csrf = session->csrf,
          .sees_all = access == ConsoleAccess::everything};
}

Console::Asker Console::asker_of(const Operating& who) {
  return {.principal = who.session->principal,
          .proof = who.session->proof,
          .credential = who.session->credential,
          .access = who.access};
}

Task<SnapshotPtr> Console::present_snapshot() {
  Worker& first = *gateway_.workers.front();
  co_return co_await Visit(loop_, first.loop, [&first] { return first.snapshot; });
}

/// The refusal of a flawed request, before its sender is identified; otherwise nothing.
std::optional<ConsoleAnswer> Console::refuse_flaw(const ConsoleRequest& request,
                                                  const Snapshot& snapshot) {
  const ConsoleConfig console = snapshot.config.console.value_or(ConsoleConfig());
  const auto flaw = find_console_flaw(console, request.head, request.is_encrypted);
  if (!flaw.has_value()) return std::nullopt;
  ConsoleAnswer refused =
      refuse(request, snapshot,
             {.status = flaw->status, .reason = flaw->reason, .why = std::string(flaw->why)});
  if (!flaw->allow.empty()) refused.headers.emplace_back("Allow", flaw->allow);
  return refused;
}

Task<std::optional<ConsoleAnswer>> Console::answer(ConsoleRequest request) {
  SnapshotPtr snapshot = co_await present_snapshot();
  if (auto refused = refuse_flaw(request, *snapshot)) co_return refused;
  if (request.head.method() != HttpMethod::post) {
    co_return co_await show(std::move(request), snapshot);
  }
  Result<std::string> body = co_await request.read_body();
  if (!body.has_value()) co_return std::nullopt;
  // A body may take long; its order is judged by the configuration after that.
  snapshot = co_await present_snapshot();
  if (auto refused = refuse_flaw(request, *snapshot)) co_return refused;
  if (is_for_programs(request.head.path())) {
    co_return co_await take_from_program(std::move(request), snapshot, *std::move(body));
  }
  Result<Form> form = read_form(*body);
  wipe(body->data(), body->size());
  if (!form.has_value()) {
    co_return refuse(request, *snapshot,
                     {.status = 400, .why = "The form cannot be read: " + form.error().detail});
  }
  co_return co_await act(std::move(request), snapshot, std::move(*form));
}

// --- Pages --------------------------------------------------------------------------------------

Task<ConsoleAnswer> Console::show(ConsoleRequest request, SnapshotPtr snapshot) {
  const ConsolePlace place = console_place(request.head.path());
  if (place == ConsolePlace::style) {
    co_return ConsoleAnswer{.content_type = "text/css; charset=utf-8",
                            .body = std::string(console_style())};
  }
  if (is_for_programs(request.head.path())) {
    co_return co_await show_to_program(std::move(request), snapshot);
  }
  const Operating who = find_operator(request, *snapshot);
  if (place == ConsolePlace::sign_in) {
    const std::string then = then_of(read_query(request.head.query()));
    if (!who) co_return sign_in_page(*snapshot, "", 200, then);
    co_return see_other_page(then.empty() ? home_of(who.access) : then);
  }
  if (place == ConsolePlace::callback) co_return show_callback(request, *snapshot);
  if (!who) co_return ask_to_sign_in(request.head);
  // Before any wait: the session may end meanwhile.
  const PageReader reader = who.reader();
  if (place == ConsolePlace::approvals || place == ConsolePlace::approval) {
    co_return co_await show_approvals(std::move(request), snapshot, asker_of(who), reader);
  }
  if (who.access != ConsoleAccess::everything) co_return refuse_approver(request, *snapshot, who);
  const std::string notice = who.session->notice;
  if (place == ConsolePlace::revocations) {
    co_return console_page(
        revocations_html(present_revocations(gateway_), gateway_.store != nullptr, notice, reader));
  }
  if (place == ConsolePlace::registrations) {
    co_return console_page(registrations_html(present_registrations(gateway_), notice, reader));
  }
  const ConsoleStatus status = co_await look();
  co_return console_page(place == ConsolePlace::status
                             ? status_html(status, reader)
                             : quarantine_html(status.quarantines, notice, reader));
}

Task<ConsoleStatus> Console::look() {
  const std::vector<WorkerView> views = co_await look_at_all(loop_, gateway_);
  const WorkerView& first = views.front();
  ConsoleStatus status{.not_ready = not_ready(gateway_, first),
                       .warnings = status_warnings(gateway_),
                       .observes = first.snapshot->policy->observes(seconds_now()),
                       .policy = std::string(first.snapshot->policy->digest()),
                       .reloads = gateway_.reloads,
                       .workers = views.size(),
                       .connections = gateway_.connections.total(),
                       .calls = gateway_.calls_in_progress.load(),
                       .children = gateway_.children.load(),
                       .audit_head = gateway_.log.head().text(),
                       .memory_used = gateway_.memory.used(),
                       .memory_max = gateway_.memory.bytes_max(),
                       .servers = first.directory->servers,
                       .quarantines = merged_quarantines(views)};
  for (const WorkerView& view : views)
    status.sessions += view.sessions;
  co_return status;
}

/// The session of a request, if its key still proves the principal, and the principal still has one
/// of the roles. Otherwise the session ends.
Console::Operating Console::find_operator(const ConsoleRequest& request, const Snapshot& snapshot) {
  const auto id = console_cookie(request.head, request.is_encrypted);
  if (!id.has_value()) return {};
  ConsoleSession* session = is_asked_by_itself(request.head)
                                ? sessions_.find_unused(*id, steady_now())
                                : sessions_.find(*id, steady_now());
  if (session == nullptr) return {};
  auto present =
      snapshot.authenticator.review(*session->principal, session->credential, seconds_now());
  const ConsoleAccess access =
      present.has_value() ? console_access(snapshot, **present) : ConsoleAccess::none;
  if (access == ConsoleAccess::none) {
    sessions_.end(*id);
    return {};
  }
  session->principal = std::move(*present);
  return {.session = session, .id = std::string(*id), .access = access};
}

/// The response for readers who may only approve calls.
ConsoleAnswer Console::refuse_approver(const ConsoleRequest& request, const Snapshot& snapshot,
                                       const Operating& who) {
  return refuse(request, snapshot,
                {.reason = Reason::role_missing,
                 .why = "You may answer calls that want an approval; the rest is for who has one "
                        "of [console] roles.",
                 .principal = who.session->principal->id,
                 .proof = who.session->proof,
                 .has_session = true,
                 .link = "/approvals",
                 .link_text = "To the approvals"});
}

// --- Acts ---------------------------------------------------------------------------------------

Task<ConsoleAnswer> Console::act(ConsoleRequest request, SnapshotPtr snapshot, Form form) {
  const ConsolePlace place = console_place(request.head.path());
  if (place == ConsolePlace::sign_in) co_return co_await sign_in(request, snapshot, form);
  if (place == ConsolePlace::provider) {
    co_return co_await begin_at_provider(request, snapshot, form);
  }
  if (place == ConsolePlace::callback) co_return co_await come_back(request, snapshot, form);
  const Operating who = find_operator(request, *snapshot);
  if (!who) {
    co_return refuse(request, *snapshot,
                     {.reason = Reason::unauthenticated,
                      .why = "Nobody is signed in here, or the session is over: sign in, and order "
                             "it again."});
  }
  if (!is_same_secret(form.find("csrf").value_or(""), who.session->csrf)) {
    co_return refuse(request, *snapshot,
                     {.reason = Reason::csrf_token_invalid,
                      .why = "The form was not issued to this session: open the page again.",
                      .principal = who.session->principal->id,
                      .proof = who.session->proof,
                      .has_session = true});
  }
  if (place == ConsolePlace::sign_out) co_return sign_out(request, *snapshot, who);
  if (place == ConsolePlace::approval) {
    co_return co_await take_answer(std::move(request), snapshot, std::move(form), asker_of(who));
  }
  if (who.access != ConsoleAccess::everything) co_return refuse_approver(request, *snapshot, who);
  if (place == ConsolePlace::revoke) {
    co_return co_await revoke(std::move(request), snapshot, std::move(form), who);
  }
  if (place == ConsolePlace::lift) {
    co_return co_await lift(std::move(request), snapshot, std::move(form), who);
  }
  if (place == ConsolePlace::registration) {
    co_return co_await decide_on_registration(std::move(request), snapshot, std::move(form), who);
  }
  co_return co_await release(std::move(request), snapshot, std::move(form), who);
}

Task<ConsoleAnswer> Console::release(ConsoleRequest request, SnapshotPtr snapshot, Form form,
                                     Operating who) {
  const ReleasedTool wanted = wanted_of(form);
  if (wanted.tool.empty()) {
    co_return refuse(request, *snapshot,
                     {.status = 400, .why = "The form names no definition of a tool."});
  }
  // The session may end meanwhile.
  const PrincipalPtr principal = who.session->principal;
  const ReleaseAnswer answer = co_await release_definition(loop_, gateway_, wanted,
                                                           {.source = request.peer,
                                                            .transport = kTransport,
                                                            .principal = principal->id,
                                                            .roles = principal->roles,
                                                            .proof = who.session->proof});
  ConsoleSession* session = sessions_.find(who.id, steady_now());
  if (session == nullptr) co_return see_other_page("/sign-in");
  session->notice = answer.kind == ReleaseAnswer::Kind::released
                        ? fmt::format("{}: released {}/{}, definition {}.", time_of_day(),
                                      wanted.server, wanted.tool, wanted.fingerprint)
                        : fmt::format("{}: {}/{} was not released: {}.", time_of_day(),
                                      wanted.server, wanted.tool, answer.why);
  co_return see_other_page("/quarantine");
}

// --- The record ---------------------------------------------------------------------------------

ConsoleAnswer Console::refuse(const ConsoleRequest& request, const Snapshot& snapshot,
                              const Refused& refused) {
  const std::string id =
      refused.reason == Reason::none ? std::string() : note(request, snapshot, refused);
  if (is_for_programs(request.head.path())) {
    return {.status = refused.status,
            .content_type = "application/problem+json",
            .body = problem_json({.status = refused.status,
                                  .reason = refused.reason == Reason::none ? std::string_view()
                                                                           : text(refused.reason),
                                  .sentence = refused.why,
                                  .decision_id = id}) +
                    "\n"};
  }
  return console_page(message_html({.title = std::string(title_of(refused.status)),
                                    .sentence = refused.why,
                                    .decision_id = id,
                                    .link = refused.link,
                                    .link_text = refused.link_text}),
                      refused.status);
}

/// Records a refusal, within the quota of its address or principal. Returns the id of the record;
/// empty beyond the quota.
std::string Console::note(const ConsoleRequest& request, const Snapshot& snapshot,
                          const Refused& refused) {
  const auto now = steady_now();
  const bool is_admitted = refused.has_session
                               ? gateway_.refusals.take(refused.principal, now)
                               : gateway_.refusals.admit_address("console " + request.address, now);
  if (!is_admitted) return {};
  const DecisionId id = make_decision_id(milliseconds_now(), random_.draw<10>());
  Record record{.kind = RecordKind::refusal, .time = system_now()};
  record.decision_id = id.view();
  record.source = request.peer;
  record.transport = kTransport;
  record.principal = refused.principal;
  record.proof = refused.proof;
  record.decision = "deny";
  record.reason = text(refused.reason);
  record.category = text(category(refused.reason));
  record.policy = snapshot.policy->digest();
  record.http_status = refused.status;
  record.detail = refused.why;
  if (gateway_.log.append({encode_record(record)}).has_value()) return std::string(id.view());
  gateway_.log.count_lost();
  return {};
}

/// Records that a principal signed in or out. Returns whether that succeeded.
bool Console::record(RecordKind kind, const ConsoleRequest& request, const Snapshot& snapshot,
                     const Principal& principal, std::string_view proof) {
  Record record{.kind = kind, .time = system_now()};
  record.source = request.peer;
  record.transport = kTransport;
  record.principal = principal.id;
  record.roles.assign(principal.roles.begin(), principal.roles.end());
  record.trust = text(principal.trust);
  record.proof = proof;
  record.policy = snapshot.policy->digest();
  if (gateway_.log.append({encode_record(record)}).has_value()) return true;
  gateway_.log.count_lost();
  return false;
}

}  // namespace bartizan
