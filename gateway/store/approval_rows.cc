#include "gateway/store/approval_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace bartizan {
namespace {

using State = ApprovalState;
using Requests = std::vector<ApprovalRequest>;
using Answers = std::vector<ApprovalAnswer>;
using Rows = Result<std::vector<Row>>;

constexpr std::array<std::pair<State, std::string_view>, 6> kStates{
    {{State::pending, "pending"},
     {State::approved, "approved"},
     {State::used, "used"},
     {State::denied, "denied"},
     {State::expired, "expired"},
     {State::withdrawn, "withdrawn"}}};

/// In the order of the table's columns.
ApprovalRequest request_of(const Row& row) {
  return {.id = text_of(row[1]),
          .state = parse_approval_state(text_of(row[2])).value_or(State::withdrawn),
          .principal = text_of(row[3]),
          .endpoint = text_of(row[4]),
          .server = text_of(row[5]),
          .method = text_of(row[6]),
          .target = text_of(row[7]),
          .rule = text_of(row[8]),
          .policy = text_of(row[9]),
          .session = text_of(row[10]),
          .salt = text_of(row[11]),
          .digest = text_of(row[12]),
          .params = text_of(row[13]),
          .fingerprint = text_of(row[14]),
          .expires = number_of(row[15]),
          .shown = text_of(row[16]),
          .needed = number_of(row[17]),
          .made_at = number_of(row[18]),
          .ends_at = number_of(row[19]),
          .valid_for = number_of(row[20]),
          .decided_at = number_of(row[21])};
}

std::string joined(const std::vector<std::string>& roles) {
  std::string all;
  for (const std::string& role : roles)
    all += role + "\n";
  return all;
}

std::vector<std::string> split(std::string_view all) {
  std::vector<std::string> roles;
  for (std::size_t end = all.find('\n'); end != all.npos; end = all.find('\n')) {
    roles.emplace_back(all.substr(0, end));
    all.remove_prefix(end + 1);
  }
  return roles;
}

ApprovalAnswer answer_of(const std::string& request, const Row& row) {
  return {.request = request,
          .approver = text_of(row[1]),
          .roles = split(text_of(row[2])),
          .proved = text_of(row[7]),
          .person = text_of(row[0]),
          .approves = number_of(row[3]) != 0,
          .why = text_of(row[4]),
          .proof = text_of(row[5]),
          .at = number_of(row[6])};
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

Result<void> done(const Rows& rows) {
  return rows.has_value() ? Result<void>() : std::unexpected(rows.error());
}

Result<Requests> requests_of(const Rows& rows) {
  if (!rows.has_value()) return std::unexpected(rows.error());
  Requests requests;
  requests.reserve(rows->size());
  for (const Row& row : *rows)
    requests.push_back(request_of(row));
  return requests;
}

Result<std::optional<ApprovalRequest>> find_request(Database& database, const std::string& id) {
  const auto found = requests_of(database.query("SELECT * FROM approvals WHERE id = ?", {id}));
  if (!found.has_value()) return std::unexpected(found.error());
  return found->empty() ? std::optional<ApprovalRequest>() : std::optional(found->front());
}

Result<Answers> find_answers(Database& database, const std::string& id) {
  const Rows rows = database.query(
      "SELECT person, approver, roles, approves, why, proof, at, proved FROM approval_answers"
      " WHERE request = ? ORDER BY at, person",
      {id});
  if (!rows.has_value()) return std::unexpected(rows.error());
  Answers answers;
  answers.reserve(rows->size());
  for (const Row& row : *rows)
    answers.push_back(answer_of(id, row));
  return answers;
}

Result<void> insert_request(Database& database, const ApprovalRequest& request) {
  return done(database.query(
      "INSERT INTO approvals (id, state, principal, endpoint, server, method, target, rule, policy,"
      " session, salt, digest, params, fingerprint, expires, shown, needed, made_at, ends_at,"
      " valid_for, decided_at)"
      " VALUES (?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
      {request.id, request.principal, request.endpoint, request.server, request.method,
       request.target, request.rule, request.policy, request.session, request.salt, request.digest,
       request.params, request.fingerprint, request.expires, request.shown, request.needed,
       request.made_at, request.ends_at, request.valid_for}));
}

Result<void> add_answer(Database& database, const ApprovalAnswer& answer, std::string proof) {
  return done(database.query(
      "INSERT INTO approval_answers (request, person, approver, roles, proved, approves, why, "
      "proof,"
      " at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {answer.request, answer.person, answer.approver, joined(answer.roles), answer.proved,
       std::int64_t{answer.approves ? 1 : 0}, answer.why, std::move(proof), answer.at}));
}

Result<void> write_state(Database& database, const ApprovalRequest& request) {
  return done(database.query(
      "UPDATE approvals SET state = ?, shown = ?, decided_at = ?, ends_at = ? WHERE id = ?",
      {std::string(text(request.state)), request.shown, request.decided_at, request.ends_at,
       request.id}));
}

}  // namespace bartizan
