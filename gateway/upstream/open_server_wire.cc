#include "gateway/upstream/open_server_wire.h"

#include <array>
#include <utility>

#include <openssl/evp.h>

#include "gateway/framing/stream_wire.h"
#include "gateway/framing/web_socket_frame.h"
#include "gateway/http/http_fields.h"
#include "gateway/http/http_response_head.h"
#include "gateway/http/write_http.h"
#include "gateway/upstream/sse_wire.h"
#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using Milliseconds = std::chrono::milliseconds;
using OpenedStream = Result<std::unique_ptr<Stream>>;

constexpr std::string_view kUnix = "unix:";
constexpr std::size_t kReadBytes = std::size_t{4} << 10;

StreamWireTerms terms_of(Framing framing) {
  return {.framing = framing,
          .message_bytes_max = limits::response_bytes_max,
          .queue_bytes_max = limits::server_write_queue_bytes_max};
}

Task<OpenedStream> connect_unix(Loop& loop, std::string path, Milliseconds wait) {
  UnixSocket socket(loop.executor());
  Deadline deadline(
      loop.wheel(), [](void* self) { static_cast<UnixSocket*>(self)->close(); }, &socket);
  deadline.arm(wait);
  const auto [error] =
      co_await socket.async_connect(asio::local::stream_protocol::endpoint(path), kAwait);
  deadline.cancel();
  if (error) {
    co_return fail(ErrorCode::io_failed, Fault::server,
                   "the server's socket does not accept connections: " + error.message());
  }
  co_return std::make_unique<Stream>(std::move(socket), loop, Fault::server);
}

std::string new_key(Random& random) {
  const auto bytes = random.draw<16>();
  std::array<unsigned char, 25> text{};
  EVP_EncodeBlock(text.data(), bytes.data(), static_cast<int>(bytes.size()));
  return {reinterpret_cast<const char*>(text.data()), 24};
}

Result<std::string> upgrade_head(const ServerDefinition& definition, std::string_view key) {
  const std::string authority = definition.url->authority();
  std::vector<HeaderLine> headers{{"Upgrade", "websocket"},
                                  {"Sec-WebSocket-Version", "13"},
                                  {"Sec-WebSocket-Key", key},
                                  {"Sec-WebSocket-Protocol", "mcp"}};
  for (const OwnHeader& header : definition.headers)
    headers.push_back({header.name, header.value.view()});
  std::string head;
  const Result<void> written = append_request_head(head, {.method = "GET",
                                                          .target = definition.url->target,
                                                          .host = authority,
                                                          .after = AfterMessage::upgrade,
                                                          .headers = headers});
  if (!written.has_value()) return std::unexpected(written.error());
  return head;
}

/// Why the answer to an upgrade begins no WebSocket; empty where it does.
std::string find_answer_fault(const ResponseHead& answer, std::string_view key) {
  if (answer.status() != 101) {
    const int status = answer.status();
    const bool is_elsewhere = status == 400 || status == 404 || status == 405;
    return "the server answers the request for a WebSocket with the status " +
           std::to_string(status) +
           (is_elsewhere ? "; write its whole path in url, such as ws://127.0.0.1:8000/message"
                         : "");
  }
  const bool is_upgraded =
      equal_ignoring_case(answer.find(KnownHeader::upgrade).value_or(""), "websocket");
  bool is_accepted = false;
  bool has_extension = false;
  for (const HeaderField& field : answer.fields().all()) {
    is_accepted |= equal_ignoring_case(field.name, "sec-websocket-accept") &&
                   field.value == accept_web_socket_key(key);
    has_extension |= equal_ignoring_case(field.name, "sec-websocket-extensions");
  }
  if (!is_upgraded || !is_accepted) return "the server does not accept the key of the WebSocket";
  return has_extension ? "the server wants an extension of WebSocket that was not asked for" : "";
}

/// The answer, and what came after it.
Task<Result<std::string>> upgrade(Stream& stream, const ServerDefinition& definition,
                                  Random& random, Milliseconds wait) {
  const std::string key = new_key(random);
  const Result<std::string> head = upgrade_head(definition, key);
  if (!head.has_value()) co_return std::unexpected(head.error());
  const Result<void> sent = co_await stream.write(*head, wait);
  if (!sent.has_value()) co_return std::unexpected(sent.error());
  std::string buffer;
  std::size_t size = 0;
  for (std::size_t searched = 0; size == 0;) {
    const Result<void> came = co_await stream.append_some(buffer, kReadBytes, wait);
    if (!came.has_value()) co_return std::unexpected(came.error());
    const Result<std::size_t> end = find_head_end(buffer, searched, Fault::server);
    if (!end.has_value()) co_return std::unexpected(end.error());
    size = *end;
    searched = buffer.size();
  }
  ResponseHead answer;
  const std::string head_bytes = buffer.substr(0, size);
  const Result<void> read = answer.read(head_bytes, HttpMethod::get);
  if (!read.has_value()) co_return std::unexpected(read.error());
  std::string fault = find_answer_fault(answer, key);
  if (!fault.empty()) co_return fail(ErrorCode::server_failed, Fault::server, std::move(fault));
  co_return buffer.substr(size);
}

}  // namespace

Task<Result<std::shared_ptr<MessageWire>>> open_server_wire(Loop& loop, MemoryBudget& memory,
                                                            Random& random,
                                                            ServerDefinitionPtr definition,
                                                            Milliseconds wait) {
  using Protocol = ServerConfig::Protocol;
  const ServerConfig& config = definition->config;
  if (config.protocol == Protocol::sse) {
    co_return co_await open_sse_wire(loop, memory, definition, wait);
  }
  OpenedStream stream =
      config.protocol == Protocol::unix_socket
          ? co_await connect_unix(loop, config.url.substr(kUnix.size()), wait)
          : co_await connect_stream(loop, *definition->url, definition->tls, wait);
  if (!stream.has_value()) co_return std::unexpected(stream.error());
  if (config.protocol != Protocol::web_socket) {
    co_return std::make_shared<StreamWire>(loop, memory, random, *std::move(stream),
                                           terms_of(Framing::lines));
  }
  // However slowly the server answers.
  Deadline deadline(loop.wheel(), close_stream, stream->get());
  deadline.arm(wait);
  Result<std::string> begun = co_await upgrade(**stream, *definition, random, wait);
  deadline.cancel();
  if (!begun.has_value()) co_return std::unexpected(begun.error());
  co_return std::make_shared<StreamWire>(loop, memory, random, *std::move(stream),
                                         terms_of(Framing::web_socket_client), *std::move(begun));
}

}  // namespace bartizan
