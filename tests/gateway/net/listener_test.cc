#include "gateway/net/listener.h"

#include "gateway/net/peer_address.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/process/descriptor.h"

namespace bartizan {
namespace {

/// A TCP socket that was told to share its port, bound or not.
Descriptor sharing_socket() {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  EXPECT_EQ(setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
  EXPECT_EQ(setsockopt(socket.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on), 0);
  return socket;
}

bool listens(const Descriptor& socket, std::uint16_t port, std::uint32_t host = INADDR_LOOPBACK) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(host);
  return bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
         listen(socket.get(), 1) == 0;
}

TEST(Listener, IsTheOnlyOneOfItsAddress) {
  Loop loop(0);
  HostPort address{.host = "127.0.0.1", .port = 0};
  const auto acceptor = listen_on(loop, address);
  ASSERT_TRUE(acceptor.has_value());
  EXPECT_FALSE(listens(sharing_socket(), address.port));
  EXPECT_FALSE(listens(sharing_socket(), address.port, INADDR_ANY));
  EXPECT_FALSE(check_address_is_free(address).has_value());
  EXPECT_FALSE(listen_on(loop, address).has_value());
}

// What the test above would find if a listener shared its address.
TEST(Listener, WouldNotBeAloneIfItSharedItsAddress) {
  const Descriptor first = sharing_socket();
  ASSERT_TRUE(listens(first, 0));
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(first.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_TRUE(listens(sharing_socket(), ntohs(address.sin_port)));
}

TEST(Listener, GivesEachConnectionToTheLoopThatIsNext) {
  constexpr int kConnections = 6;
  Loop first(0), second(1);
  HostPort address{.host = "127.0.0.1", .port = 0};
  auto listening = listen_on(first, address);
  ASSERT_TRUE(listening.has_value());
  const auto acceptor = std::make_shared<TcpAcceptor>(std::move(*listening));
  std::vector<int> homes;
  int next = 0;
  const auto home = [&]() -> Loop& { return next++ % 2 == 0 ? first : second; };
  spawn(first, accept_connections(first, acceptor, home, [&](Loop& loop, TcpSocket socket) {
          EXPECT_EQ(socket.get_executor(), loop.executor());
          EXPECT_EQ(peer_address_of(socket), "127.0.0.1");
          homes.push_back(loop.index());
          if (homes.size() == kConnections) first.stop();
        }));
  std::vector<Descriptor> clients;
  for (int i = 0; i < kConnections; ++i) {
    clients.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(address.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(clients.back().get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  first.run();
  EXPECT_EQ(homes, (std::vector{0, 1, 0, 1, 0, 1}));
}

}  // namespace
}  // namespace bartizan
