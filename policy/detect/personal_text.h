#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "policy/detect/scan_text.h"

namespace bartizan {

/// One text during the search for personal data.
///
/// Cost: each reader reads a bounded number of bytes around a place. Bytes of earlier matches are
///       not read again.
class PersonalText {
 public:
  /// `wanted` says for each `DetectorId` whether any rule needs it. Only those are reported.
  PersonalText(ScanText& text, const std::vector<char>& wanted) : text_(text), wanted_(wanted) {}

  std::string_view bytes() const { return text_.bytes(); }
  char at(std::size_t place) const { return text_.at(place); }
  /// The byte before a place; NUL at the beginning.
  char before(std::size_t place) const { return place == 0 ? '\0' : text_.at(place - 1); }
  std::string_view between(std::size_t begin, std::size_t end) const {
    return text_.between(begin, end);
  }
  bool begins_word(std::size_t place) const { return text_.begins_word(place); }
  bool ends_word(std::size_t place) const { return text_.ends_word(place); }
  bool is_full() const { return text_.is_full(); }
  void add_work(std::size_t bytes) { text_.add_work(bytes); }

  bool wants(DetectorId detector) const { return wanted_[detector] != 0; }
  /// Whether one of these words, in any case, is shortly before a place. NUL ends the text.
  bool follows_word(std::size_t place, std::span<const std::string_view> words);
  /// Whether one of these words is directly before a place. Only the signs of an assignment may be
  /// between: a blank, `:`, `=`, quotes, and a `v`.
  bool is_named_by(std::size_t place, std::span<const std::string_view> words);
  /// Reports a match. Its bytes are not read again.
  void report(DetectorId detector, std::size_t begin, std::size_t end);
  /// The end of the part that was read.
  std::size_t read_until() const { return read_until_; }

 private:
  /// The first byte that is near a place and in the same text.
  std::size_t near_begin(std::size_t place);

  ScanText& text_;
  const std::vector<char>& wanted_;
  std::size_t read_until_ = 0;
};

/// The bytes [begin, end) of a text: letters and digits, without others beside them.
struct Word {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// Groups of digits with one byte between any two, in the order of the text.
struct DigitGroups {
  static constexpr std::size_t kMost = 6;
  Word groups[kMost] = {};
  char parting[kMost] = {};  ///< The separator after each; NUL if there is none.
  std::size_t count = 0;
  std::size_t digits = 0;  ///< Of all groups.

  /// Whether the first groups have these sizes and are separated by the same byte of `parted_by`.
  /// No further group follows, except after a space.
  bool begins_with(std::span<const std::size_t> sizes, std::string_view parted_by) const;
};

/// Digits without separators.
struct JoinedDigits {
  static constexpr std::size_t kMost = 24;
  std::array<char, kMost> bytes = {};
  std::size_t size = 0;
  std::string_view view() const { return {bytes.data(), size}; }
};

/// The digits of the first groups. Empty if there is not enough room for them.
JoinedDigits join(const PersonalText& text, const DigitGroups& digits, std::size_t count);

/// The value of at most nine digits.
unsigned read_decimal(std::string_view digits);

/// Whether a number at a place is part of a longer one: `0.4111…`, `17-4111…`.
bool continues_number(const PersonalText& text, std::size_t begin);

// Each reader reads from a place of one kind and reports its match. It returns whether it found
// one.

/// An e-mail address around its `@`.
bool read_email(PersonalText& text, std::size_t at);

/// An IPv6 address or a MAC address around a colon.
bool read_colon_address(PersonalText& text, std::size_t colon);

/// An IPv4 address. Input: its first number.
bool read_dotted_address(PersonalText& text, const Word& word);

/// A MAC address with dashes or dots between its parts.
bool read_hardware_address(PersonalText& text, const Word& word);

/// A payment card. Input: its first digits.
bool read_card(PersonalText& text, const DigitGroups& digits);

/// A telephone number: after a plus, in a form that only telephone numbers have, or after a word
/// that announces it.
bool read_phone(PersonalText& text, const DigitGroups& digits);

/// An IBAN. Input: its country code.
bool read_iban(PersonalText& text, const Word& word);

/// An address of Bitcoin or Ethereum.
bool read_crypto_address(PersonalText& text, const Word& word);

/// National ids of digits, and those of letters and digits.
bool read_digits_id(PersonalText& text, const DigitGroups& digits);
bool read_word_id(PersonalText& text, const Word& word);

/// Finds the personal data that rules need, and reports them to the text.
///
/// Cost: a few instructions for 64 bytes without a digit, `@` and colon.
void read_personal_data(ScanText& text, const std::vector<char>& wanted);

}  // namespace bartizan
