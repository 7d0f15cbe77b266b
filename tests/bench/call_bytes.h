// The requests that the load generator sends: one realistic call, of which only the id changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bartizan {

constexpr std::uint64_t kFirstId = 1'000'000'000;  ///< Ten digits, and so are those behind it.

/// What a request is made of beside its id.
struct CallShape {
  std::string path = "/mcp";
  std::string tool;
  std::string key;      ///< Sent as a bearer where not empty.
  std::string session;  ///< Legacy: sent as Mcp-Session-Id where not empty.
  bool modern = false;  ///< Of 2026-07-28, with its `_meta` and headers.
};

/// A `tools/call` as it goes over the wire, with an id of always ten digits that can be replaced.
class CallBytes {
 public:
  explicit CallBytes(const CallShape& shape);
  /// Another framing of the message of such a call, which has the id `kFirstId`.
  explicit CallBytes(std::string bytes);

  std::string_view with_id(std::uint64_t id);

 private:
  std::string bytes_;
  std::size_t id_at_;
};

/// The message of such a call alone, about 350 bytes.
std::string call_message(const CallShape& shape, std::uint64_t id);

/// A whole POST request with `body`.
std::string post(const CallShape& shape, std::string_view body);

}  // namespace bartizan
