#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// Makes secrets that nobody has: prefixes are those of their formats, bodies are drawn. None is
/// written down anywhere, so that no scanner of a hosting service takes this repository for a leak.
class FakeSecrets {
 public:
  explicit FakeSecrets(std::uint64_t seed) : random_(seed) {}
  /// Draws that belong to a name, so that a new name changes those of no other.
  static FakeSecrets of(std::string_view name);

  /// What a pattern of the table of token formats describes; open counts get a few bytes more.
  std::string token(std::string_view pattern);
  /// So many bytes of an alphabet, written as in brackets of a pattern.
  std::string drawn(std::string_view alphabet, std::size_t count);
  std::size_t below(std::size_t bound);

  std::string json_token();
  /// A PEM block with a label such as `RSA PRIVATE KEY`, and what its lines end with.
  std::string private_key(std::string_view label, std::string_view end_of_line);
  std::string password();

 private:
  std::mt19937_64 random_;
};

std::string base64_of(std::string_view bytes);
std::string base64_url_of(std::string_view bytes);

}  // namespace bartizan
