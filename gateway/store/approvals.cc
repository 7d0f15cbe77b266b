#include "gateway/store/approvals.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/store/database.h"

namespace bartizan {
namespace {

using State = ApprovalState;
using Rows = Result<std::vector<Row>>;
using Kind = AnsweredApproval::Kind;

constexpr std::array<std::pair<State, std::string_view>, 6> kStates{
    {{State::pending, "pending"},
     {State::approved, "approved"},
     {State::used, "used"},
     {State::denied, "denied"},
     {State::expired, "expired"},
     {State::withdrawn, "withdrawn"}}};

Result<void> done(const Rows& rows) {
  return rows.has_value() ? Result<void>() : std::unexpected(rows.error());
}

/// In the order of the columns that each `SELECT` here names.
ApprovalRequest request_of(const Row& row) {
  return {.id = text_of(row[0]),
          .state = parse_approval_state(text_of(row[1])).value_or(State::withdrawn),
          .principal = text_of(row[2]),
          .endpoint = text_of(row[3]),
          .server = text_of(row[4]),
          .method = text_of(row[5]),
          .target = text_of(row[6]),
          .rule = text_of(row[7]),
          .policy = text_of(row[8]),
          .session = text_of(row[9]),
          .salt = text_of(row[10]),
          .digest = text_of(row[11]),
          .shown = text_of(row[12]),
          .needed = number_of(row[13]),
          .made_at = number_of(row[14]),
          .ends_at = number_of(row[15]),
          .valid_for = number_of(row[16]),
          .decided_at = number_of(row[17])};
}

ApprovalAnswer answer_of(const std::string& request, const Row& row) {
  return {.request = request,
          .approver = text_of(row[1]),
          .person = text_of(row[0]),
          .approves = number_of(row[2]) != 0,
          .why = text_of(row[3]),
          .proof = text_of(row[4]),
          .at = number_of(row[5])};
}

using Requests = std::vector<ApprovalRequest>;

Result<Requests> requests_of(const Rows& rows) {
  if (!rows.has_value()) return std::unexpected(rows.error());
  Requests requests;
  requests.reserve(rows->size());
  for (const Row& row : *rows)
    requests.push_back(request_of(row));
  return requests;
}

using MaybeRequest = std::optional<ApprovalRequest>;

Result<MaybeRequest> find_request(Database& database, const std::string& id) {
  const auto found = requests_of(database.query(
      "SELECT id, state, principal, endpoint, server, method, target, rule, policy, session, salt,"
      " digest, shown, needed, made_at, ends_at, valid_for, decided_at FROM approvals"
      " WHERE id = ?",
      {id}));
  if (!found.has_value()) return std::unexpected(found.error());
  return found->empty() ? MaybeRequest() : MaybeRequest(found->front());
}

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
  return too_many("as many calls wait for an approval as may");
}

Result<bool> insert(Database& database, const ApprovalRequest& request) {
  Result<void> step = make_room(database, request.made_at);
  if (!step.has_value()) return std::unexpected(step.error());
  const Result<std::int64_t> waiting = count(database.query(
      "SELECT count(*) FROM approvals WHERE principal = ? AND state = 'pending' AND ends_at > ?",
      {request.principal, request.made_at}));
  if (!waiting.has_value()) return std::unexpected(waiting.error());
  if (*waiting >= limits::approvals_of_principal_max) {
    return too_many("as many calls of this principal wait for an approval as may");
  }
  step = done(database.query(
      "INSERT INTO approvals (id, state, principal, endpoint, server, method, target, rule, policy,"
      " session, salt, digest, shown, needed, made_at, ends_at, valid_for, decided_at)"
      " VALUES (?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
      {request.id, request.principal, request.endpoint, request.server, request.method,
       request.target, request.rule, request.policy, request.session, request.salt, request.digest,
       request.shown, request.needed, request.made_at, request.ends_at, request.valid_for}));
  if (!step.has_value()) return std::unexpected(step.error());
  return true;
}

/// Leaves `pending` for another state, until `ends_at`.
Result<void> decide(Database& database, ApprovalRequest& request, State state, std::int64_t now,
                    std::int64_t ends_at) {
  request.state = state;
  request.shown.clear();
  request.decided_at = now;
  request.ends_at = ends_at;
  return done(database.query(
      "UPDATE approvals SET state = ?, shown = '', decided_at = ?, ends_at = ? WHERE id = ?",
      {std::string(text(state)), now, ends_at, request.id}));
}

Result<AnsweredApproval> count_answer(Database& database, const ApprovalAnswer& answer) {
  Result<MaybeRequest> found = find_request(database, answer.request);
  if (!found.has_value()) return std::unexpected(found.error());
  if (!found->has_value()) return AnsweredApproval{.kind = Kind::unknown};
  AnsweredApproval answered{.request = *std::move(*found)};
  ApprovalRequest& request = answered.request;
  if (request.state == State::pending && request.ends_at <= answer.at) {
    const Result<void> ended =
        decide(database, request, State::expired, request.ends_at, request.ends_at);
    if (!ended.has_value()) return std::unexpected(ended.error());
  }
  if (request.state != State::pending) {
    answered.kind = Kind::decided;
    return answered;
  }
  const Result<std::int64_t> before =
      count(database.query("SELECT count(*) FROM approval_answers WHERE request = ? AND person = ?",
                           {request.id, answer.person}));
  if (!before.has_value()) return std::unexpected(before.error());
  if (*before > 0) {
    answered.kind = Kind::again;
    return answered;
  }
  Result<void> step = done(database.query(
      "INSERT INTO approval_answers (request, person, approver, approves, why, proof, at)"
      " VALUES (?, ?, ?, ?, ?, ?, ?)",
      {request.id, answer.person, answer.approver, std::int64_t{answer.approves ? 1 : 0},
       answer.why, answer.proof, answer.at}));
  if (!step.has_value()) return std::unexpected(step.error());
  const Result<std::int64_t> approved = count(database.query(
      "SELECT count(*) FROM approval_answers WHERE request = ? AND approves = 1", {request.id}));
  if (!approved.has_value()) return std::unexpected(approved.error());
  answered.approved_by = *approved;
  if (!answer.approves) {
    step = decide(database, request, State::denied, answer.at, request.ends_at);
  } else if (*approved >= request.needed) {
    step = decide(database, request, State::approved, answer.at, answer.at + request.valid_for);
  }
  if (!step.has_value()) return std::unexpected(step.error());
  return answered;
}

Result<std::vector<std::string>> expire_all(Database& database, std::int64_t now) {
  const Rows rows = database.query(
      "UPDATE approvals SET state = 'expired', shown = '', decided_at = ends_at"
      " WHERE state IN ('pending', 'approved') AND ends_at <= ? RETURNING id",
      {now});
  if (!rows.has_value()) return std::unexpected(rows.error());
  std::vector<std::string> ids;
  ids.reserve(rows->size());
  for (const Row& row : *rows)
    ids.push_back(text_of(row[0]));
  return ids;
}

using MaybeFound = std::optional<Approvals::Found>;

Result<MaybeFound> find_whole(Database& database, const std::string& id) {
  Result<MaybeRequest> request = find_request(database, id);
  if (!request.has_value()) return std::unexpected(request.error());
  if (!request->has_value()) return MaybeFound();
  const Rows rows = database.query(
      "SELECT person, approver, approves, why, proof, at FROM approval_answers"
      " WHERE request = ? ORDER BY at, person",
      {id});
  if (!rows.has_value()) return std::unexpected(rows.error());
  Approvals::Found found{.request = *std::move(*request), .answers = {}};
  found.answers.reserve(rows->size());
  for (const Row& row : *rows)
    found.answers.push_back(answer_of(id, row));
  return MaybeFound(std::move(found));
}

}  // namespace

