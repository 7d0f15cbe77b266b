#include "gateway/command/ask_page.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "gateway/http/http_response_head.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// A page lists every server; a longer one is not from a gateway.
constexpr std::size_t kPageBytesMax = std::size_t{1} << 20;

std::unexpected<Error> no_answer(std::string why) {
  return fail(ErrorCode::closed, Fault::server, std::move(why));
}

/// Reads until the peer closes.
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

}  // namespace

bool can_use(const Descriptor& socket, short how, Clock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_now());
    if (left.count() <= 0) return false;
    pollfd wanted{.fd = socket.get(), .events = how, .revents = 0};
    const int ready = poll(&wanted, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

Result<AskedPage> ask_page(const Descriptor& socket, std::string_view question,
                           Clock::time_point deadline) {
  const std::string request =
      fmt::format("{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", question);
  // The buffer of a new socket has room for this.
  if (send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) {
    return no_answer(std::strerror(errno));
  }
  const Result<std::string> answer = read_page(socket, deadline);
  if (!answer) return std::unexpected(answer.error());
  const Result<std::size_t> end = find_head_end(*answer, 0, Fault::server);
  ResponseHead head;
  if (!end || *end == 0 || !head.read(std::string_view(*answer).substr(0, *end), HttpMethod::get)) {
    return no_answer("the answer is not http");
  }
  return AskedPage{.status = head.status(), .text = answer->substr(*end)};
}

}  // namespace bartizan
