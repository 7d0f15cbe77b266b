#include "gateway/export/host_name.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace bartizan {

std::string host_name() {
  std::array<char, 256> room{};
  if (::gethostname(room.data(), room.size() - 1) != 0) return "localhost";
  std::string name(room.data());
  std::erase_if(name, [](char letter) {
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    return !is_letter && !(letter >= '0' && letter <= '9') && letter != '-' && letter != '.';
  });
  return name.empty() ? "localhost" : name;
}

}  // namespace bartizan
