#include "gateway/dialect/groundhog_request.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "schemas/base/contains.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

using Read = std::expected<GroundhogRequest, GroundhogFault>;
using Asked = GroundhogRequest::Method;

constexpr std::size_t kListedUsual = 100;
constexpr std::int64_t kListedMax = 1000;
constexpr std::size_t kWordsMax = 1024;
constexpr std::size_t kPermissionsMax = 64;
/// The largest parameters kept until the response, for its errors.
constexpr std::size_t kParametersMax = std::size_t{8} << 10;

std::unexpected<GroundhogFault> invalid(std::string detail) {
  return std::unexpected<GroundhogFault>({.detail = std::move(detail)});
}

/// A fault for the first unknown member.
std::optional<GroundhogFault> find_unknown(JsonValue params,
                                           std::initializer_list<std::string_view> names) {
  if (params && !params.is(JsonType::object)) {
    return GroundhogFault{.detail = "/params must be an object"};
  }
  for (const JsonValue member : params) {
    if (contains(names, member.key())) continue;
    // The fault does not name the member, because it is recorded and a client may have invented the
    // name.
    return GroundhogFault{
        .detail = fmt::format("/params has no other members than {}", fmt::join(names, ", "))};
  }
  return std::nullopt;
}

std::optional<std::string> text_of(JsonValue value, std::size_t bytes_max) {
  const bool is_sound =
      value.is(JsonType::string) && !value.text().empty() && value.text().size() <= bytes_max;
  return is_sound ? std::optional(std::string(value.text())) : std::nullopt;
}

Read read_list(const Message& message) {
  const JsonValue params = message.params;
  if (auto fault =
          find_unknown(params, {"category", "trust_level", "query", "limit", "security_context"})) {
    return std::unexpected(*std::move(fault));
  }
  GroundhogRequest request{.method = Asked::list, .most = kListedUsual};
  if (const JsonValue query = params.find("query")) {
    const bool is_sound = query.is(JsonType::string) && query.text().size() <= kWordsMax;
    if (!is_sound) return invalid("/params/query must be a text of at most 1024 bytes");
    request.words = query.text();
  }
  if (const JsonValue limit = params.find("limit")) {
    const std::int64_t most = limit.integer().value_or(0);
    if (most < 1 || most > kListedMax) {
      return invalid("/params/limit must be a whole number from 1 to 1000");
    }
    request.most = static_cast<std::size_t>(most);
  }
  // The list itself reports faults in these two.
  std::string filters = "{";
  for (const std::string_view name : {"category", "trust_level"}) {
    const JsonValue filter = params.find(name);
    if (!filter) continue;
    filters +=
        fmt::format("{}{}:{}", filters.size() > 1 ? "," : "", json_string(name), filter.raw());
  }
  request.message = write_request(message.id.raw(), "tools/list", filters + "}");
  return request;
}

/// Reads the client's limit of permissions. Its other statements about itself are ignored.
std::optional<GroundhogFault> read_context(JsonValue context, GroundhogRequest& request) {
  if (!context) return std::nullopt;
  if (!context.is(JsonType::object)) {
    return GroundhogFault{.detail = "/params/security_context must be an object"};
  }
  const JsonValue permissions = context.find("permissions");
  if (!permissions) return std::nullopt;
  const bool are_names = permissions.is(JsonType::array) && permissions.size() <= kPermissionsMax &&
                         std::all_of(permissions.begin(), permissions.end(), [](JsonValue one) {
                           return text_of(one, limits::name_bytes_max).has_value();
                         });
  if (!are_names) {
    return GroundhogFault{
        .detail = "/params/security_context/permissions must be a list of at most 64 texts"};
  }
  request.limits_permissions = true;
  for (const JsonValue one : permissions)
    request.permissions.emplace_back(one.text());
  std::ranges::sort(request.permissions);
  return std::nullopt;
}

Read read_invocation(const Message& message) {
  const JsonValue params = message.params;
  if (auto fault =
          find_unknown(params, {"tool_id", "tool_version", "parameters", "security_context"})) {
    return std::unexpected(*std::move(fault));
  }
  const auto tool = text_of(params.find("tool_id"), limits::name_bytes_max);
  if (!tool.has_value()) return invalid("/params/tool_id must be the id of a tool");
  const auto version = text_of(params.find("tool_version"), limits::name_bytes_max);
  if (!version.has_value()) {
    return invalid("/params/tool_version must be the version that tools/list has of the tool");
  }
  const JsonValue parameters = params.find("parameters");
  if (parameters && !parameters.is(JsonType::object)) {
    return invalid("/params/parameters must be an object");
  }
  GroundhogRequest request{.method = Asked::invoke, .tool = *tool, .version = *version};
  if (auto fault = read_context(params.find("security_context"), request)) {
    return std::unexpected(*std::move(fault));
  }
  const std::string_view raw = parameters ? parameters.raw() : std::string_view("{}");
  if (raw.size() <= kParametersMax) request.parameters = raw;
  request.message =
      write_request(message.id.raw(), "tools/call",
                    fmt::format(R"({{"name":{},"arguments":{}}})", json_string(*tool), raw));
  return request;
}

}  // namespace

std::expected<GroundhogRequest, GroundhogFault> read_groundhog_request(const Message& message) {
  if (!message.is_request()) {
    return std::unexpected<GroundhogFault>(
        {.code = ErrorCode::invalid_request, .detail = "a message needs \"method\" and \"id\""});
  }
  const std::string_view method = message.method;
  if (method == "tools/list") return read_list(message);
  if (method == "tools/invoke") return read_invocation(message);
  if (method == "tools/register") return GroundhogRequest{.method = Asked::register_tool};
  return std::unexpected<GroundhogFault>(
      {.code = ErrorCode::method_not_found,
       .detail = "there are tools/list, tools/invoke and tools/register"});
}

}  // namespace bartizan
