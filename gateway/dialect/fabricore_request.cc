#include "gateway/dialect/fabricore_request.h"

#include <initializer_list>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gateway/message/correlation_id.h"
#include "schemas/base/contains.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_members.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

using Read = std::expected<FabricoreRequest, FabricoreFault>;

std::unexpected<FabricoreFault> refuse(ErrorCode code, std::string detail) {
  return std::unexpected<FabricoreFault>({.code = code, .detail = std::move(detail)});
}

std::unexpected<FabricoreFault> invalid(std::string detail) {
  return refuse(ErrorCode::invalid_params, std::move(detail));
}

bool is_id(JsonValue id) {
  return id.is(JsonType::string) || id.is(JsonType::number);
}

/// A sentence if an object has other members than these. It does not name the member, because it is
/// recorded and a client may have invented the name.
std::optional<std::string> find_unknown(JsonValue object, std::string_view pointer,
                                        std::initializer_list<std::string_view> names) {
  if (!object.is(JsonType::object)) return fmt::format("{} must be an object", pointer);
  for (const JsonValue member : object) {
    if (contains(names, member.key())) continue;
    return fmt::format("{} has no other members than {}", pointer, fmt::join(names, ", "));
  }
  return std::nullopt;
}

bool is_name(JsonValue name) {
  return name.is(JsonType::string) && !name.text().empty() &&
         name.text().size() <= limits::name_bytes_max;
}

/// The fault in the parts that both kinds of call share, as a sentence.
std::optional<std::string> find_call_fault(JsonValue arguments, std::string_view pointer,
                                           JsonValue execution_id) {
  if (arguments && !arguments.is(JsonType::object)) {
    return fmt::format("{} must be an object", pointer);
  }
  if (execution_id && !is_correlation_id(execution_id.text())) {
    return "/params/execution_id must be up to 128 letters, digits and -_.:/";
  }
  return std::nullopt;
}

/// The tool call, with the arguments byte for byte.
std::string write_call(std::string_view id, std::string_view name, JsonValue arguments,
                       JsonValue execution_id, std::string_view meta) {
  std::string all(meta);
  if (execution_id) {
    JsonMembers own;
    own.add("bartizan/correlation_id", execution_id.text());
    const std::string text = std::move(own).text();
    if (!all.empty()) all += ',';
    all += text.substr(1, text.size() - 2);
  }
  JsonMembers params;
  params.add("name", name).add_raw("arguments", arguments ? arguments.raw() : "{}");
  if (!all.empty()) params.add_raw("_meta", "{" + all + "}");
  return write_request(id, "tools/call", std::move(params).text());
}

Read read_execution(JsonValue message, const NameOfTool& name_of, std::string_view meta) {
  const JsonValue params = message.find("params");
  if (auto fault = find_unknown(params, "/params",
                                {"tool_name", "arguments", "execution_id", "approved_by"})) {
    return invalid(*std::move(fault));
  }
  const JsonValue tool = params.find("tool_name");
  if (!is_name(tool)) return invalid("/params/tool_name must be the name of a tool");
  const JsonValue arguments = params.find("arguments");
  const JsonValue execution_id = params.find("execution_id");
  if (auto fault = find_call_fault(arguments, "/params/arguments", execution_id)) {
    return invalid(*std::move(fault));
  }
  return FabricoreRequest{.message = write_call(message.find("id").raw(), name_of(tool.text()),
                                                arguments, execution_id, meta)};
}

Read read_proxy(JsonValue message, const NameOfTool& name_of, std::string_view meta) {
  const JsonValue params = message.find("params");
  if (auto fault = find_unknown(
          params, "/params", {"target_server", "inner_request", "execution_id", "approved_by"})) {
    return invalid(*std::move(fault));
  }
  const JsonValue server = params.find("target_server");
  if (!is_name(server)) return invalid("/params/target_server must be the name of an MCP server");
  const JsonValue inner = params.find("inner_request");
  const std::string_view pointer = "/params/inner_request";
  if (auto fault = find_unknown(inner, pointer, {"jsonrpc", "method", "params", "id"})) {
    return invalid(*std::move(fault));
  }
  const JsonValue id = inner.find("id");
  if (inner.find("jsonrpc").text() != "2.0" || !is_id(id)) {
    return invalid("/params/inner_request must be a request of JSON-RPC 2.0");
  }
  if (inner.find("method").text() != "tools/call") {
    return refuse(ErrorCode::method_not_found,
                  "/params/inner_request/method must be tools/call: nothing else is carried on");
  }
  const JsonValue called = inner.find("params");
  if (auto fault =
          find_unknown(called, "/params/inner_request/params", {"name", "arguments", "_meta"})) {
    return invalid(*std::move(fault));
  }
  const JsonValue tool = called.find("name");
  if (!is_name(tool)) return invalid("/params/inner_request/params/name must be that of a tool");
  const JsonValue arguments = called.find("arguments");
  const JsonValue execution_id = params.find("execution_id");
  if (auto fault =
          find_call_fault(arguments, "/params/inner_request/params/arguments", execution_id)) {
    return invalid(*std::move(fault));
  }
  const std::string name = name_of(fmt::format("{}.{}", server.text(), tool.text()));
  return FabricoreRequest{
      .method = FabricoreRequest::Method::proxy,
      .inner_id = std::string(id.raw()),
      .message = write_call(message.find("id").raw(), name, arguments, execution_id, meta)};
}

}  // namespace

Read read_fabricore_request(JsonValue message, const NameOfTool& name_of, std::string_view meta) {
  const bool is_request = message.find("jsonrpc").text() == "2.0" && is_id(message.find("id")) &&
                          message.find("method").is(JsonType::string);
  if (!is_request) {
    return refuse(ErrorCode::invalid_request,
                  "a message must be a request of JSON-RPC 2.0 with a method and an id");
  }
  const std::string_view method = message.find("method").text();
  if (method == "tool.execute") return read_execution(message, name_of, meta);
  if (method == "mcp.proxy") return read_proxy(message, name_of, meta);
  return refuse(ErrorCode::method_not_found, "there are tool.execute and mcp.proxy");
}

}  // namespace bartizan
