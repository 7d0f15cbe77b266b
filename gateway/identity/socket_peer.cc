#include "gateway/identity/socket_peer.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace bartizan {

std::string socket_peer_of(const std::string& account) {
  if (std::ranges::all_of(account, [](unsigned char c) { return std::isdigit(c) != 0; })) {
    return "uid:" + account;
  }
  std::array<char, 4096> room{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwnam_r(account.c_str(), &entry, room.data(), room.size(), &found) != 0) return {};
  return found == nullptr ? std::string() : "uid:" + std::to_string(found->pw_uid);
}

namespace {

struct Peers {
  std::string everyone;
  std::map<std::string, std::string, std::less<>> by_peer;  ///< Principals by `uid:N`.
};

class SocketPeer : public Verifier {
 public:
  explicit SocketPeer(const AuthConfig& config) {
    for (const SocketPeersConfig& socket : config.sockets) {
      Peers& peers = sockets_[socket.name];
      peers.everyone = socket.principal;
      for (const auto& [account, principal] : socket.users) {
        if (std::string peer = socket_peer_of(account); !peer.empty()) {
          peers.by_peer.emplace(std::move(peer), principal);
        }
      }
    }
  }

  CredentialKind kind() const override { return CredentialKind::socket; }

  bool is_shown(const Credentials& credentials) const override {
    return sockets_.contains(credentials.socket);
  }

  Task<Verification> verify(Loop& /*loop*/, Credentials credentials,
                            std::int64_t /*now*/) const override {
    const auto socket = sockets_.find(credentials.socket);
    const std::string* const id =
        socket == sockets_.end() ? nullptr : find(socket->second, credentials.peer);
    if (id == nullptr) {
      return Task<Verification>::ready(std::unexpected(AuthenticationFailure{
          Reason::credentials_invalid, "the socket names no principal for this account"}));
    }
    const std::string name(credentials.socket);
    return Task<Verification>::ready(
        Proved{.id = *id,
               .claims = {},
               .proof = "socket:" + name,
               .credential = {.kind = CredentialKind::socket, .name = name}});
  }

  std::expected<void, AuthenticationFailure> review(const Credential& credential,
                                                    std::string_view principal,
                                                    std::int64_t /*now*/) const override {
    const auto socket = sockets_.find(credential.name);
    const bool is_named =
        socket != sockets_.end() &&
        (socket->second.everyone == principal ||
         std::ranges::any_of(socket->second.by_peer,
                             [principal](const auto& entry) { return entry.second == principal; }));
    if (is_named) return {};
    return std::unexpected(AuthenticationFailure{Reason::credentials_invalid,
                                                 "the socket names another principal now"});
  }

 private:
  static const std::string* find(const Peers& peers, std::string_view peer) {
    const auto own = peers.by_peer.find(peer);
    if (own != peers.by_peer.end()) return &own->second;
    return peers.everyone.empty() ? nullptr : &peers.everyone;
  }

  std::map<std::string, Peers, std::less<>> sockets_;
};

}  // namespace

VerifierPtr make_socket_peer_verifier(const AuthConfig& config, const VerifierParts& /*parts*/) {
  if (config.sockets.empty()) return nullptr;
  return std::make_unique<const SocketPeer>(config);
}

}  // namespace bartizan
