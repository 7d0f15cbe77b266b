#include "gateway/identity/socket_peer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "gateway/runtime/loop.h"

namespace bartizan {
namespace {

AuthConfig config() {
  AuthConfig config;
  config.sockets = {{.name = "everyone", .principal = "ann", .users = {}},
                    {.name = "some", .principal = "", .users = {{"1000", "bob"}, {"root", "op"}}},
                    {.name = "both", .principal = "ann", .users = {{"1000", "bob"}}},
                    {.name = "gone", .principal = "", .users = {{"no-such-account", "ann"}}}};
  return config;
}

TEST(SocketPeer, IsWhoTheTableOfItsSocketSays) {
  const VerifierPtr verifier = make_socket_peer_verifier(config(), {});
  ASSERT_NE(verifier, nullptr);
  const struct {
    std::string_view socket;
    std::string_view peer;
    bool is_shown;
    std::string_view principal;  ///< Empty where nobody is proved.
  } rows[] = {
      {"everyone", "127.0.0.1:4711", true, "ann"},
      {"everyone", "uid:1", true, "ann"},
      {"some", "uid:1000", true, "bob"},
      {"some", "uid:0", true, "op"},
      {"some", "uid:1001", true, ""},
      {"some", "uid:?", true, ""},
      {"both", "uid:1000", true, "bob"},
      {"both", "uid:7", true, "ann"},
      {"gone", "uid:1000", true, ""},
      {"other", "uid:1000", false, ""},
      {"", "uid:1000", false, ""},
  };
  Loop loop(0);
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.socket) + " " + std::string(row.peer));
    const Credentials shown{
        .transport = Transport::unix_socket, .peer = row.peer, .socket = row.socket};
    EXPECT_EQ(verifier->is_shown(shown), row.is_shown);
    if (!row.is_shown) continue;
    Task<Verification> task = verifier->verify(loop, shown, 0);
    ASSERT_TRUE(task.is_ready());
    const Verification verified = std::move(task.value());
    EXPECT_EQ(verified.has_value() ? verified->id : "", row.principal);
    if (!verified.has_value()) continue;
    EXPECT_EQ(verified->proof, "socket:" + std::string(row.socket));
    EXPECT_TRUE(verifier->review(verified->credential, row.principal, 0).has_value());
    EXPECT_FALSE(verifier->review(verified->credential, "another", 0).has_value());
  }
}

TEST(SocketPeer, IsNobodyWhereNoSocketNamesAnybody) {
  EXPECT_EQ(make_socket_peer_verifier(AuthConfig(), {}), nullptr);
}

}  // namespace
}  // namespace bartizan
