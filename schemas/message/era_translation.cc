#include "schemas/message/era_translation.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "schemas/base/contains.h"

namespace bartizan {
namespace {

constexpr std::int64_t kInvalidParams = -32602;
constexpr std::int64_t kInternalError = -32603;
/// A code of the legacy eras. Source: MCP 2025-11-25, server/resources.
constexpr std::int64_t kResourceNotFound = -32002;
constexpr std::int64_t kUrlElicitationRequired = -32042;
/// Codes with which a modern server refuses the protocol of a request. Source: MCP 2026-07-28,
/// schema.
constexpr std::array<std::int64_t, 3> kOfTheConversation{-32020, -32021, -32022};

constexpr std::string_view kReserved = "io.modelcontextprotocol/";

/// Selects the members of an object that are cut.
using IsCut = bool (*)(std::string_view member);

bool is_reserved(std::string_view member) {
  return member.starts_with(kReserved);
}

bool is_of_rounds(std::string_view member) {
  return member == "inputResponses" || member == "requestState";
}

/// Cuts members with the comma before them. The first members are cut with the comma after them.
void cut_members(std::vector<Splice>& cuts, JsonValue object, IsCut is_cut) {
  if (!object.is(JsonType::object)) return;
  std::size_t end_before = 0;  // Of the member before; 0 while none is kept.
  bool is_first_cut = false;   // A cut waits for the start of the next member.
  for (const JsonValue member : object) {
    if (is_first_cut) cuts.back().range.end = member.key_range().begin;
    is_first_cut = false;
    if (!is_cut(member.key())) {
      end_before = member.range().end;
      continue;
    }
    const std::size_t begin = end_before == 0 ? member.key_range().begin : end_before;
    cuts.push_back({SpliceKind::era_members, {begin, member.range().end}, ""});
    is_first_cut = end_before == 0;
    if (!is_first_cut) end_before = member.range().end;
  }
}

void add_member(std::string& members, std::string_view name, std::string_view json) {
  if (json.empty()) return;
  if (!members.empty()) members += ',';
  append_json_string(members, name);
  members += ':';
  members += json;
}

/// The members of an object without the cut ones, as text between its braces.
std::string members_without(JsonValue object, IsCut is_cut) {
  std::string members;
  for (const JsonValue member : object) {
    if (!is_cut(member.key())) add_member(members, member.key(), member.raw());
  }
  return members;
}

bool has_caching_hints(MethodId method) {
  return method == MethodId::resources_read;
}

std::string error_object(std::int64_t code, std::string_view message, std::string_view data_json) {
  std::string error = R"({"code":)" + std::to_string(code) + R"(,"message":)";
  append_json_string(error, message);
  if (!data_json.empty()) error += R"(,"data":)" + std::string(data_json);
  return error + "}";
}

bool is_legacy_only(std::string_view member) {
  return member == "elicitationId" || member == "message" || member == "url" || member == "mode";
}

}  // namespace

Splice claim_modern_era(const Message& request, const ModernClaim& claim) {
  std::string members;
  std::string version = "\"";
  version += text(kNewestModernVersion);
  add_member(members, meta_key::protocol_version, version + "\"");
  add_member(members, meta_key::client_capabilities, claim.capabilities);
  add_member(members, meta_key::client_info, claim.client_info);
  if (!claim.log_level.empty()) {
    std::string level;
    append_json_string(level, claim.log_level);
    add_member(members, meta_key::log_level, level);
  }
  const JsonValue meta = request.params.find("_meta");
  if (!meta.is(JsonType::object)) {
    const std::size_t at = request.params.range().begin + 1;
    return {SpliceKind::era_members, {at, at}, R"("_meta":{)" + members + "},"};
  }
  const std::size_t at = meta.range().begin + 1;
  // A legacy client's members with reserved names are cut.
  const bool keeps_some = std::any_of(meta.begin(), meta.end(),
                                      [](JsonValue member) { return !is_reserved(member.key()); });
  if (keeps_some) members += ',';
  return {SpliceKind::era_members, {at, at}, std::move(members)};
}

std::vector<Splice> leave_modern_era(const Message& request) {
  std::vector<Splice> cuts;
  cut_members(cuts, request.params, is_of_rounds);
  cut_members(cuts, request.params.find("_meta"), is_reserved);
  return cuts;
}

ResultKind result_kind(JsonValue result) {
  const JsonValue type = result.find("resultType");
  if (!type || type.text() == "complete") return ResultKind::complete;
  return type.text() == "input_required" ? ResultKind::input_required : ResultKind::unknown;
}

std::string legacy_result(JsonValue result) {
  const bool keeps_content = result.find("structuredContent").is(JsonType::object);
  const std::string members = members_without(
      result, keeps_content ? +[](std::string_view member) { return member == "resultType" || member == "ttlMs" || member == "cacheScope"; }
                            : +[](std::string_view member) {
                                return member == "resultType" || member == "ttlMs" ||
                                       member == "cacheScope" || member == "structuredContent";
                              });
  return "{" + members + "}";
}

std::string modern_result(JsonValue result, MethodId method) {
  std::string members =
      members_without(result, [](std::string_view member) { return member == "resultType"; });
  add_member(members, "resultType", "\"complete\"");
  if (has_caching_hints(method)) {
    if (!result.find("ttlMs")) add_member(members, "ttlMs", "0");
    if (!result.find("cacheScope")) add_member(members, "cacheScope", "\"private\"");
  }
  return "{" + members + "}";
}

std::string legacy_error(JsonValue error, MethodId method) {
  const std::int64_t code = error.find("code").integer().value_or(kInternalError);
  if (contains(kOfTheConversation, code)) {
    return error_object(kInternalError,
                        "the server refused how the gateway spoke to it: " +
                            std::string(error.find("message").text()),
                        "");
  }
  const bool is_missing = method == MethodId::resources_read && code == kInvalidParams &&
                          error.find("data").find("uri");
  if (!is_missing) return std::string(error.raw());
  return error_object(kResourceNotFound, error.find("message").text(), error.find("data").raw());
}

std::string modern_error(JsonValue error, std::string_view uri) {
  const std::int64_t code = error.find("code").integer().value_or(kInternalError);
  if (code != kResourceNotFound) return std::string(error.raw());
  std::string data = R"({"uri":)";
  append_json_string(data, uri);
  return error_object(kInvalidParams, error.find("message").text(), data + "}");
}

std::optional<std::string> required_urls(JsonValue error) {
  if (error.find("code").integer() != kUrlElicitationRequired) return std::nullopt;
  std::string requests;
  std::size_t number = 0;
  for (const JsonValue one : error.find("data").find("elicitations")) {
    std::string params = R"("mode":"url")";
    add_member(params, "message", one.find("message").raw());
    add_member(params, "url", one.find("url").raw());
    const std::string others = members_without(one, is_legacy_only);
    if (!others.empty()) params += "," + others;
    add_member(requests, "url" + std::to_string(++number),
               R"({"method":"elicitation/create","params":{)" + params + "}}");
  }
  if (number == 0) return std::nullopt;
  return "{" + requests + "}";
}

}  // namespace bartizan
