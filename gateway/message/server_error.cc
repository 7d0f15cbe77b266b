#include "gateway/message/server_error.h"

#include <algorithm>
#include <array>
#include <utility>

#include "schemas/base/error_code.h"
#include "schemas/json/json.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

constexpr int kResourceNotFound = -32002;
constexpr int kUrlElicitationRequired = -32042;

constexpr int number(RpcCode code) {
  return static_cast<int>(code);
}

/// What clients and models act on: which parameter is wrong, where to send the user, which
/// revisions and which features there are.
constexpr std::array kOpenCodes{
    number(RpcCode::invalid_params), kUrlElicitationRequired, number(RpcCode::header_mismatch),
    number(RpcCode::missing_capability), number(RpcCode::unsupported_version)};

std::string_view sentence(int code) {
  if (code == number(RpcCode::parse_error)) return "The server could not read the request.";
  if (code == number(RpcCode::invalid_request))
    return "The server rejected the request as invalid.";
  if (code == number(RpcCode::method_not_found)) return "The server does not have the method.";
  if (code == number(RpcCode::internal_error)) return "The server failed.";
  if (code == kResourceNotFound) return "The server does not have the resource.";
  return "The server answered with an error.";
}

int code_of(const Message& answer) {
  const auto code = answer.error.find("code").integer();
  const bool fits = code.has_value() && std::in_range<int>(*code);
  return fits ? static_cast<int>(*code) : static_cast<int>(RpcCode::internal_error);
}

}  // namespace

std::optional<std::string> error_by_trust(const Message& answer, std::string_view id_json,
                                          Trust trust) {
  const int code = code_of(answer);
  const bool is_open = std::ranges::find(kOpenCodes, code) != kOpenCodes.end();
  if (trust >= Trust::verified || is_open) return std::nullopt;
  return write_error(id_json, code, sentence(code));
}

std::string recorded_error(const Message& answer) {
  std::string detail = "server error: ";
  append_json_string(detail, answer.error.find("message").text());
  if (const JsonValue data = answer.error.find("data")) detail.append(" ").append(data.raw());
  return detail;
}

}  // namespace bartizan
