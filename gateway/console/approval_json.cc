#include "gateway/console/approval_json.h"

#include <chrono>

#include <fmt/format.h>

#include "gateway/http/write_http.h"
#include "gateway/status/revocation_pages.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

std::string time_json(std::int64_t seconds) {
  return json_string(time_text(std::chrono::sys_seconds(std::chrono::seconds(seconds))));
}

/// `,"NAME":"TEXT"`; nothing for an empty text.
std::string member(std::string_view name, std::string_view text) {
  return text.empty() ? "" : fmt::format(",\"{}\":{}", name, json_string(text));
}

/// The common members, without the closing brace.
std::string begin_json(const ApprovalRequest& request, std::int64_t now) {
  std::string json = R"({"id":)" + json_string(request.id);
  json += member("state", text(state_at(request, now)));
  json += member("principal", request.principal);
  json += member("endpoint", request.endpoint);
  json += member("server", request.server);
  json += member("method", request.method);
  json += member("target", request.target);
  json += member("rule", request.rule);
  json += member("policy", request.policy);
  json += member("digest", request.digest);
  json += fmt::format(R"(,"needed":{},"asked_at":{},"ends_at":{})", request.needed,
                      time_json(request.made_at), time_json(request.ends_at));
  if (request.decided_at > 0) json += R"(,"decided_at":)" + time_json(request.decided_at);
  return json;
}

std::string answer_json(const ApprovalAnswer& answer) {
  std::string json = fmt::format(R"({{"decision":"{}")", answer.approves ? "approve" : "deny");
  json += member("approver", answer.approver) + member("person", answer.person);
  json += R"(,"roles":[)";
  for (const std::string& role : answer.roles) {
    if (json.back() != '[') json += ',';
    json += json_string(role);
  }
  json += ']' + member("why", answer.why) + member("proof", answer.proof);
  return json + R"(,"at":)" + time_json(answer.at) + "}";
}

}  // namespace

std::string listed_approval_json(const ApprovalRequest& request, std::int64_t now) {
  return begin_json(request, now) + "}";
}

std::string pending_json(const ApprovalRequest& request, std::int64_t now) {
  std::string json = begin_json(request, now) + member("approval_id", request.id);
  return json + R"(,"call":)" + (request.shown.empty() ? "null" : request.shown) + "}";
}

std::string approval_json(const Approvals::Found& found,
                          const std::optional<std::string>& why_no_answer, std::int64_t now) {
  std::string json = begin_json(found.request, now);
  json += fmt::format(R"(,"approved_by":{},"answers":[)", approved_by(found));
  for (const ApprovalAnswer& answer : found.answers) {
    if (json.back() != '[') json += ',';
    json += answer_json(answer);
  }
  json += fmt::format(R"(],"may_answer":{})", !why_no_answer.has_value());
  if (why_no_answer.has_value()) json += member("why_not", *why_no_answer);
  const std::string& shown = found.request.shown;
  return json + R"(,"call":)" + (shown.empty() ? "null" : shown) + "}";
}

std::string problem_json(const ConsoleProblem& problem) {
  std::string json = fmt::format(R"({{"type":"about:blank","title":{},"status":{})",
                                 json_string(status_text(problem.status)), problem.status);
  json += member("detail", problem.sentence);
  json += member("reason", problem.reason);
  json += member("decision_id", problem.decision_id);
  return json + "}";
}

}  // namespace bartizan
