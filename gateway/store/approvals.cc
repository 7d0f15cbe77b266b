#include "gateway/store/approvals.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gateway/store/approval_rows.h"

namespace bartizan {
namespace {

using State = ApprovalState;
using Rows = Result<std::vector<Row>>;
using Requests = std::vector<ApprovalRequest>;
using Answers = std::vector<ApprovalAnswer>;
using Note = Approvals::Note;
using MaybeRequest = std::optional<ApprovalRequest>;
using Kind = AnsweredApproval::Kind;

Result<std::int64_t> count(const Rows& rows) {
  if (!rows.has_value()) return std::unexpected(rows.error());
  return rows->empty() ? 0 : number_of(rows->front().front());
}

std::unexpected<Error> too_many(std::string_view why) {
  return fail(ErrorCode::overloaded, Fault::client, std::string(why));
}

/// Forgets decided requests that are old, and where all places are taken, the oldest of them.
Result<void> make_room(Database& database, std::int64_t now) {
  Result<void> step =
      done(database.query("DELETE FROM approvals WHERE state NOT IN ('pending', 'approved')"
                          " AND decided_at <= ?",
                          {now - limits::decided_approvals_kept}));
  if (!step.has_value()) return step;
  const Result<std::int64_t> held = database.number("SELECT count(*) FROM approvals");
  if (!held.has_value()) return std::unexpected(held.error());
  if (*held < limits::approvals_max) return {};
  step =
      done(database.query("DELETE FROM approvals WHERE number = (SELECT number FROM approvals"
                          " WHERE state NOT IN ('pending', 'approved')"
                          " ORDER BY decided_at, number LIMIT 1)"));
  if (!step.has_value()) return step;
  const Result<std::int64_t> left = database.number("SELECT count(*) FROM approvals");
  if (!left.has_value()) return std::unexpected(left.error());
  if (*left < limits::approvals_max) return {};
  return too_many("the maximum number of calls that wait for an approval is reached");
}

/// Has a step recorded. The proof that is kept with its answer.
Result<std::string> note_step(const Note& note, ApprovalStep step) {
  step.request.shown.clear();
  return note(step);
}

Result<bool> insert(Database& database, const Note& note, const ApprovalRequest& request,
                    const ApprovalActor& by) {
  Result<void> step = make_room(database, request.made_at);
  if (!step.has_value()) return std::unexpected(step.error());
  const Result<std::int64_t> waiting = count(database.query(
      "SELECT count(*) FROM approvals WHERE principal = ? AND state = 'pending' AND ends_at > ?",
      {request.principal, request.made_at}));
  if (!waiting.has_value()) return std::unexpected(waiting.error());
  if (*waiting >= limits::approvals_of_principal_max) {
    return too_many("the principal's maximum number of calls that wait for an approval is reached");
  }
  step = insert_request(database, request);
  if (!step.has_value()) return std::unexpected(step.error());
  const auto noted = note_step(note, {.request = request, .by = by, .why = {}});
  if (!noted.has_value()) return std::unexpected(noted.error());
  return true;
}

/// Decides a request, until `ends_at`.
void decide(ApprovalRequest& request, State state, std::int64_t now, std::int64_t ends_at) {
  request.state = state;
  request.shown.clear();
  request.decided_at = now;
  request.ends_at = ends_at;
}

ApprovalActor gateway_itself() {
  return {.principal = "gateway", .transport = "gateway"};
}

/// Ends a request whose time is over, or for another reason, on record.
Result<void> end_request(Database& database, const Note& note, ApprovalRequest request, State state,
                         std::string why, std::int64_t now, const ApprovalActor& by) {
  decide(request, state, now, request.ends_at);
  const auto noted = note_step(note, {.request = request, .by = by, .why = std::move(why)});
  if (!noted.has_value()) return std::unexpected(noted.error());
  return write_state(database, request);
}

constexpr std::string_view kNobodyDecided = "nobody decided in time";
constexpr std::string_view kNobodyCalled = "nobody called in time";

std::string why_expired(const ApprovalRequest& request) {
  return std::string(request.state == State::pending ? kNobodyDecided : kNobodyCalled);
}

Result<AnsweredApproval> count_answer(Database& database, const Note& note,
                                      const ApprovalAnswer& answer, const ApprovalActor& by) {
  Result<MaybeRequest> found = find_request(database, answer.request);
  if (!found.has_value()) return std::unexpected(found.error());
  if (!found->has_value()) return AnsweredApproval{.kind = Kind::unknown};
  AnsweredApproval answered{.request = *std::move(*found)};
  ApprovalRequest& request = answered.request;
  if (request.state == State::pending && request.ends_at <= answer.at) {
    const Result<void> ended = end_request(database, note, request, State::expired,
                                           why_expired(request), request.ends_at, gateway_itself());
    if (!ended.has_value()) return std::unexpected(ended.error());
    decide(request, State::expired, request.ends_at, request.ends_at);
  }
  const Result<Answers> before = find_answers(database, request.id);
  if (!before.has_value()) return std::unexpected(before.error());
  answered.approved_by = std::ranges::count_if(*before, &ApprovalAnswer::approves);
  const auto own = std::ranges::find(*before, answer.person, &ApprovalAnswer::person);
  if (own != before->end()) {
    answered.kind = own->approves == answer.approves ? Kind::again : Kind::answered;
    return answered;
  }
  if (request.state != State::pending) {
    answered.kind = Kind::decided;
    return answered;
  }
  if (answer.approves) ++answered.approved_by;
  if (!answer.approves) {
    decide(request, State::denied, answer.at, request.ends_at);
  } else if (answered.approved_by >= request.needed) {
    decide(request, State::approved, answer.at, answer.at + request.valid_for);
  }
  const Result<std::string> proof =
      note_step(note, {.request = request, .by = by, .why = answer.why, .answer = &answer});
  if (!proof.has_value()) return std::unexpected(proof.error());
  const Result<void> step = add_answer(database, answer, *proof);
  if (!step.has_value()) return std::unexpected(step.error());
  const Result<void> written = write_state(database, request);
  if (!written.has_value()) return std::unexpected(written.error());
  return answered;
}

Result<bool> use_one(Database& database, const Note& note, const std::string& id,
                     const std::string& call, std::int64_t now, const ApprovalActor& by) {
  Result<MaybeRequest> found = find_request(database, id);
  if (!found.has_value()) return std::unexpected(found.error());
  if (!found->has_value()) return false;
  ApprovalRequest request = *std::move(*found);
  if (request.state != State::approved || request.ends_at <= now) return false;
  const Result<void> used =
      end_request(database, note, std::move(request), State::used, "by " + call, now, by);
  if (!used.has_value()) return std::unexpected(used.error());
  return true;
}

Result<bool> end_one(Database& database, const Note& note, const std::string& id, State state,
                     const std::string& why, std::int64_t now, const ApprovalActor& by) {
  const Result<MaybeRequest> found = find_request(database, id);
  if (!found.has_value()) return std::unexpected(found.error());
  const bool is_open = found->has_value() &&
                       ((*found)->state == State::pending || (*found)->state == State::approved);
  if (!is_open) return false;
  const Result<void> ended = end_request(database, note, **found, state, why, now, by);
  if (!ended.has_value()) return std::unexpected(ended.error());
  return true;
}

using Ids = Result<std::vector<std::string>>;

/// Some at a time: what waits for the state file meanwhile is not to wait for long.
Ids end_all_outdated(Database& database, const Note& note, const std::string& policy,
                     std::int64_t now) {
  const auto found =
      requests_of(database.query("SELECT * FROM approvals WHERE state IN ('pending', 'approved')"
                                 " AND (ends_at <= ? OR policy <> ?) ORDER BY number LIMIT 200",
                                 {now, policy}));
  if (!found.has_value()) return std::unexpected(found.error());
  std::vector<std::string> ids;
  ids.reserve(found->size());
  for (const ApprovalRequest& request : *found) {
    const bool is_over = request.ends_at <= now;
    const Result<void> ended = end_request(
        database, note, request, is_over ? State::expired : State::withdrawn,
        is_over ? why_expired(request) : "the policy has changed since", now, gateway_itself());
    if (!ended.has_value()) return std::unexpected(ended.error());
    ids.push_back(request.id);
  }
  return ids;
}

using MaybeFound = std::optional<Approvals::Found>;

Result<MaybeFound> find_whole(Database& database, const std::string& id) {
  Result<MaybeRequest> request = find_request(database, id);
  if (!request.has_value()) return std::unexpected(request.error());
  if (!request->has_value()) return MaybeFound();
  Result<Answers> answers = find_answers(database, id);
  if (!answers.has_value()) return std::unexpected(answers.error());
  return MaybeFound({.request = *std::move(*request), .answers = *std::move(answers)});
}

using AllFound = Result<std::vector<Approvals::Found>>;

AllFound with_answers(Database& database, Result<Requests> requests) {
  if (!requests.has_value()) return std::unexpected(requests.error());
  std::vector<Approvals::Found> all;
  all.reserve(requests->size());
  for (ApprovalRequest& request : *requests) {
    Result<Answers> answers = find_answers(database, request.id);
    if (!answers.has_value()) return std::unexpected(answers.error());
    all.push_back({.request = std::move(request), .answers = *std::move(answers)});
  }
  return all;
}

using Recorded = Approvals::Recorded;

/// Where a request stands of which the record says that. One that the record knows otherwise, or
/// that was decided where the record says that it waits, is nobody's any more.
void follow(ApprovalRequest& request, const Recorded* recorded, std::int64_t now) {
  const bool is_known = recorded != nullptr && recorded->digest == request.digest;
  const bool was_ahead =
      is_known && recorded->state == State::pending && request.state != State::pending;
  if (!is_known || was_ahead) {
    decide(request, State::withdrawn, now, request.ends_at);
  } else if (recorded->state == State::approved) {
    decide(request, State::approved, recorded->at, recorded->at + request.valid_for);
  } else if (recorded->state != State::pending) {
    decide(request, recorded->state, recorded->at, request.ends_at);
  }
}

Ids follow_all(Database& database, const Note& note,
               const std::map<std::string, Recorded>& recorded, std::int64_t now) {
  auto open =
      requests_of(database.query("SELECT * FROM approvals WHERE state IN ('pending', 'approved')"
                                 " ORDER BY number"));
  if (!open.has_value()) return std::unexpected(open.error());
  std::vector<std::string> changed;
  for (ApprovalRequest& request : *open) {
    const auto found = recorded.find(request.id);
    const State before = request.state;
    follow(request, found == recorded.end() ? nullptr : &found->second, now);
    Result<void> step;
    const bool is_withdrawn = request.state == State::withdrawn &&
                              (found == recorded.end() || found->second.state != State::withdrawn);
    if (is_withdrawn) {
      const auto noted = note_step(
          note,
          {.request = request, .by = gateway_itself(), .why = "the record does not confirm it"});
      if (!noted.has_value()) return std::unexpected(noted.error());
    } else {
      step = done(database.query("DELETE FROM approval_answers WHERE request = ?", {request.id}));
      for (const ApprovalAnswer& answer : found->second.answers) {
        if (step.has_value()) step = add_answer(database, answer, answer.proof);
      }
    }
    if (step.has_value()) step = write_state(database, request);
    if (!step.has_value()) return std::unexpected(step.error());
    if (request.state != before) changed.push_back(request.id);
  }
  return changed;
}

}  // namespace

Task<Result<bool>> Approvals::add(Loop& loop, ApprovalRequest request, ApprovalActor by) {
  return store_.ask<bool>(
      loop, [note = note_, request = std::move(request), by = std::move(by)](Database& database) {
        return database.in_transaction([&] { return insert(database, note, request, by); });
      });
}

Task<Result<AnsweredApproval>> Approvals::answer(Loop& loop, ApprovalAnswer answer,
                                                 ApprovalActor by) {
  return store_.ask<AnsweredApproval>(
      loop, [note = note_, answer = std::move(answer), by = std::move(by)](Database& database) {
        return database.in_transaction([&] { return count_answer(database, note, answer, by); });
      });
}

Task<Result<bool>> Approvals::use(Loop& loop, std::string id, std::string call, std::int64_t now,
                                  ApprovalActor by) {
  return store_.ask<bool>(loop, [note = note_, id = std::move(id), call = std::move(call), now,
                                 by = std::move(by)](Database& database) {
    return database.in_transaction([&] { return use_one(database, note, id, call, now, by); });
  });
}

Task<Result<bool>> Approvals::end(Loop& loop, std::string id, ApprovalState state, std::string why,
                                  std::int64_t now, ApprovalActor by) {
  return store_.ask<bool>(loop, [note = note_, id = std::move(id), state, why = std::move(why), now,
                                 by = std::move(by)](Database& database) {
    return database.in_transaction(
        [&] { return end_one(database, note, id, state, why, now, by); });
  });
}

Task<Result<std::vector<std::string>>> Approvals::end_outdated(Loop& loop, std::string policy,
                                                               std::int64_t now) {
  return store_.ask<std::vector<std::string>>(loop, [note = note_, policy = std::move(policy),
                                                     now](Database& database) {
    return database.in_transaction([&] { return end_all_outdated(database, note, policy, now); });
  });
}

Task<Result<std::optional<Approvals::Found>>> Approvals::find(Loop& loop, std::string id) {
  return store_.ask<MaybeFound>(
      loop, [id = std::move(id)](Database& database) { return find_whole(database, id); });
}

Task<Result<std::vector<ApprovalRequest>>> Approvals::open(Loop& loop, std::string after,
                                                           std::int64_t count) {
  return store_.ask<Requests>(loop, [after = std::move(after), count](Database& database) {
    return requests_of(
        database.query("SELECT * FROM approvals WHERE state IN ('pending', 'approved')"
                       " AND number > coalesce((SELECT number FROM approvals WHERE id = ?1), 0)"
                       " ORDER BY number LIMIT ?2",
                       {after, count}));
  });
}

Task<Result<std::vector<Approvals::Found>>> Approvals::of_target(Loop& loop, std::string principal,
                                                                 std::string server,
                                                                 std::string target,
                                                                 std::int64_t now) {
  return store_.ask<std::vector<Found>>(
      loop, [principal = std::move(principal), server = std::move(server),
             target = std::move(target), now](Database& database) {
        return with_answers(
            database,
            requests_of(database.query(
                "SELECT number, id, state, principal, endpoint, server, method, target, rule,"
                " policy, session, salt, digest, params, fingerprint, expires, '',"
                " needed, made_at, ends_at, valid_for, decided_at FROM approvals"
                " WHERE principal = ?1 AND server = ?2"
                " AND target = ?3 AND (state IN ('pending', 'approved')"
                " OR (state = 'denied' AND expires > ?4)) ORDER BY number",
                {principal, server, target, now})));
      });
}

Task<Result<std::int64_t>> Approvals::waiting(Loop& loop) {
  return store_.ask<std::int64_t>(loop, [](Database& database) {
    return database.number("SELECT count(*) FROM approvals WHERE state = 'pending'");
  });
}

Result<std::optional<std::int64_t>> Approvals::oldest_open() {
  using Oldest = std::optional<std::int64_t>;
  return store_.ask_now<Oldest>([](Database& database) -> Result<Oldest> {
    const Rows rows = database.query(
        "SELECT made_at FROM approvals WHERE state IN ('pending', 'approved')"
        " ORDER BY made_at LIMIT 1");
    if (!rows.has_value()) return std::unexpected(rows.error());
    return rows->empty() ? Oldest() : Oldest(number_of(rows->front().front()));
  });
}

Result<std::vector<std::string>> Approvals::follow_record(std::map<std::string, Recorded> recorded,
                                                          std::int64_t now) {
  return store_.ask_now<std::vector<std::string>>(
      [note = note_, recorded = std::move(recorded), now](Database& database) {
        return database.in_transaction([&] { return follow_all(database, note, recorded, now); });
      });
}

}  // namespace bartizan
