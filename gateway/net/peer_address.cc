#include "gateway/net/peer_address.h"

#include <sys/socket.h>

#include <algorithm>

namespace bartizan {

std::string network_of(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  const asio::ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  asio::ip::address_v6::bytes_type bytes = v6.to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), 0);
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

std::string unix_peer(int socket) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return "uid:?";
  return "uid:" + std::to_string(credentials.uid);
}

std::string peer_address_of(const TcpSocket& socket) {
  error_code error;
  const auto remote = socket.remote_endpoint(error);
  return error ? std::string() : network_of(remote.address());
}

}  // namespace bartizan
