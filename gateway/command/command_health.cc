#include "gateway/command/command_health.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "config/parse_host_port.h"
#include "gateway/command/ask_page.h"
#include "gateway/process/descriptor.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{5};
std::unexpected<Error> no_answer(std::string why) {
  return fail(ErrorCode::closed, Fault::server, std::move(why));
}

Result<Descriptor> connect_to(const HostPort& address, Clock::time_point deadline) {
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

Result<AskedPage> ask(const HostPort& address) {
  const Clock::time_point deadline = steady_now() + kPatience;
  const Result<Descriptor> socket = connect_to(address, deadline);
  if (!socket) return std::unexpected(socket.error());
  return ask_page(*socket, "GET /readyz", deadline);
}

}  // namespace

int ask_health(const std::string& address, const CommandOutput& output) {
  const std::optional<HostPort> endpoint = parse_host_port(address);
  if (!endpoint) {
    output.problems << fmt::format("bartizan health: \"{}\" is not host:port\n", address);
    return kExitUsage;
  }
  const Result<AskedPage> health = ask(*endpoint);
  if (!health) {
    output.problems << fmt::format("bartizan health: {}: {}\n", address, health.error().detail);
    return kExitFailed;
  }
  output.results << health->text;
  return finish(output, health->status == 200 ? kExitDone : kExitFailed);
}

}  // namespace bartizan
