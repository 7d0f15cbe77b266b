#include "gateway/front_door/front_door.h"

#include <algorithm>
#include <utility>

#include "gateway/front_door/front_door_pages.h"
#include "gateway/identity/protected_resource.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/runtime/clock.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

void append_list(std::string& json, std::string_view name, const auto& texts) {
  json.append(",\"").append(name).append("\":[");
  bool is_first = true;
  for (const std::string_view text : texts) {
    if (!is_first) json += ',';
    append_json_string(json, text);
    is_first = false;
  }
  json += ']';
}

}  // namespace

FrontDoor::FrontDoor(Worker& worker, Store& store, SignIns& sign_ins, FrontDoorRequest request)
    : worker_(worker),
      store_(store),
      sign_ins_(sign_ins),
      request_(std::move(request)),
      door_(request_.door),
      now_(seconds_now()) {}

Task<FrontDoorAnswer> FrontDoor::answer() {
  using enum FrontDoorPlace;
  const HttpMethod method = request_.head.method();
  const bool is_read = request_.place == metadata || request_.place == FrontDoorPlace::authorize ||
                       request_.place == FrontDoorPlace::callback || request_.place == style;
  if (method != (is_read ? HttpMethod::get : HttpMethod::post)) {
    return Task<FrontDoorAnswer>::ready(
        FrontDoorAnswer{.status = 405,
                        .content_type = "text/plain",
                        .body = "This method is not served here.\n",
                        .headers = {{"Allow", is_read ? "GET" : "POST"}},
                        .reason = Reason::http_method_not_allowed,
                        .detail = "a front door takes another method there"});
  }
  switch (request_.place) {
    case FrontDoorPlace::metadata:
      return Task<FrontDoorAnswer>::ready(this->metadata());
    case FrontDoorPlace::authorize:
      return this->authorize();
    case FrontDoorPlace::consent:
      return this->consent();
    case FrontDoorPlace::callback:
      return this->callback();
    case FrontDoorPlace::style:
      return Task<FrontDoorAnswer>::ready(
          FrontDoorAnswer{.content_type = "text/css; charset=utf-8",
                          .body = std::string(front_door_style()),
                          .headers = {{"Cache-Control", "max-age=3600"}}});
    case FrontDoorPlace::token:
      return this->token();
    case FrontDoorPlace::revoke:
      return this->revoke();
    case FrontDoorPlace::register_client:
      return this->register_client();
  }
  return Task<FrontDoorAnswer>::ready(FrontDoorAnswer{.status = 404});
}

FrontDoorAnswer FrontDoor::metadata() const {
  const auto at = [this](std::string_view place) {
    return json_string(door_.issuer + std::string(place));
  };
  std::string json = R"({"issuer":)" + json_string(door_.issuer);
  json += R"(,"authorization_endpoint":)" + at("/authorize");
  json += R"(,"token_endpoint":)" + at("/token");
  json += R"(,"revocation_endpoint":)" + at("/revoke");
  if (door_.registration) json += R"(,"registration_endpoint":)" + at("/register");
  std::vector<std::string_view> scopes;
  scopes.reserve(door_.scopes.size());
  for (const auto& [scope, roles] : door_.scopes)
    scopes.push_back(scope);
  if (!scopes.empty()) append_list(json, "scopes_supported", scopes);
  json += R"(,"response_types_supported":["code"],"response_modes_supported":["query"])"
          R"(,"grant_types_supported":["authorization_code","refresh_token"])"
          R"(,"token_endpoint_auth_methods_supported":["none"])"
          R"(,"revocation_endpoint_auth_methods_supported":["none"])"
          R"(,"code_challenge_methods_supported":["S256"])"
          R"(,"authorization_response_iss_parameter_supported":true)";
  json += R"(,"client_id_metadata_document_supported":)";
  json += door_.metadata_documents ? "true}" : "false}";
  return {.body = std::move(json), .headers = {{"Cache-Control", "max-age=300"}}};
}

std::vector<const EndpointConfig*> FrontDoor::endpoints() const {
  std::vector<const EndpointConfig*> found;
  for (const auto& [name, endpoint] : request_.config.endpoints) {
    const auto doors = front_doors_at(request_.config, endpoint);
    if (std::ranges::find(doors, &door_) != doors.end()) found.push_back(&endpoint);
  }
  return found;
}

/// The endpoint of a resource. Clients write the URL of a host with a slash at its end.
const EndpointConfig* FrontDoor::find_endpoint(std::string_view resource) const {
  for (const EndpointConfig* endpoint : endpoints()) {
    const bool is_whole = resource.size() == endpoint->resource.size() + 1 &&
                          resource.ends_with('/') && resource.starts_with(endpoint->resource) &&
                          !std::string_view(endpoint->resource).substr(8).contains('/');
    if (resource == endpoint->resource || is_whole) return endpoint;
  }
  return nullptr;
}

Task<Result<Form>> FrontDoor::read_form_body() {
  const Result<std::string> body = co_await request_.read_body();
  if (!body.has_value()) co_return std::unexpected(body.error());
  co_return read_form(*body);
}

bool FrontDoor::is_kept_out(const Grant& grant) const {
  const auto& revocations = worker_.gateway.revocations;
  return revocations != nullptr &&
         revocations->refusal_of(grant.principal, {.kind = CredentialKind::front_door,
                                                   .name = door_.name,
                                                   .token_id = grant.id}) != Reason::none;
}

Task<bool> FrontDoor::record(RecordKind kind, const Grant& grant, std::string detail,
                             std::string client_name) {
  Record record{.kind = kind, .time = system_now()};
  const DecisionId id = worker_.next_decision_id();
  const std::string proof = "front_door:" + door_.name;
  record.decision_id = id.view();
  record.source = request_.peer;
  record.transport = "http";
  record.principal = grant.principal;
  record.proof = proof;
  record.client_name = client_name;
  record.policy = worker_.snapshot->policy->digest();
  record.detail = detail;
  const EndpointConfig* endpoint = find_endpoint(grant.resource);
  if (endpoint != nullptr) record.endpoint = endpoint->name;
  const Result<void> committed = co_await worker_.recorder.commit(record);
  co_return committed.has_value();
}

Task<void> FrontDoor::end_grant(Grant grant, std::string why) {
  const auto ended = co_await Grants(store_).end(worker_.loop, grant.id);
  // Even if the disk does not answer, the remembered tokens end.
  const bool was_over = ended.has_value() && !ended->has_value();
  if (!was_over) co_await note_end(std::move(grant), std::move(why));
}

Task<void> FrontDoor::note_end(Grant grant, std::string why) {
  now_ = seconds_now();
  sign_ins_.notes().end(grant.id, now_ + kAccessTokenSecondsMax, now_);
  co_await record(RecordKind::grant_end, grant, std::move(why));
}

}  // namespace bartizan
