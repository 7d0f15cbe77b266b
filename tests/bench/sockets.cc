#include "tests/bench/sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace bartizan {
namespace {

constexpr int kBacklog = 4096;
constexpr std::size_t kReadBytes = std::size_t{64} * 1024;

sockaddr_in loopback(std::uint16_t port, std::uint8_t host = 1) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
  return address;
}

Descriptor make_socket(int kind) {
  const int number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | kind, 0);
  if (number < 0) give_up("socket");
  return Descriptor(number);
}

void set_option(const Descriptor& socket, int level, int name) {
  const int on = 1;
  setsockopt(socket.get(), level, name, &on, sizeof on);
}

void end_with_reset(const Descriptor& socket) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void without_delay(const Descriptor& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY);
}

}  // namespace

void give_up(std::string_view what) {
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(what.size()), what.data(),
               std::strerror(errno));
  _exit(1);
}

Descriptor listen_on(std::uint16_t port) {
  Descriptor listener = make_socket(SOCK_NONBLOCK);
  set_option(listener, SOL_SOCKET, SO_REUSEADDR);
  const sockaddr_in address = loopback(port);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (bind(listener.get(), generic, sizeof address) != 0) give_up("bind");
  if (listen(listener.get(), kBacklog) != 0) give_up("listen");
  return listener;
}

std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    give_up("getsockname");
  }
  return ntohs(address.sin_port);
}

Descriptor connect_to(std::uint16_t port, Source source) {
  Descriptor connection = make_socket(0);
  set_option(connection, SOL_SOCKET, SO_REUSEADDR);
  if (source.port == 0) set_option(connection, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT);
  const sockaddr_in from = loopback(source.port, source.host);
  if (bind(connection.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0) {
    give_up("bind to the source");
  }
  end_with_reset(connection);
  const sockaddr_in address = loopback(port);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (connect(connection.get(), generic, sizeof address) != 0) give_up("connect");
  if (fcntl(connection.get(), F_SETFL, O_NONBLOCK) != 0) give_up("fcntl");
  without_delay(connection);
  return connection;
}

Descriptor accept_from(const Descriptor& listener) {
  Descriptor connection(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (connection.get() >= 0) without_delay(connection);
  return connection;
}

std::size_t send_some(const Descriptor& socket, std::string_view bytes) {
  const ssize_t sent = send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

Received receive_some(const Descriptor& socket, std::string& buffer) {
  const std::size_t before = buffer.size();
  ssize_t got = 0;
  buffer.resize_and_overwrite(before + kReadBytes, [&](char* data, std::size_t) {
    got = recv(socket.get(), data + before, kReadBytes, MSG_DONTWAIT);
    return before + (got > 0 ? static_cast<std::size_t>(got) : 0);
  });
  if (got > 0) return Received::some;
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Received::nothing_yet;
  return Received::ended;
}

}  // namespace bartizan
