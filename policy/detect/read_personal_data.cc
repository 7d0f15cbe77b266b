#include <algorithm>
#include <bit>
#include <cstdint>

#include "policy/detect/personal_text.h"
#include "policy/text/byte_set.h"
#include "schemas/base/ascii.h"
#include "schemas/base/byte_block.h"

namespace bartizan {
namespace {

/// The marks in a block: a bit for each byte that may be part of a match.
struct Marks {
  std::uint64_t digits = 0;
  std::uint64_t others = 0;  ///< `@` and `:`.
};

Marks marks_at(std::string_view text, std::size_t at) {
  const ByteBlock block(text, at);
  return {.digits = block.below('9' + 1) & ~block.below('0'),
          .others = block.equal('@') | block.equal(':')};
}

/// The distance within which a word announces a number.
constexpr std::size_t kNear = 40;

/// Longer runs of letters and digits are digests and base64.
constexpr std::size_t kWordMax = 80;

class PersonalSearch {
 public:
  PersonalSearch(ScanText& text, const std::vector<char>& wanted) : text_(text, wanted) {}

  void run() {
    const std::string_view bytes = text_.bytes();
    std::uint64_t follows_digit = 0;
    for (std::size_t begin = 0; begin < bytes.size() && !text_.is_full();
         begin += ByteBlock::kBytes) {
      const Marks marks = marks_at(bytes, begin);
      const std::uint64_t first_digits = marks.digits & ~((marks.digits << 1U) | follows_digit);
      follows_digit = marks.digits >> (ByteBlock::kBytes - 1);
      std::uint64_t left = first_digits | marks.others;
      while (left != 0) {
        read(begin + static_cast<std::size_t>(std::countr_zero(left)));
        left &= left - 1;
        // Words and matches are not read again.
        const std::size_t done = std::max(word_.end, text_.read_until());
        if (done > begin)
          left &= done - begin < ByteBlock::kBytes ? ~std::uint64_t{0} << (done - begin) : 0;
      }
    }
  }

 private:
  void read(std::size_t place) {
    if (place < text_.read_until()) return;
    if (text_.at(place) == '@') {
      read_email(text_, place);
    } else if (text_.at(place) == ':') {
      read_colon_address(text_, place);
    } else if (place >= word_.end) {
      word_ = word_around(place);
      if (word_.size() <= kWordMax && word_.size() > 0) read_word();
    }
  }

  /// The word around a place. The end of an escape is not part of it. A long word may begin
  /// anywhere.
  Word word_around(std::size_t place) {
    const std::size_t least = std::max(text_.read_until(), place - std::min(place, kWordMax + 1));
    std::size_t begin = place;
    const std::string_view bytes = text_.bytes();
    while (begin > least && kWordBytes.holds(bytes[begin - 1]))
      --begin;
    std::size_t end = place;
    while (end < bytes.size() && kWordBytes.holds(bytes[end]))
      ++end;
    text_.add_work(end - begin + 1);
    constexpr std::string_view kEscapes = "\\%[;";
    if (!kEscapes.contains(text_.before(begin))) return {begin, end};
    constexpr std::size_t kEscapeMax = 6;
    for (std::size_t at = begin + 1; at <= std::min(place, begin + kEscapeMax); ++at) {
      if (text_.begins_word(at)) return {at, end};
    }
    return {begin, end};
  }

  DigitGroups groups_at(const Word& first) {
    constexpr ByteSet kParting(" .-");
    constexpr std::size_t kGroupMax = 20;
    DigitGroups groups;
    Word group = first;
    while (true) {
      const char parting = kParting.holds(text_.at(group.end)) ? text_.at(group.end) : '\0';
      groups.groups[groups.count] = group;
      groups.digits += group.size();
      groups.parting[groups.count++] = parting;
      if (parting == '\0' || groups.count == DigitGroups::kMost) break;
      const std::size_t begin = group.end + 1;
      std::size_t end = begin;
      while (end - begin <= kGroupMax && is_digit(text_.at(end)))
        ++end;
      text_.add_work(end - begin + 1);
      if (end == begin || kWordBytes.holds(text_.at(end))) break;
      group = {begin, end};
    }
    return groups;
  }

  /// Whether any detector has words of this length with this following text. Most numbers are too
  /// short, and most other words with digits are parts of digests.
  bool may_begin(std::string_view word) const {
    constexpr std::size_t kLoneMin = 8;
    const char next = text_.at(word_.end);
    constexpr ByteSet kParting(" .)+-");
    const char beyond = text_.at(word_.end + 1);
    const bool goes_on = kParting.holds(next) && (is_hex(beyond) || beyond == ' ' || beyond == '(');
    const bool is_pair = word.size() == 2 || word.size() == 4;
    const bool is_country = word.size() == 4 && is_upper(word[0]) && (next == ' ' || next == '-');
    // `12345678-Z` and `X-1234567-L` of Spain.
    const bool is_lettered = next == '-' && is_upper(beyond) && word.size() + 1 >= kLoneMin;
    return word.size() > kLoneMin || goes_on || is_country || is_lettered ||
           (word.size() == kLoneMin && is_digit(word[0])) ||
           (is_pair && text_.before(word_.begin) == (word.size() == 2 ? '-' : '.'));
  }

