#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace bartizan {

/// Bytes [begin, end) of a text.
struct TextRange {
  std::size_t begin, end;
};

/// Whether it is a digit of base64 in either alphabet.
bool is_base64_digit(char c);

/// Finds long runs of base64 digits. Encodings, keys and tokens consist of them.
///
/// Cost: linear. Most text is skipped in blocks, as white space is in no run.
class LongRuns {
 public:
  /// Shorter base64 has fewer bytes than any secret.
  static constexpr std::size_t kLengthMin = 24;

  /// The runs from a place on. Lifetime: refers to the text.
  explicit LongRuns(std::string_view text, std::size_t from = 0);

  /// The next whole run; nothing after the last.
  std::optional<TextRange> next();
  /// Skips to a place.
  void go_on_from(std::size_t place);

 private:
  std::string_view text_;
  std::size_t at_;
  std::size_t done_ = 0;
};

/// Returns the first place at which a long run may begin, or an escape: `\`, `%`, `&` or `=`. Cost:
/// one pass, at about the speed of memory.
std::size_t skip_plain(std::string_view text);

}  // namespace bartizan
