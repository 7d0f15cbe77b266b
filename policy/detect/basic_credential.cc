#include "policy/detect/basic_credential.h"

#include <algorithm>
#include <string>

#include "policy/detect/secret_value.h"
#include "policy/detect/value_words.h"
#include "policy/text/base64_text.h"
#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

std::string decoded_of(std::string_view value) {
  constexpr std::size_t kLookedAt = 256;
  return decode_base64_prefix(value.substr(0, kLookedAt));
}

}  // namespace

bool is_basic_credential(std::string_view value) {
  constexpr std::size_t kDecodedMin = 4;
  // A word in a sentence may also be base64: `Basic Operators`.
  if (reads_as_words(value)) return false;
  const std::string decoded = decoded_of(value);
  const auto is_shown = [](char c) { return static_cast<unsigned char>(c) >= 0x20; };
  if (!decoded.contains(':') || decoded.size() < kDecodedMin) return false;
  return std::ranges::all_of(decoded, is_shown) && is_valid_utf8(decoded);
}

bool is_example_credential(std::string_view value) {
  const std::string decoded = decoded_of(value);
  const std::size_t colon = decoded.find(':');
  if (colon == std::string::npos || !is_valid_utf8(decoded)) return false;
  const std::string_view password = std::string_view(decoded).substr(colon + 1);
  // From RFC 7617 section 2; manuals repeat them.
  constexpr std::string_view kOfManuals[] = {"open sesame", "passwd", "pass", "bar", "test"};
  return is_placeholder(password) ||
         std::ranges::find(kOfManuals, password) != std::end(kOfManuals);
}

}  // namespace bartizan
