#include "gateway/command_health.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "config/parse_endpoint.h"
#include "gateway/child_process.h"
#include "gateway/http_response_head.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{5};
/// A page names every server; a longer one is not ours.
constexpr std::size_t kPageBytesMax = std::size_t{1} << 20;

std::unexpected<Error> no_answer(std::string why) {
  return fail(ErrorCode::closed, Fault::server, std::move(why));
}

/// Whether the descriptor can be used before the deadline.
bool can_use(const Descriptor& socket, short how, Clock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd wanted{.fd = socket.get(), .events = how, .revents = 0};
    const int ready = poll(&wanted, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

Result<Descriptor> connect_to(const Endpoint& address, Clock::time_point deadline) {
  const addrinfo wanted{.ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (getaddrinfo(address.host.c_str(), port.c_str(), &wanted, &found) != 0) {
    return no_answer("the name is not known");
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found, &freeaddrinfo);
  int error = ECONNREFUSED;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Descriptor socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket.get() < 0) continue;
    error = connect(socket.get(), one->ai_addr, one->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      socklen_t size = sizeof error;
      error = ETIMEDOUT;
      if (can_use(socket, POLLOUT, deadline)) {
        getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      }
    }
    if (error == 0) return socket;
  }
  return no_answer(std::strerror(error));
}

/// Everything until the peer closes.
Result<std::string> read_page(const Descriptor& socket, Clock::time_point deadline) {
  std::string page;
  std::array<char, 4096> part;
  while (page.size() < kPageBytesMax) {
    const ssize_t size = recv(socket.get(), part.data(), part.size(), 0);
    if (size == 0) return page;
    if (size > 0) page.append(part.data(), static_cast<std::size_t>(size));
    if (size < 0 && errno != EAGAIN && errno != EINTR) return no_answer(std::strerror(errno));
    if (size < 0 && !can_use(socket, POLLIN, deadline)) return no_answer("no answer in time");
  }
  return no_answer("the answer is too long");
}

struct Health {
  int status = 0;
  std::string page;
};

Result<Health> ask(const Endpoint& address) {
  const Clock::time_point deadline = Clock::now() + kPatience;
  const Result<Descriptor> socket = connect_to(address, deadline);
  if (!socket) return std::unexpected(socket.error());
  constexpr std::string_view kQuestion =
      "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  // A new socket has room for so little.
  if (send(socket->get(), kQuestion.data(), kQuestion.size(), MSG_NOSIGNAL) < 0) {
    return no_answer(std::strerror(errno));
  }
  const Result<std::string> answer = read_page(*socket, deadline);
  if (!answer) return std::unexpected(answer.error());
  const Result<std::size_t> end = find_head_end(*answer, 0, Fault::server);
  ResponseHead head;
  if (!end || *end == 0 || !head.read(std::string_view(*answer).substr(0, *end), HttpMethod::get)) {
    return no_answer("the answer is not http");
  }
  return Health{.status = head.status(), .page = answer->substr(*end)};
}

}  // namespace

int ask_health(const std::string& address, const CommandOutput& output) {
  const std::optional<Endpoint> endpoint = parse_endpoint(address);
  if (!endpoint) {
    output.problems << fmt::format("bartizan health: \"{}\" is no host:port\n", address);
    return kExitUsage;
  }
  const Result<Health> health = ask(*endpoint);
  if (!health) {
    output.problems << fmt::format("bartizan health: {}: {}\n", address, health.error().detail);
    return kExitFailed;
  }
  output.results << health->page;
  return finish(output, health->status == 200 ? kExitDone : kExitFailed);
}

}  // namespace bartizan
