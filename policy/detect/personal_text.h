#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "policy/detect/scan_text.h"

namespace bartizan {

/// One text while personal data are looked for in it.
///
/// Cost: each reader looks at a bounded number of bytes around a place, and at none that was found
/// to be part of something before.
class PersonalText {
 public:
  /// `wanted` tells by `DetectorId` what anybody asks for; nothing else is reported.
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
  /// Whether one of these words stands before a place, not far from it and whatever its case. What
  /// stands before a NUL is another text.
  bool follows_word(std::size_t place, std::span<const std::string_view> words);
  /// Whether one of them stands directly before, with nothing but the marks of an assignment
  /// between: a blank, `:`, `=`, quotes, and a `v`.
  bool is_named_by(std::size_t place, std::span<const std::string_view> words);
  /// What is found is not read again.
  void report(DetectorId detector, std::size_t begin, std::size_t end);
  /// What begins before was read.
  std::size_t read_until() const { return read_until_; }

 private:
  /// Where the bytes before a place begin that are near it and of the same text.
  std::size_t near_begin(std::size_t place);

  ScanText& text_;
  const std::vector<char>& wanted_;
  std::size_t read_until_ = 0;
};

/// Bytes [begin, end) of a text: letters and digits, with none of them on either side.
struct Word {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// Up to so many groups of digits with one byte between each two, in the order of the text.
struct DigitGroups {
  static constexpr std::size_t kMost = 6;
  Word groups[kMost] = {};
  char parting[kMost] = {};  ///< What stands behind each; NUL where nothing that parts.
  std::size_t count = 0;
  std::size_t digits = 0;  ///< In all of them.

  /// Whether they begin with groups of these sizes, parted by the same byte, one of `parted_by`,
  /// and by nothing else behind.
  bool begins_with(std::span<const std::size_t> sizes, std::string_view parted_by) const;
};

/// Digits without what parts them.
struct JoinedDigits {
  static constexpr std::size_t kMost = 24;
  std::array<char, kMost> bytes = {};
  std::size_t size = 0;
  std::string_view view() const { return {bytes.data(), size}; }
};

/// The digits of the first groups; none of more than there is room for.
JoinedDigits join(const PersonalText& text, const DigitGroups& digits, std::size_t count);

/// The value of digits, of which there are nine at most.
unsigned read_decimal(std::string_view digits);

/// Whether a number at a place is a part of a longer one: `0.4111…`, `17-4111…`.
bool continues_number(const PersonalText& text, std::size_t begin);

// Each reads on from a place of one kind, reports what it finds, and says whether it found
// something.

/// An e-mail address around its `@`.
bool read_email(PersonalText& text, std::size_t at);

/// An IPv6 address or a MAC address around a colon.
bool read_colon_address(PersonalText& text, std::size_t colon);

/// An IPv4 address, where its first digit is.
bool read_dotted_address(PersonalText& text, const Word& word);

/// A MAC address whose parts have dashes or dots between them.
bool read_hardware_address(PersonalText& text, const Word& word);

/// A payment card, where its first digit is.
bool read_card(PersonalText& text, const DigitGroups& digits);

/// A telephone number: behind a plus, or in a form that only these have, or where words say so.
bool read_phone(PersonalText& text, const DigitGroups& digits);

/// An IBAN, where its country is.
bool read_iban(PersonalText& text, const Word& word);

/// An address of Bitcoin or Ethereum.
bool read_crypto_address(PersonalText& text, const Word& word);

/// Ids of countries that are digits, and those that are letters and digits.
bool read_digits_id(PersonalText& text, const DigitGroups& digits);
bool read_word_id(PersonalText& text, const Word& word);

/// Looks for all of them that anybody wants, and reports them to the text.
///
/// Cost: a few instructions for 64 bytes in which there is no digit, no `@` and no colon.
void read_personal_data(ScanText& text, const std::vector<char>& wanted);

}  // namespace bartizan
