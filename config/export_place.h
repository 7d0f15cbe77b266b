#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// The parts of the URL of an `[export.NAME]` that is not an HTTP receiver.
struct ExportPlace {
  enum class Wire : std::uint8_t { tls, tcp, udp, unix_socket, postgresql } wire = Wire::tls;
  std::string host = {};  ///< Without brackets; empty for a Unix socket.
  std::uint16_t port = 0;
  std::string path = {};  ///< The path of a Unix socket, or the name of a PostgreSQL database.

  /// Whether the data stays on this machine.
  bool is_local() const;
};

/// The parts of `tls://HOST:PORT`, `tcp://HOST:PORT`, `udp://HOST:PORT`, `unix:/PATH` or
/// `postgresql://HOST:PORT/DATABASE`. The default ports are 6514, 601, 514 and 5432. Nothing for
/// any other text, such as a URL with a user name.
std::optional<ExportPlace> parse_export_place(std::string_view url);

}  // namespace bartizan
