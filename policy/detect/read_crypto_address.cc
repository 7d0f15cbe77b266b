#include <algorithm>

#include "policy/detect/detector_id.h"
#include "policy/detect/id_checksums.h"
#include "policy/detect/personal_text.h"
#include "policy/text/byte_set.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

bool is_base58(std::string_view word) {
  constexpr std::size_t kLeast = 26;
  constexpr std::size_t kMost = 35;
  return word.size() >= kLeast && word.size() <= kMost && (word[0] == '1' || word[0] == '3') &&
         is_base58_address(word);
}

bool is_witness(std::string_view word) {
  if (word.size() < 3 || word[2] != '1') return false;
  const char chain[] = {lower_case(word[0]), lower_case(word[1])};
  const std::string_view name(chain, 2);
  return (name == "bc" || name == "tb") && is_witness_address(word);
}

/// An address of Ethereum, and of all chains with its form.
bool is_account(std::string_view word) {
  constexpr std::size_t kSize = 42;
  constexpr int kKindsMin = 4;
  if (word.size() != kSize || !word.starts_with("0x")) return false;
  const std::string_view digits = word.substr(2);
  if (!std::ranges::all_of(digits, is_hex)) return false;
  // Zeros and typed placeholders have no owner.
  int kinds = 0;
  for (const char c : std::string_view("0123456789abcdef")) {
    if (std::ranges::any_of(digits, [c](char d) { return lower_case(d) == c; })) ++kinds;
  }
  return kinds >= kKindsMin;
}

}  // namespace

bool read_crypto_address(PersonalText& text, const Word& word) {
  static const DetectorId kDetector = detector_id("pii.crypto");
  if (!text.wants(kDetector)) return false;
  const std::string_view bytes = text.between(word.begin, word.end);
  text.add_work(bytes.size());
  if (!is_base58(bytes) && !is_witness(bytes) && !is_account(bytes)) return false;
  // A piece of base64 between other base64 digits is not an address.
  constexpr ByteSet kBase64Others("+/=_");
  if (kBase64Others.holds(text.before(word.begin)) && text.before(word.begin) != '=' &&
      kBase64Others.holds(text.at(word.end))) {
    return false;
  }
  text.report(kDetector, word.begin, word.end);
  return true;
}

}  // namespace bartizan