std::string_view text(ApprovalState state) {
  return std::ranges::find(kStates, state, [](const auto& one) { return one.first; })->second;
}

std::optional<ApprovalState> parse_approval_state(std::string_view text) {
  const auto* const found =
      std::ranges::find(kStates, text, [](const auto& one) { return one.second; });
  if (found == kStates.end()) return std::nullopt;
  return found->first;
}

Task<Result<bool>> Approvals::add(Loop& loop, ApprovalRequest request) {
  return store_.ask<bool>(loop, [request = std::move(request)](Database& database) {
    return database.in_transaction([&] { return insert(database, request); });
  });
}

Task<Result<AnsweredApproval>> Approvals::answer(Loop& loop, ApprovalAnswer answer) {
  return store_.ask<AnsweredApproval>(loop, [answer = std::move(answer)](Database& database) {
    return database.in_transaction([&] { return count_answer(database, answer); });
  });
}

Task<Result<bool>> Approvals::use(Loop& loop, std::string id, std::int64_t now) {
  return store_.ask<bool>(loop, [id = std::move(id), now](Database& database) -> Result<bool> {
    const Rows rows = database.query(
        "UPDATE approvals SET state = 'used', decided_at = ?2"
        " WHERE id = ?1 AND state = 'approved' AND ends_at > ?2 RETURNING id",
        {id, now});
    if (!rows.has_value()) return std::unexpected(rows.error());
    return !rows->empty();
  });
}

