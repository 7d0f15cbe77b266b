#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "gateway/http/http_head.h"
#include "gateway/http/sse.h"
#include "gateway/http/write_http.h"
#include "gateway/upstream/sse_wire.h"

/// Both halves of a server of 2024-11-05: the first event of its stream says where messages go, and
/// what is posted there is one request to the server's own origin, with the message as its body.
/// Whoever reads the stream that we write learns the same messages, and posts where we said.

namespace {

using namespace bartizan;

constexpr std::size_t kEventMax = 400;
constexpr std::string_view kEndpoint = "endpoint";

std::vector<SseEvent> read(std::string_view stream) {
  SseReader reader(kEventMax);
  std::vector<SseEvent> events;
  while (!stream.empty()) {
    auto step = reader.step(stream);
    if (!step.has_value()) break;
    stream.remove_prefix(step->consumed);
    if (step->event.has_value()) events.push_back(*std::move(step->event));
  }
  return events;
}

/// A plain reading of what a URL with a scheme names in front of its path.
std::optional<std::string> origin_of(std::string_view said) {
  const std::size_t scheme = said.find("://");
  if (scheme == said.npos || scheme > said.find_first_of("/?#")) return std::nullopt;
  std::string origin(said.substr(0, said.find_first_of("/?#\\", scheme + 3)));
  for (char& letter : origin) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  if (origin.starts_with("https:") && origin.ends_with(":443")) origin.resize(origin.size() - 4);
  return origin;
}

/// What is posted to `target`, read as the server reads it.
void check_posted(const ServerUrl& url, const std::string& target, std::string_view message) {
  std::string request;
  const auto written = append_request_head(
      request, {.method = "POST",
                .target = target,
                .host = url.authority(),
                .content_type = "application/json",
                .body = {.framing = BodyFraming::content_length, .content_length = message.size()},
                .headers = {}});
  require(written.has_value());
  const auto head = std::make_unique<RequestHead>();
  require(head->read(request).has_value());
  require(head->method() == HttpMethod::post && head->target() == target);
  require(head->host() == url.authority() && head->content_length() == message.size());
  require(request.find("\r\n\r\n") + 4 == request.size());
}

void check_server(const ServerUrl& url, std::string_view own_origin, std::string_view said,
                  std::string_view message) {
  const Result<std::string> target = find_message_target(url, said);
  if (!target.has_value()) return;
  require(target->starts_with('/'));
  for (const char c : *target)
    require(c > ' ' && c < 0x7f && c != '#' && c != '\\');
  // Browsers take what begins so for a URL of another host.
  require(!said.starts_with("//"));
  const auto origin = origin_of(said);
  require(!origin.has_value() || *origin == own_origin);
  check_posted(url, *target, message);
}

/// The stream that we write to a client, as our own reading of a server's has it.
void check_client(const ServerUrl& url, std::string_view key, const std::vector<SseEvent>& events) {
  std::string target = "/mcp?sse=";
  for (const char c : key.substr(0, 18)) {
    target += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4U];
    target += "0123456789abcdef"[static_cast<unsigned char>(c) & 15U];
  }
  std::string stream;
  append_event(stream, {.data = target, .type = kEndpoint});
  std::vector<std::string> messages;
  for (const SseEvent& event : events) {
    stream += kSseKeepAlive;
    messages.emplace_back(event.data.view());
    append_event(stream, {.data = messages.back(), .type = "message"});
  }
  const std::vector<SseEvent> again = read(stream);
  require(again.size() == messages.size() + 1 && again[0].type == kEndpoint);
  const Result<std::string> found = find_message_target(url, again[0].data.view());
  require(found.has_value() && *found == target);
  for (std::size_t i = 0; i < messages.size(); ++i)
    require(again[i + 1].type == "message" && again[i + 1].data.view() == messages[i]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Result<ServerUrl> kPlain = parse_server_url("http://server.example:8080/a/sse?k=1");
  static const Result<ServerUrl> kTls = parse_server_url("https://server.example/sse");
  require(kPlain.has_value() && kTls.has_value());
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<SseEvent> events = read(bytes);
  for (const SseEvent& event : events) {
    check_server(*kPlain, "http://server.example:8080", event.data.view(), bytes);
    check_server(*kTls, "https://server.example", event.data.view(), bytes);
  }
  check_client(*kPlain, bytes, events);
  return 0;
}
