#include "config/server_header.h"

#include <algorithm>
#include <array>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

char folded(char c) {
  return c == '_' ? '-' : lower_case(c);
}

bool begins_with(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() && is_same_header(name.substr(0, prefix.size()), prefix);
}

bool is_token_character(char c) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  return is_letter(c) || is_digit(c) || kSigns.contains(c);
}

constexpr std::array<std::string_view, 9> kOfOneConnection{"Connection",
                                                           "Keep-Alive",
                                                           "Proxy-Authenticate",
                                                           "Proxy-Authorization",
                                                           "Proxy-Connection",
                                                           "TE",
                                                           "Trailer",
                                                           "Upgrade",
                                                           "HTTP2-Settings"};

constexpr std::array<std::string_view, 9> kWrittenHere{
    "Accept", "Accept-Encoding", "Content-Encoding", "Content-Length", "Content-Type", "Expect",
    "Host",   "Last-Event-ID",   "Transfer-Encoding"};

}  // namespace

std::string_view find_header_fault(std::string_view name) {
  const auto is_it = [name](std::string_view other) { return is_same_header(name, other); };
  if (name.empty() || !std::ranges::all_of(name, is_token_character)) {
    return "is not a name of a header";
  }
  if (std::ranges::any_of(kWrittenHere, is_it) || begins_with(name, "Mcp-")) {
    return "is written by the gateway itself";
  }
  if (std::ranges::any_of(kOfOneConnection, is_it)) {
    return "belongs to one connection, not to a server";
  }
  return {};
}

bool is_same_header(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, folded, folded);
}

bool is_header_value(std::string_view value) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  if (value.empty() || is_blank(value.front()) || is_blank(value.back())) return false;
  return std::ranges::all_of(value, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
  });
}

}  // namespace bartizan
