// Requests to a front door, over the same listener as those of MCP.
#include <utility>
#include <vector>

#include "gateway/client/mcp_request.h"
#include "gateway/front_door/front_door.h"

namespace bartizan {
namespace {

/// A body as text. Errors: as `Connection::read_body`; http_limit for one larger than any form.
Task<Result<std::string>> read_text(Connection& connection) {
  constexpr std::string_view kTooLarge = "the body is too large for a front door";
  if (connection.head()->content_length() > limits::front_door_body_max) {
    co_return fail(ErrorCode::http_limit, Fault::client, std::string(kTooLarge));
  }
  const Result<Bytes> body = co_await connection.read_body();
  if (!body.has_value()) co_return std::unexpected(body.error());
  if (body->size() > limits::front_door_body_max) {
    co_return fail(ErrorCode::http_limit, Fault::client, std::string(kTooLarge));
  }
  co_return std::string(body->view());
}

}  // namespace

Task<bool> McpRequest::serve_front_door(FoundFrontDoor found) {
  if (auto refusal = check_host()) co_return co_await connection_.refuse(std::move(*refusal));
  Gateway& gateway = worker_.gateway;
  if (gateway.store == nullptr || gateway.sign_ins == nullptr) {
    co_return co_await connection_.refuse({.status = 503,
                                           .reason = Reason::issuer_unavailable,
                                           .detail = "there is no state file for front doors"});
  }
  // The current configuration, even if a reload follows meanwhile.
  const SnapshotPtr snapshot = snapshot_;
  FrontDoor door(worker_, *gateway.store, *gateway.sign_ins,
                 {.door = *found.door,
                  .place = found.place,
                  .config = snapshot->config,
                  .head = head_,
                  .peer = std::string(connection_.peer().address().source),
                  .network = std::string(connection_.peer().address().network),
                  .read_body = [this] { return read_text(connection_); }});
  FrontDoorAnswer answer = co_await door.answer();
  if (answer.reason != Reason::none) {
    note_refusal(worker_, connection_.peer().address(),
                 {.status = answer.status,
                  .reason = answer.reason,
                  .detail = "front door " + found.door->name + ": " + answer.detail,
                  .principal = answer.principal});
  }
  std::vector<HeaderLine> headers;
  headers.reserve(answer.headers.size());
  for (const auto& [name, value] : answer.headers)
    headers.push_back({name, value});
  co_return co_await connection_.respond(answer.status, answer.content_type, answer.body, headers);
}

}  // namespace bartizan