Task<Result<bool>> Approvals::end(Loop& loop, std::string id, ApprovalState state,
                                  std::int64_t now) {
  return store_.ask<bool>(loop,
                          [id = std::move(id), state, now](Database& database) -> Result<bool> {
                            const Rows rows = database.query(
                                "UPDATE approvals SET state = ?2, shown = '', decided_at = ?3"
                                " WHERE id = ?1 AND state IN ('pending', 'approved') RETURNING id",
                                {id, std::string(text(state)), now});
                            if (!rows.has_value()) return std::unexpected(rows.error());
                            return !rows->empty();
                          });
}

Task<Result<std::vector<std::string>>> Approvals::expire(Loop& loop, std::int64_t now) {
  return store_.ask<std::vector<std::string>>(
      loop, [now](Database& database) { return expire_all(database, now); });
}

Task<Result<std::optional<Approvals::Found>>> Approvals::find(Loop& loop, std::string id) {
  return store_.ask<MaybeFound>(
      loop, [id = std::move(id)](Database& database) { return find_whole(database, id); });
}

Task<Result<std::vector<ApprovalRequest>>> Approvals::open(Loop& loop, std::string after,
                                                           std::int64_t count) {
  return store_.ask<Requests>(loop, [after = std::move(after), count](Database& database) {
    return requests_of(database.query(
        "SELECT id, state, principal, endpoint, server, method, target, rule, policy, session,"
        " salt, digest, shown, needed, made_at, ends_at, valid_for, decided_at FROM approvals"
        " WHERE state IN ('pending', 'approved')"
        " AND number > coalesce((SELECT number FROM approvals WHERE id = ?1), 0)"
        " ORDER BY number LIMIT ?2",
        {after, count}));
  });
}

Task<Result<std::vector<ApprovalRequest>>> Approvals::open_of(Loop& loop, std::string principal,
                                                              std::string server,
                                                              std::string target) {
  return store_.ask<Requests>(loop, [principal = std::move(principal), server = std::move(server),
                                     target = std::move(target)](Database& database) {
    return requests_of(database.query(
        "SELECT id, state, principal, endpoint, server, method, target, rule, policy, session,"
        " salt, digest, shown, needed, made_at, ends_at, valid_for, decided_at FROM approvals"
        " WHERE principal = ? AND server = ? AND target = ?"
        " AND state IN ('pending', 'approved') ORDER BY number",
        {principal, server, target}));
  });
}

}  // namespace bartizan
