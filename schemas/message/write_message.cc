#include "schemas/message/write_message.h"

#include "schemas/json/json.h"

namespace bartizan {
namespace {

constexpr std::string_view kOpening = R"({"jsonrpc":"2.0")";
/// Names and punctuation of the longest message, so that one allocation holds it all.
constexpr std::size_t kEnvelopeBytes = 96;

std::string open(std::string_view id_json, std::size_t size) {
  std::string out;
  out.reserve(kEnvelopeBytes + id_json.size() + size);
  out += kOpening;
  if (id_json.empty()) return out;
  out += R"(,"id":)";
  out += id_json;
  return out;
}

std::string write_call(std::string_view id_json, std::string_view method,
                       std::string_view params_json) {
  std::string out = open(id_json, method.size() + params_json.size());
  out += R"(,"method":)";
  append_json_string(out, method);
  if (!params_json.empty()) {
    out += R"(,"params":)";
    out += params_json;
  }
  out += '}';
  return out;
}

}  // namespace

std::string write_result(std::string_view id_json, std::string_view result_json) {
  std::string out = open(id_json, result_json.size());
  out += R"(,"result":)";
  out += result_json;
  out += '}';
  return out;
}

std::string write_error(std::string_view id_json, int code, std::string_view message,
                        std::string_view data_json) {
  std::string out = open(id_json, message.size() + data_json.size());
  out += R"(,"error":{"code":)";
  out += std::to_string(code);
  out += R"(,"message":)";
  append_json_string(out, message);
  if (!data_json.empty()) {
    out += R"(,"data":)";
    out += data_json;
  }
  out += "}}";
  return out;
}

std::string write_request(std::string_view id_json, std::string_view method,
                          std::string_view params_json) {
  return write_call(id_json, method, params_json);
}

std::string write_notification(std::string_view method, std::string_view params_json) {
  return write_call({}, method, params_json);
}

}  // namespace bartizan
