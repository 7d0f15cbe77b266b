#include "gateway/front_door/sign_in_request.h"

#include <array>
#include <utility>

#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

using Member = std::string SignInRequest::*;
constexpr std::array<std::pair<std::string_view, Member>, 13> kMembers{
    {{"door", &SignInRequest::door},
     {"client", &SignInRequest::client},
     {"client_name", &SignInRequest::client_name},
     {"client_kind", &SignInRequest::client_kind},
     {"redirect", &SignInRequest::redirect},
     {"client_state", &SignInRequest::client_state},
     {"scopes", &SignInRequest::scopes},
     {"resource", &SignInRequest::resource},
     {"challenge", &SignInRequest::challenge},
     {"verifier", &SignInRequest::verifier},
     {"nonce", &SignInRequest::nonce},
     {"consent", &SignInRequest::consent},
     {"remembered", &SignInRequest::remembered}}};

}  // namespace

std::string SignInRequest::to_json() const {
  std::string json;
  for (const auto& [name, member] : kMembers) {
    json += json.empty() ? '{' : ',';
    json += json_string(name);
    json += ':';
    json += json_string(this->*member);
  }
  return json += '}';
}

std::optional<SignInRequest> SignInRequest::from_json(std::string_view json) {
  const Bytes bytes(json);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  if (!root.has_value() || !root->is(JsonType::object)) return std::nullopt;
  SignInRequest request;
  for (const auto& [name, member] : kMembers)
    request.*member = root->find(name).text();
  return request;
}

}  // namespace bartizan
