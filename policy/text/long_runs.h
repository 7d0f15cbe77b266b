#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace bartizan {

/// Bytes [begin, end) of a text.
struct TextRange {
  std::size_t begin, end;
};

/// Whether base64 of either alphabet is written with it.
bool is_base64_digit(char c);

/// Long runs of digits of base64: what encodings are written in, and keys and tokens are made of.
///
/// Cost: linear; most text is passed over by blocks, since white space is in no run.
class LongRuns {
 public:
  /// Shorter base64 stands for fewer bytes than any secret has.
  static constexpr std::size_t kLengthMin = 24;

  /// Those from a place on. Lifetime: views the text.
  explicit LongRuns(std::string_view text, std::size_t from = 0);

  /// The next one, whole; nothing behind the last.
  std::optional<TextRange> next();
  /// Passes over what comes before a place.
  void go_on_from(std::size_t place);

 private:
  std::string_view text_;
  std::size_t at_;
  std::size_t done_ = 0;
};

/// Where the first long run of a text may begin, or the first mark of an escape may stand: `\`,
/// `%`,
/// `&` or `=`. Cost: one pass, at about the speed of memory.
std::size_t skip_plain(std::string_view text);

}  // namespace bartizan
