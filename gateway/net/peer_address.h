#pragma once

#include <string>

#include "gateway/runtime/asio.h"

namespace bartizan {

/// What connections are counted by: an IPv4 address, also of one that is mapped into IPv6, or the
/// /64 network of an IPv6 address, which one household or machine has whole.
std::string network_of(const asio::ip::address& address);

/// What a connection will be counted by, before a stream is made of it: as `Stream::peer_address`.
/// Empty where its peer has gone.
std::string peer_address_of(const TcpSocket& socket);

/// `uid:N` of whoever is at the other end of a Unix socket; `uid:?` where the kernel does not say.
std::string unix_peer(int socket);

}  // namespace bartizan
