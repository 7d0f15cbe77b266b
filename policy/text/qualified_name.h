#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace bartizan {

/// `server/name`, the key of rules, profiles and limits. It is made several times for each call, so
/// names of ordinary length need no memory. Lifetime: that of the expression.
class QualifiedName {
 public:
  QualifiedName(std::string_view server, std::string_view name)
      : size_(server.size() + 1 + name.size()) {
    if (size_ > inline_.size()) long_.resize(size_);
    char* place = size_ > inline_.size() ? long_.data() : inline_.data();
    place = std::ranges::copy(server, place).out;
    *place = '/';
    std::ranges::copy(name, place + 1);
  }
  std::string_view view() const {
    return {size_ > inline_.size() ? long_.data() : inline_.data(), size_};
  }
  std::string text() const { return std::string(view()); }

 private:
  std::size_t size_;
  std::array<char, 160> inline_;
  std::string long_;
};

}  // namespace bartizan
