#include "gateway/facts/name_facts.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace bartizan {
namespace {

/// The most addresses of a name that are judged.
constexpr std::size_t kAddressesMax = 64;

struct FreeAddresses {
  void operator()(addrinfo* all) const { ::freeaddrinfo(all); }
};

std::optional<std::string> text_of(const addrinfo& info) {
  std::array<char, INET6_ADDRSTRLEN> room{};
  const void* address = nullptr;
  if (info.ai_family == AF_INET) {
    address = &reinterpret_cast<const sockaddr_in*>(info.ai_addr)->sin_addr;
  } else if (info.ai_family == AF_INET6) {
    address = &reinterpret_cast<const sockaddr_in6*>(info.ai_addr)->sin6_addr;
  }
  const bool is_read = address != nullptr &&
                       ::inet_ntop(info.ai_family, address, room.data(), room.size()) != nullptr;
  return is_read ? std::optional<std::string>(room.data()) : std::nullopt;
}

}  // namespace

Finding find_addresses(const std::string& name) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  if (::getaddrinfo(name.c_str(), nullptr, &wanted, &first) != 0) return NotFoundOut();
  const std::unique_ptr<addrinfo, FreeAddresses> all(first);
  FoundAddresses found;
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    auto text = text_of(*one);
    // An address that cannot be judged could be any.
    if (!text || found.addresses.size() == kAddressesMax) return NotFoundOut();
    if (std::ranges::find(found.addresses, *text) == found.addresses.end())
      found.addresses.push_back(*std::move(text));
  }
  if (found.addresses.empty()) return NotFoundOut();
  return found;
}

}  // namespace bartizan
