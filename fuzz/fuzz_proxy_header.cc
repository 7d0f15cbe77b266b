#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/net/proxy_header.h"

/// The bytes are a connection that begins. Each beginning of it is judged as the whole is, the
/// header never is longer than its bound, and what it says of the client, written anew, is what
/// stood there.

namespace {

using namespace bartizan;

void append_number(std::string& bytes, unsigned number) {
  bytes += static_cast<char>(number >> 8 & 0xff);
  bytes += static_cast<char>(number & 0xff);
}

/// The addresses and ports of a header, of which those of the proxy are copied.
std::string written(const ProxyHeader::Client& client, std::string_view header) {
  const bool is_ipv4 = header[13] == 0x11;
  std::string source;
  for (std::size_t group = is_ipv4 ? 6 : 0; group < Ipv6Address::kGroups; ++group)
    append_number(source, client.address.groups.at(group));
  std::string bytes = source;
  bytes += header.substr(kProxyHeaderFront + source.size(), source.size());
  append_number(bytes, client.port);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view front = bytes.substr(0, kProxyHeaderFront);
  const auto whole = proxy_header_size(front);
  // Whoever is refused early would be refused later, too.
  for (std::size_t length = 0; length < front.size(); ++length) {
    const auto begun = proxy_header_size(front.substr(0, length));
    if (whole.has_value()) require(begun == kProxyHeaderFront);
  }
  if (!whole.has_value()) {
    require(whole.error().code == ErrorCode::http_syntax && !read_proxy_header(bytes).has_value());
    return 0;
  }
  require(*whole >= kProxyHeaderFront && *whole <= kProxyHeaderMax);
  const std::string_view header = bytes.substr(0, *whole);
  const auto read = read_proxy_header(header);
  require(read.has_value() == (header.size() == *whole && size >= kProxyHeaderFront));
  if (!read.has_value()) return 0;
  require(!read_proxy_header(header.substr(0, header.size() - 1)).has_value());
  require(read->client.has_value() == (header[12] == 0x21));
  if (read->client.has_value())
    require(header.substr(kProxyHeaderFront).starts_with(written(*read->client, header)));
  return 0;
}
