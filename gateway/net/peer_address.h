#pragma once

#include <string>

#include "gateway/runtime/asio.h"

namespace bartizan {

/// The key by which connections are counted: an IPv4 address, also if it is mapped into IPv6, or
/// the /64 network of an IPv6 address. One household or machine has a whole /64.
std::string network_of(const asio::ip::address& address);

/// The key of a connection before it has a stream, equal to `Stream::peer_address`. Empty if its
/// peer has disconnected.
std::string peer_address_of(const TcpSocket& socket);

/// `uid:N` of the peer of a Unix socket; `uid:?` if the kernel does not report it.
std::string unix_peer(int socket);

}  // namespace bartizan
