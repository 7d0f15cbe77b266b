#include "gateway/call/discovery.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gateway/worker/worker.h"
#include "schemas/base/ascii.h"
#include "schemas/base/contains.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::size_t kFoundUsual = 10;
constexpr std::size_t kFoundMax = 50;
constexpr std::size_t kWordsMax = 16;

constexpr std::string_view kDefinitions =
    R"({"name":"search_tools","title":"Search tools","description":"Finds tools by words in their )"
    R"(names and descriptions. Answers the names of the best, to be described or called.",)"
    R"("inputSchema":{"type":"object","properties":{"query":{"type":"string","description":)"
    R"("Words that say what the tool does."},"limit":{"type":"integer","minimum":1,"maximum":50,)"
    R"("default":10}},"required":["query"],"additionalProperties":false},)"
    R"("annotations":{"readOnlyHint":true,"openWorldHint":false}},)"
    R"({"name":"describe_tool","title":"Describe a tool","description":"Answers the definition of a )"
    R"(tool, with the schema of its arguments.","inputSchema":{"type":"object","properties":)"
    R"({"name":{"type":"string"}},"required":["name"],"additionalProperties":false},)"
    R"("annotations":{"readOnlyHint":true,"openWorldHint":false}},)"
    R"({"name":"call_tool","title":"Call a tool","description":"Calls a tool that search_tools found, )"
    R"(with arguments as describe_tool says.","inputSchema":{"type":"object","properties":)"
    R"({"name":{"type":"string"},"arguments":{"type":"object"}},"required":["name"],)"
    R"("additionalProperties":false},"annotations":{"readOnlyHint":false,"destructiveHint":true,)"
    R"("idempotentHint":false,"openWorldHint":true}})";

bool is_one_of_three(std::string_view name) {
  return name == kSearchTools || name == kDescribeTool || name == kCallTool;
}

/// Whether an object has no other members than these.
bool has_only(JsonValue object, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(object,
                             [&names](JsonValue member) { return contains(names, member.key()); });
}

/// The request with that method, and with `params` in the place of its `name` and `arguments`.
std::string with_params(const Message& message, std::string_view bytes, std::string_view method,
                        std::string_view params) {
  std::string text = R"({"jsonrpc":"2.0","id":)" + std::string(message.id.raw());
  text += R"(,"method":")";
  text += method;
  text += R"(","params":{)";
  text += params;
  for (const JsonValue member : message.params) {
    if (member.key() == "name" || member.key() == "arguments") continue;
    if (text.back() != '{') text += ',';
    text += member.key_range().of(bytes);
    text += ':';
    text += member.raw();
  }
  return text + "}}";
}

Reason replace_message(Worker& worker, Inbound& inbound, std::string text) {
  Receipt receipt = receive_message(worker.loop, worker.gateway.memory, Bytes(std::move(text)), {},
                                    worker.snapshot->config.client.null_members);
  if (!receipt.has_value()) {
    return receipt.error().error.code == ErrorCode::overloaded ? Reason::overloaded
                                                               : Reason::invalid_params;
  }
  worker.loop.give_back(std::exchange(inbound.received.document, nullptr));
  inbound.received = std::move(*receipt);
  // They repeat what the client called, which was held against them.
  inbound.headers.reset();
  return Reason::none;
}

/// The call that `call_tool` stands for.
Reason translate_call(Worker& worker, Inbound& inbound) {
  const Message& message = inbound.received.message;
  const JsonValue name = message.arguments.find("name");
  const JsonValue arguments = message.arguments.find("arguments");
  const bool is_sound = has_only(message.arguments, {"name", "arguments"}) &&
                        name.is(JsonType::string) && !is_one_of_three(name.text()) &&
                        (!arguments || arguments.is(JsonType::object));
  if (!is_sound) return Reason::invalid_params;
  std::string params = R"("name":)" + std::string(name.raw());
  if (arguments) params += R"(,"arguments":)" + std::string(arguments.raw());
  return replace_message(worker, inbound,
                         with_params(message, inbound.received.bytes.view(), "tools/call", params));
}

