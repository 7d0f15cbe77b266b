// The server that every proxy of the benchmark stands in front of: one thread, epoll, both eras of
// MCP over HTTP, answers of exact sizes. It prints its port and runs until it is ended.
//
//   bench_origin                     plain
//   bench_origin CERTIFICATE KEY     over TLS, with these PEM files
#include <sys/epoll.h>

#include <array>
#include <cstdio>
#include <memory>
#include <unordered_map>

#include "gateway/runtime/fd_limit.h"
#include "tests/bench/answers.h"
#include "tests/bench/channel.h"
#include "tests/bench/http_framing.h"
#include "tests/bench/sockets.h"

namespace bartizan {
namespace {

struct Client {
  Channel channel;
  std::string in;
  std::string out;
  std::size_t sent = 0;  ///< Bytes at the front of `out`.
  bool waits_to_send = false;
};

using Clients = std::unordered_map<int, Client>;

void watch(const Descriptor& epoll, int socket, std::uint32_t events, int how) {
  epoll_event event{};
  event.events = events;
  event.data.fd = socket;
  if (epoll_ctl(epoll.get(), how, socket, &event) != 0) give_up("epoll_ctl");
}

void append_reply(std::string& out, std::string_view status, std::string_view more,
                  std::string_view body) {
  out += "HTTP/1.1 ";
  out += status;
  out += "\r\n";
  out += more;
  out += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  out += body;
}

/// GET is refused as a server without a stream of its own does it; DELETE ends a session.
void answer(const FramedMessage& request, std::string& out) {
  if (request.head.starts_with("GET")) return append_reply(out, "405 Method Not Allowed", "", "");
  if (request.head.starts_with("DELETE")) return append_reply(out, "200 OK", "", "");
  const std::string body = answer_to(request.body);
  if (body.empty()) return append_reply(out, "202 Accepted", "", "");
  std::string more = "Content-Type: application/json\r\n";
  if (method_of(request.body) == "initialize") more += "Mcp-Session-Id: bench-session\r\n";
  append_reply(out, "200 OK", more, body);
}

/// Answers every complete request. False: the client broke the framing.
bool serve(Client& client) {
  while (true) {
    const FramingResult next = read_framed(client.in);
    if (next.state == Framing::broken) return false;
    if (next.state == Framing::incomplete) return true;
    answer(next.message, client.out);
    client.in.erase(0, next.message.bytes);
  }
}

void flush(const Descriptor& epoll, Client& client) {
  client.sent += client.channel.send_some(std::string_view(client.out).substr(client.sent));
  const bool is_more = client.sent < client.out.size();
  if (!is_more) {
    client.out.clear();
    client.sent = 0;
  }
  if (is_more == client.waits_to_send) return;
  client.waits_to_send = is_more;
  watch(epoll, client.channel.number(), is_more ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
}

bool take(const Descriptor& epoll, Client& client, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) flush(epoll, client);
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) == 0) return true;
  if (client.channel.receive_some(client.in) == Received::ended) return false;
  if (!serve(client)) return false;
  if (!client.out.empty()) flush(epoll, client);
  return true;
}

void take_new(const Descriptor& epoll, const Descriptor& listener, SSL_CTX* context,
              Clients& clients) {
  while (true) {
    Descriptor socket = accept_from(listener);
    if (socket.get() < 0) return;
    watch(epoll, socket.get(), EPOLLIN, EPOLL_CTL_ADD);
    const int number = socket.get();
    Client client{.channel = Channel(std::move(socket), context), .in = {}, .out = {}};
    client.channel.accept();
    clients.insert_or_assign(number, std::move(client));
  }
}

[[noreturn]] void run(const Descriptor& epoll, const Descriptor& listener, SSL_CTX* context) {
  Clients clients;
  std::array<epoll_event, 256> events{};
  while (true) {
    const int count = epoll_wait(epoll.get(), events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const int number = events.at(static_cast<std::size_t>(i)).data.fd;
      if (number == listener.get()) {
        take_new(epoll, listener, context, clients);
        continue;
      }
      const auto client = clients.find(number);
      if (client == clients.end()) continue;
      const std::uint32_t what = events.at(static_cast<std::size_t>(i)).events;
      if (!take(epoll, client->second, what)) clients.erase(client);
    }
  }
}

}  // namespace
}  // namespace bartizan

int main(int count, char** arguments) {
  using namespace bartizan;  // NOLINT(google-build-using-namespace): main is outside
  const bool over_tls = count == 3;
  const TlsContext context = over_tls ? server_context(arguments[1], arguments[2]) : nullptr;
  raise_open_files();
  const Descriptor listener = listen_on(0);
  const Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  watch(epoll, listener.get(), EPOLLIN, EPOLL_CTL_ADD);
  std::printf("%u\n", static_cast<unsigned>(port_of(listener)));
  std::fflush(stdout);
  run(epoll, listener, context.get());
}
