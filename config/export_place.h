#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// The parts of the URL of an `[export.NAME]` that is no HTTP receiver.
struct ExportPlace {
  enum class Wire : std::uint8_t { tls, tcp, udp, unix_socket, postgresql } wire = Wire::tls;
  std::string host = {};  ///< Without brackets; empty for a Unix socket.
  std::uint16_t port = 0;
  std::string path = {};  ///< Of a Unix socket the path; of PostgreSQL the name of the database.

  /// Whether nothing of it leaves the machine.
  bool is_local() const;
};

/// The parts of `tls://HOST:PORT`, `tcp://HOST:PORT`, `udp://HOST:PORT`, `unix:/PATH` and
/// `postgresql://HOST:PORT/DATABASE`; without a port the one that is usual: 6514, 601, 514, 5432.
/// Nothing for anything else, such as a URL with a user name.
std::optional<ExportPlace> parse_export_place(std::string_view url);

}  // namespace bartizan