  void read_word() {
    const std::string_view word = text_.between(word_.begin, word_.end);
    if (!may_begin(word)) return;
    if (std::ranges::all_of(word, is_digit)) {
      if (read_dotted_address(text_, word_)) return;
      const DigitGroups groups = groups_at(word_);
      if (text_.before(word_.begin) == '+') {
        read_phone(text_, groups);
        return;
      }
      if (read_phone(text_, groups) || read_card(text_, groups) || read_digits_id(text_, groups)) {
        return;
      }
    } else if (read_iban(text_, word_) || read_crypto_address(text_, word_) ||
               read_word_id(text_, word_)) {
      return;
    }
    read_hardware_address(text_, word_);
  }

  PersonalText text_;
  Word word_{0, 0};
};

}  // namespace

std::size_t PersonalText::near_begin(std::size_t place) {
  const std::size_t begin = place - std::min(place, kNear);
  const std::size_t nul = between(begin, place).rfind('\0');
  add_work(place - begin);
  return nul == std::string_view::npos ? begin : begin + nul + 1;
}

bool PersonalText::follows_word(std::size_t place, std::span<const std::string_view> words) {
  const std::size_t begin = near_begin(place);
  char near[kNear];
  const std::string_view stretch = between(begin, place);
  std::ranges::transform(stretch, near, lower_case);
  const std::string_view folded(near, stretch.size());
  return std::ranges::any_of(words, [&](std::string_view word) {
    // Not inside another word: `tel` does not match `hotel`, but `homeTel` and `telNumber`.
    for (std::size_t at = folded.find(word); at != folded.npos; at = folded.find(word, at + 1)) {
      const bool begins = !is_letter(before(begin + at)) || is_upper(stretch[at]);
      const std::size_t end = at + word.size();
      const bool ends = end == folded.size() || !is_lower(stretch[end]);
      if (begins && ends) return true;
    }
    return false;
  });
}

bool PersonalText::is_named_by(std::size_t place, std::span<const std::string_view> words) {
  constexpr std::string_view kMarks = " \t:=\"'";
  constexpr std::size_t kMarksMax = 4;
  const std::size_t least = near_begin(place);
  std::size_t end = place;
  if (end > least && lower_case(before(end)) == 'v') --end;
  for (std::size_t i = 0; i < kMarksMax && end > least && kMarks.contains(before(end)); ++i)
    --end;
  if (end == place) return false;
  return std::ranges::any_of(words, [&](std::string_view word) {
    if (end - least < word.size()) return false;
    const std::size_t begin = end - word.size();
    const bool is_written = std::ranges::equal(between(begin, end), word, {}, lower_case);
    return is_written && (!is_letter(before(begin)) || is_upper(at(begin)));
  });
}

void PersonalText::report(DetectorId detector, std::size_t begin, std::size_t end) {
  read_until_ = std::max(read_until_, end);
  if (!wants(detector)) return;
  text_.report(detector, begin, end);
}

bool DigitGroups::begins_with(std::span<const std::size_t> sizes,
                              std::string_view parted_by) const {
  if (count < sizes.size() || groups[0].size() != sizes[0]) return false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (groups[i].size() != sizes[i]) return false;
    if (i + 1 < sizes.size() && (!parted_by.contains(parting[i]) || parting[i] != parting[0])) {
      return false;
    }
  }
  const std::size_t last = sizes.size() - 1;
  // A space also separates words. More digits after another separator make a longer number.
  const bool goes_on = count > sizes.size() && parting[last] != ' ';
  return !goes_on;
}

JoinedDigits join(const PersonalText& text, const DigitGroups& digits, std::size_t count) {
  JoinedDigits joined;
  for (const Word& group : std::span(digits.groups, count)) {
    if (group.size() > JoinedDigits::kMost - joined.size) return {};
    std::ranges::copy(text.between(group.begin, group.end),
                      joined.bytes.begin() + static_cast<std::ptrdiff_t>(joined.size));
    joined.size += group.size();
  }
  return joined;
}

unsigned read_decimal(std::string_view digits) {
  unsigned value = 0;
  for (const char c : digits)
    value = value * 10 + static_cast<unsigned>(c - '0');
  return value;
}

bool continues_number(const PersonalText& text, std::size_t begin) {
  const char before = text.before(begin);
  if (before != '.' && before != ',' && before != '-') return false;
  return begin > 1 && is_digit(text.at(begin - 2));
}

void read_personal_data(ScanText& text, const std::vector<char>& wanted) {
  PersonalSearch(text, wanted).run();
}

}  // namespace bartizan
