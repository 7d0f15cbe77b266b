// Sockets of the benchmark's own programs: blocking errors end the program, since a measurement
// that lost a connection is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/process/descriptor.h"

namespace bartizan {

/// Says what failed with errno's reason and ends the program.
[[noreturn]] void give_up(std::string_view what);

/// A listening socket on 127.0.0.1, non-blocking. Port 0 takes a free one.
Descriptor listen_on(std::uint16_t port);
std::uint16_t port_of(const Descriptor& socket);

/// Where a connection comes from: 127.0.0.`host`, and a port of the system's choice where it is 0.
struct Source {
  std::uint8_t host = 1;
  std::uint16_t port = 0;
};

/// A connection to 127.0.0.1, non-blocking, TCP_NODELAY. It ends with a reset, so that its source
/// can be had again.
Descriptor connect_to(std::uint16_t port, Source source = {});

/// The next waiting connection, or a number below zero.
Descriptor accept_from(const Descriptor& listener);

/// What could be sent at once, in bytes. A peer that is gone counts as nothing sent.
std::size_t send_some(const Descriptor& socket, std::string_view bytes);

enum class Received { some, nothing_yet, ended };
/// Appends what has arrived to `buffer`, which the caller empties.
Received receive_some(const Descriptor& socket, std::string& buffer);

}  // namespace bartizan
