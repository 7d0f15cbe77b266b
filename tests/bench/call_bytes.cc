#include "tests/bench/call_bytes.h"

#include <charconv>
#include <utility>

namespace bartizan {
namespace {

constexpr std::string_view kArguments =
    R"({"path":"/srv/data/reports/2026/third-quarter/northern-branch/summary-of-orders.txt",)"
    R"("mode":"lines","limit":200,"offset":1200,"encoding":"utf-8","follow":false})";

constexpr std::string_view kModernMeta =
    R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{},)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"}})";

void add_field(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  head += value;
  head += "\r\n";
}

/// The fields that only modern requests carry are taken from the body that they mirror.
void add_era(std::string& head, const CallShape& shape, std::string_view body) {
  if (!shape.modern) {
    if (!shape.session.empty()) add_field(head, "Mcp-Session-Id", shape.session);
    return add_field(head, "MCP-Protocol-Version", "2025-11-25");
  }
  add_field(head, "MCP-Protocol-Version", "2026-07-28");
  if (!body.contains("tools/call")) return;
  add_field(head, "Mcp-Method", "tools/call");
  add_field(head, "Mcp-Name", shape.tool);
}

}  // namespace

std::string call_message(const CallShape& shape, std::uint64_t id) {
  std::string body = R"({"jsonrpc":"2.0","id":)" + std::to_string(id);
  body += R"(,"method":"tools/call","params":{"name":")" + shape.tool;
  body += R"(","arguments":)";
  body += kArguments;
  body += R"(,"_meta":)";
  body += shape.modern ? kModernMeta : std::string_view(R"({"client/trace":"4bf92f3577b34da6"})");
  return body + "}}";
}

std::string post(const CallShape& shape, std::string_view body) {
  std::string request = "POST " + shape.path + " HTTP/1.1\r\n";
  add_field(request, "Host", "localhost");
  add_field(request, "User-Agent", "bench/1.0 (benchmark of the gateway)");
  if (!shape.key.empty()) add_field(request, "Authorization", "Bearer " + shape.key);
  add_field(request, "Accept", "application/json, text/event-stream");
  add_field(request, "Content-Type", "application/json");
  add_era(request, shape, body);
  add_field(request, "Content-Length", std::to_string(body.size()));
  request += "\r\n";
  return request.append(body);
}

CallBytes::CallBytes(const CallShape& shape)
    : CallBytes(post(shape, call_message(shape, kFirstId))) {}

CallBytes::CallBytes(std::string bytes)
    : bytes_(std::move(bytes)), id_at_(bytes_.find(std::to_string(kFirstId))) {}

std::string_view CallBytes::with_id(std::uint64_t id) {
  char* digits = bytes_.data() + id_at_;
  std::to_chars(digits, digits + 10, id);
  return bytes_;
}

}  // namespace bartizan
