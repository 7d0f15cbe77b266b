#include "tests/bench/answers.h"

namespace bartizan {
namespace {

constexpr std::string_view kInputSchema =
    R"({"type":"object","properties":{"path":{"type":"string","maxLength":256},)"
    R"("mode":{"type":"string","enum":["text","lines"]},"limit":{"type":"integer","minimum":1},)"
    R"("offset":{"type":"integer","minimum":0},"encoding":{"type":"string"},)"
    R"("follow":{"type":"boolean"}},"required":["path"],"additionalProperties":false})";

constexpr std::size_t kWordsBytes = std::size_t{64} * 1024;
constexpr std::string_view kServerInfo = R"({"name":"bench-origin","version":"1.0.0"})";

std::string_view value_behind(std::string_view message, std::string_view name) {
  const std::size_t at = message.find(name);
  return at == std::string_view::npos ? std::string_view() : message.substr(at + name.size());
}

std::string_view id_of(std::string_view message) {
  const std::string_view rest = value_behind(message, R"("id":)");
  return rest.substr(0, rest.find_first_of(",}"));
}

/// Whether the sender speaks 2026-07-28, which wants members that other clients do not know.
bool is_modern(std::string_view message) {
  return message.contains(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")");
}

std::string begin_result(std::string_view id) {
  std::string answer = R"({"jsonrpc":"2.0","id":)";
  answer += id;
  answer += R"(,"result":{)";
  return answer;
}

/// Words rather than one letter, so that whoever scans the text meets what texts are made of.
std::string words(std::size_t bytes) {
  constexpr std::string_view kSentence =
      "The quarterly report of the northern branch lists orders and returns by week. ";
  std::string text;
  text.reserve(bytes + kSentence.size());
  while (text.size() < bytes)
    text += kSentence;
  text.resize(bytes);
  return text;
}

std::string text_answer(std::string_view id, std::size_t bytes, bool modern) {
  static const std::string kWords = words(kWordsBytes);
  const std::string_view end =
      modern ? R"("}],"resultType":"complete","isError":false}})" : R"("}],"isError":false}})";
  std::string answer = begin_result(id);
  answer += R"("content":[{"type":"text","text":")";
  std::size_t left = bytes - answer.size() - end.size();
  for (answer.reserve(bytes); left > kWordsBytes; left -= kWordsBytes)
    answer += kWords;
  answer.append(kWords, 0, left);
  answer += end;
  return answer;
}

/// Of the tool that is called; of the first one where it is none of them.
std::size_t answer_bytes(std::string_view message) {
  for (const SizedTool& tool : kSizedTools) {
    const std::string name = R"("name":")" + std::string(tool.name) + '"';
    if (message.contains(name)) return tool.bytes;
  }
  return kSizedTools.front().bytes;
}

std::string list_answer(std::string_view id, bool modern) {
  std::string answer = begin_result(id);
  if (modern) answer += R"("resultType":"complete","ttlMs":60000,"cacheScope":"public",)";
  answer += R"("tools":[)";
  for (const SizedTool& tool : kSizedTools) {
    if (answer.back() == '}') answer += ",";
    answer += R"({"name":")";
    answer += tool.name;
    answer += R"(","description":"Reads a document.","inputSchema":)";
    answer += kInputSchema;
    answer += "}";
  }
  return answer + "]}}";
}

std::string initialize_answer(std::string_view id) {
  std::string answer = begin_result(id);
  answer += R"("protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":)";
  return answer.append(kServerInfo) + "}}";
}

std::string discover_answer(std::string_view id) {
  std::string answer = begin_result(id);
  answer += R"("resultType":"complete","supportedVersions":["2026-07-28"],)";
  answer += R"("capabilities":{"tools":{}},"ttlMs":60000,"cacheScope":"public",)";
  answer += R"("_meta":{"io.modelcontextprotocol/serverInfo":)";
  return answer.append(kServerInfo) + "}}}";
}

}  // namespace

std::string_view method_of(std::string_view message) {
  const std::string_view rest = value_behind(message, R"("method":")");
  return rest.substr(0, rest.find('"'));
}

std::string answer_to(std::string_view message) {
  const std::string_view id = id_of(message);
  const std::string_view method = method_of(message);
  if (method == "tools/call") {
    return text_answer(id, answer_bytes(message), is_modern(message));
  }
  if (method.starts_with("notifications/")) return {};
  if (method == "initialize") return initialize_answer(id);
  if (method == "server/discover") return discover_answer(id);
  if (method == "tools/list") return list_answer(id, is_modern(message));
  if (method == "ping") return begin_result(id) + "}}";
  std::string error = R"({"jsonrpc":"2.0","id":)";
  error += id.empty() ? "null" : id;
  return error + R"(,"error":{"code":-32601,"message":"method not found"}})";
}

}  // namespace bartizan
