#include "gateway/status/revocation_pages.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "config/parse_units.h"
#include "gateway/http/read_form.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/status/registration_orders.h"
#include "gateway/status/revocation_orders.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

using AnswerKind = RevocationAnswer::Kind;
using Kind = Revocation::Kind;

constexpr std::string_view kRevoke = "/api/revoke/";
constexpr std::string_view kBlock = "/api/block/";
constexpr std::string_view kLift = "/api/lift/";
constexpr std::string_view kRelease = "/api/release/";
constexpr std::string_view kList = "/api/revocations";
/// A page stays below what whoever asks for one reads of it, however long its texts are.
constexpr std::size_t kListedMax = 500;

std::string revocation_json(const Revocation& revocation) {
  std::string_view kind = text(revocation.kind);
  const bool blocks = is_block(revocation.kind);
  if (blocks) kind.remove_prefix(std::string_view("block_").size());
  std::string json = fmt::format(R"({{"number":{},"act":"{}","kind":"{}")", revocation.id,
                                 blocks ? "block" : "revoke", kind);
  json += is_by_digest(revocation.kind) ? R"(,"sha256":)" : R"(,"name":)";
  json += json_string(revocation.subject);
  json += R"(,"why":)" + json_string(revocation.why);
  json += R"(,"by":)" + json_string(revocation.by);
  json += R"(,"at":)" + json_string(time_text(revocation.at));
  if (revocation.until.has_value()) {
    json += R"(,"until":)" + json_string(time_text(*revocation.until));
  }
  return json + R"(,"decision_id":)" + json_string(revocation.decision_id) + "}";
}

StatusPage refused(int status, std::string_view why) {
  return {.status = status, .body = R"({"done":false,"reason":)" + json_string(why) + "}\n"};
}

int status_of(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::done:
      return 200;
    case AnswerKind::malformed:
      return 400;
    case AnswerKind::unknown:
      return 404;
    case AnswerKind::not_done:
      return 409;
    case AnswerKind::not_recordable:
      return 503;
  }
  return 500;
}

StatusPage page_of(const RevocationAnswer& answer) {
  if (answer.kind != AnswerKind::done) return refused(status_of(answer.kind), answer.why);
  return {.body = R"({"done":true,"revocation":)" + revocation_json(answer.revocation) + "}\n"};
}

/// The kind in a path, after `/api/revoke/` or `/api/block/`.
std::optional<Kind> kind_of(std::string_view path) {
  if (path.starts_with(kBlock)) {
    return parse_revocation_kind("block_" + std::string(path.substr(kBlock.size())));
  }
  const auto kind = parse_revocation_kind(path.substr(kRevoke.size()));
  return kind.has_value() && !is_block(*kind) ? kind : std::nullopt;
}

Task<StatusPage> take_revocation(Loop& asking, Gateway& gateway, AdminOrder order) {
  const std::string_view all = order.path;
  const std::size_t mark = all.find('?');
  const auto kind = kind_of(all.substr(0, mark));
  if (!kind.has_value()) {
    co_return refused(404,
                      "/api/revoke/ takes principal, session, key or token, and /api/block/ takes "
                      "principal, server or tool");
  }
  const Result<Form> form = read_form(mark == all.npos ? "" : all.substr(mark + 1));
  if (!form.has_value()) co_return refused(400, "the query cannot be read: " + form.error().detail);
  RevocationOrder wanted{.kind = *kind,
                         .subject = std::string(form->find("name").value_or("")),
                         .why = std::string(form->find("why").value_or(""))};
  if (wanted.subject.empty() || wanted.why.empty()) {
    co_return refused(400, "the query needs name= and why=, percent-encoded");
  }
  if (const auto lasts = form->find("for")) {
    const auto duration = parse_duration(*lasts);
    if (!duration.has_value() || *duration < std::chrono::seconds(1)) {
      co_return refused(400, "for= is a duration of a second or more, such as 1h or 30m");
    }
    wanted.lasts = std::chrono::floor<std::chrono::seconds>(*duration);
  }
  co_return page_of(co_await order_revocation(asking, gateway, std::move(wanted),
                                              {.source = order.peer, .transport = "admin"}));
}

Task<StatusPage> take_lift(Loop& asking, Gateway& gateway, AdminOrder order) {
  const auto id = read_number(std::string_view(order.path).substr(kLift.size()));
  if (!id.has_value()) {
    co_return refused(400, "/api/lift/NUMBER, as bartizan revocations shows it");
  }
  co_return page_of(
      co_await lift_revocation(asking, gateway, *id, {.source = order.peer, .transport = "admin"}));
}

}  // namespace

std::optional<std::int64_t> read_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string time_text(std::chrono::sys_seconds time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::vector<Revocation> present_revocations(const Gateway& gateway) {
  return gateway.revocations == nullptr ? std::vector<Revocation>() : gateway.revocations->all();
}

StatusPage revocations_page(const Gateway& gateway, std::string_view path) {
  path.remove_prefix(kList.size());
  const auto after = path.starts_with('/') ? read_number(path.substr(1)) : std::optional(0L);
  if (!after.has_value()) return {.status = 404, .body = "{}\n"};
  std::string body = R"({"revocations":[)";
  std::size_t listed = 0;
  bool has_more = false;
  for (const Revocation& revocation : present_revocations(gateway)) {
    if (revocation.id <= *after) continue;
    has_more = listed == kListedMax;
    if (has_more) break;
    if (listed++ > 0) body += ",";
    body += revocation_json(revocation);
  }
  return {.body = body + R"(],"more":)" + (has_more ? "true" : "false") + "}\n"};
}

Task<StatusPage> take_order(Loop& asking, Gateway& gateway, AdminOrder order) {
  const std::string& path = order.path;
  if (path.starts_with(kRelease)) return release_tool(asking, gateway, std::move(order));
  if (path.starts_with("/api/registration/")) {
    return order_registration(asking, gateway, std::move(order));
  }
  if (path.starts_with(kLift)) return take_lift(asking, gateway, std::move(order));
  if (path.starts_with(kRevoke) || path.starts_with(kBlock)) {
    return take_revocation(asking, gateway, std::move(order));
  }
  return Task<StatusPage>::ready(refused(405, "nothing is ordered there"));
}

}  // namespace bartizan
