#include "gateway/client/web_socket_upgrade.h"

#include <algorithm>

#include "gateway/framing/web_socket_frame.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// Whether a list of tokens contains that one. Source: RFC 9110 §5.6.1.
bool has_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, comma);
    while (one.starts_with(' ') || one.starts_with('\t'))
      one.remove_prefix(1);
    while (one.ends_with(' ') || one.ends_with('\t'))
      one.remove_suffix(1);
    if (equal_ignoring_case(one, token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

std::string_view value_of(const RequestHead& head, KnownHeader header) {
  return head.find(header).value_or("");
}

}  // namespace

bool asks_for_web_socket(const RequestHead& head) {
  return head.method() == HttpMethod::get &&
         has_token(value_of(head, KnownHeader::upgrade), "websocket");
}

std::optional<std::string_view> find_upgrade_fault(const RequestHead& head) {
  if (!has_token(value_of(head, KnownHeader::connection), "upgrade")) {
    return "Connection does not name Upgrade";
  }
  if (value_of(head, KnownHeader::sec_websocket_version) != "13") {
    return "Sec-WebSocket-Version is not 13";
  }
  if (!is_web_socket_key(value_of(head, KnownHeader::sec_websocket_key))) {
    return "Sec-WebSocket-Key is not 16 bytes in base64";
  }
  if (head.framing() != BodyFraming::none) return "a request for a WebSocket has no body";
  return std::nullopt;
}

std::string write_upgrade(const RequestHead& head) {
  std::string text =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: ";
  text += accept_web_socket_key(value_of(head, KnownHeader::sec_websocket_key));
  if (has_token(value_of(head, KnownHeader::sec_websocket_protocol), kMcpSubprotocol)) {
    text += "\r\nSec-WebSocket-Protocol: ";
    text += kMcpSubprotocol;
  }
  return text + "\r\n\r\n";
}

}  // namespace bartizan