ToolSearch read_search(JsonValue arguments) {
  const JsonValue query = arguments.find("query");
  const JsonValue limit = arguments.find("limit");
  ToolSearch search{.words = std::string(query.text()), .name = {}, .most = kFoundUsual};
  if (!has_only(arguments, {"query", "limit"})) {
    search.fault = "search_tools takes \"query\" and \"limit\", and nothing else";
  } else if (!query.is(JsonType::string)) {
    search.fault = "search_tools needs \"query\", a text";
  }
  if (!limit) return search;
  const std::int64_t most = limit.integer().value_or(0);
  if (most < 1 || most > static_cast<std::int64_t>(kFoundMax)) {
    search.fault = "\"limit\" must be a whole number from 1 to 50";
  } else {
    search.most = static_cast<std::size_t>(most);
  }
  return search;
}

ToolSearch read_description(JsonValue arguments) {
  const JsonValue name = arguments.find("name");
  ToolSearch search{.words = {}, .name = std::string(name.text()), .most = 1};
  if (!has_only(arguments, {"name"}) || search.name.empty()) {
    search.fault = "describe_tool needs \"name\", a text, and nothing else";
  }
  return search;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return lower_case(c); });
  return result;
}

std::vector<std::string> words_of(std::string_view text, std::size_t most) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (is_word_character(c)) {
      word += lower_case(c);
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
    if (words.size() == most) return words;
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

/// 2 for a word of the text, 1 for a part of one, 0 otherwise. Input: both in lower case.
std::size_t weight_of(std::string_view text, std::string_view word) {
  std::size_t best = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    const std::size_t end = at + word.size();
    const bool ends = end == text.size() || !is_word_character(text[end]);
    if (begins && ends) return 2;
    best = 1;
  }
  return best;
}

std::string text_result(std::string_view text, std::string_view more) {
  return fmt::format(R"({{"content":[{{"type":"text","text":{}}}]{})", json_string(text), more);
}

}  // namespace

bool is_searched(const Snapshot& snapshot, const std::optional<std::string>& endpoint) {
  const auto found = snapshot.config.endpoints.find(endpoint.value_or(""));
  return found != snapshot.config.endpoints.end() && found->second.is_searched;
}

std::string_view search_tool_definitions() {
  return kDefinitions;
}

Reason translate_search(Worker& worker, Inbound& inbound, std::optional<ToolSearch>& search) {
  const Message& message = inbound.received.message;
  if (!message.is_request() || message.known->id != MethodId::tools_call) return Reason::none;
  const std::string name(message.params.find("name").text());
  if (!is_one_of_three(name)) return Reason::none;
  // A header that says otherwise is refused as of any call.
  const bool repeats = !inbound.headers.has_value() ||
                       (inbound.headers->name == name && inbound.headers->method == "tools/call");
  if (!repeats) return Reason::none;
  if (name == kCallTool) return translate_call(worker, inbound);
  search =
      name == kSearchTools ? read_search(message.arguments) : read_description(message.arguments);
  return replace_message(worker, inbound,
                         with_params(message, inbound.received.bytes.view(), "tools/list", ""));
}

std::size_t fit_of(const FoundTool& tool, std::string_view words) {
  const std::vector<std::string> looked_for = words_of(words, kWordsMax);
  if (looked_for.empty()) return 1;
  const std::string name = lower(tool.name);
  const std::string title = lower(tool.title);
  const std::string description = lower(tool.description);
  std::size_t fit = 0;
  std::size_t found = 0;
  for (const std::string& word : looked_for) {
    const std::size_t weight =
        8 * weight_of(name, word) + 4 * weight_of(title, word) + 2 * weight_of(description, word);
    found += weight > 0 ? 1 : 0;
    fit += weight;
  }
  // A tool that has more of the words stands before one that has fewer.
  return found == 0 ? 0 : 1000 * found + fit;
}

std::string found_tools_result(const std::vector<std::string>& entries, std::size_t total) {
  std::string list = "[";
  for (const std::string& entry : entries) {
    if (list.size() > 1) list += ',';
    list += entry;
  }
  const std::string found = fmt::format(R"({{"tools":{}],"total_matches":{}}})", list, total);
  return text_result(found, R"(,"structuredContent":)" + found);
}

std::string unsearched_result(std::string_view fault) {
  return text_result(fault, R"(,"isError":true)");
}

std::string described_tool_result(std::string_view definition) {
  if (definition.empty()) return text_result("there is no such tool", R"(,"isError":true)");
  return text_result(definition,
                     R"(,"structuredContent":{"tool":)" + std::string(definition) + "}");
}

}  // namespace bartizan
