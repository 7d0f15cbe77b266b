#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// Bytes [begin, end) of a text.
struct TextRange {
  std::size_t begin, end;
};

/// What a text carries in an encoding, one level deep: escapes of JSON and of programs (`\u0041`,
/// `\x41`, `\/`), percent-encoding, base64 (either alphabet, also in lines), hexadecimal.
///
/// Threads: not thread-safe; its buffers are used again. Cost: linear, and next to nothing for a
/// text that has none of these: base64 is looked for eight bytes at a time.
class EncodedText {
 public:
  /// The decoded pieces of a text, with a NUL between each two. Valid until the next call.
  std::string_view decode(std::string_view text);

  /// The bytes of the text that stand for a range of what was decoded.
  TextRange source_of(TextRange decoded) const;

 private:
  enum class Coding : std::uint8_t { none, escape, base64, hex };
  /// A stretch of one coding; it goes on until the next.
  struct Stretch {
    std::size_t decoded, source, source_end;
    Coding coding;
    std::size_t line = 0, line_gap = 0;  ///< Base64 in lines: digits of each, bytes between.
  };

  template <class Read>
  void decode_marks(std::string_view text, char mark, Read read);
  void decode_runs(std::string_view text);
  void decode_run(std::string_view text, std::size_t begin, std::size_t end);
  void begin_piece();
  void copy(std::string_view text, std::size_t begin, std::size_t end);
  void put_escaped(std::size_t begin, std::size_t end, std::string_view bytes);
  const Stretch& stretch_at(std::size_t decoded) const;

  std::string decoded_;
  std::vector<Stretch> stretches_;
};

}  // namespace bartizan
