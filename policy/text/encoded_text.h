#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/text/long_runs.h"

namespace bartizan {

/// What a text carries in an encoding, one level deep: escapes of JSON and of programs (`\u0041`,
/// `\x41`, `\/`), of Markdown (`\_`), percent-encoding, character references of HTML (`&#95;`,
/// `&lowbar;`), quoted-printable with its soft line breaks, base64 (either alphabet, also in
/// lines), hexadecimal.
///
/// A long text is decoded window by window, each of a megabyte and over the last 64 KiB of the one
/// before: what is not longer than these lies in one of them as a whole.
///
/// Threads: not thread-safe; its buffers are used again. Cost: linear, and next to nothing for a
/// text that has none of these: base64 is looked for by words of eight bytes. At most 24 MiB of
/// memory, whatever the text's length.
class EncodedText {
 public:
  /// Begins with a text, which outlives what is asked of it.
  void start(std::string_view text);
  /// Decodes the next window; false behind the last.
  bool next();
  /// Gives large buffers back.
  void finish();

  /// The long runs of a window, in the whole text, as far as they are no lines of one that was
  /// before. Valid until the next call.
  std::span<const TextRange> runs() const { return runs_; }
  /// The decoded pieces of a window, with a NUL between each two. Valid until the next call.
  std::string_view decoded() const { return decoded_; }
  /// How much memory its buffers have.
  std::size_t bytes() const {
    return decoded_.capacity() + stretches_.capacity() * sizeof(Stretch) +
           runs_.capacity() * sizeof(TextRange);
  }
  /// The bytes of the whole text that stand for a range of what was decoded.
  TextRange source_of(TextRange decoded) const;

 private:
  enum class Coding : std::uint8_t { none, escape, base64, hex };
  using Offset = std::uint32_t;  ///< Within a window, or what was decoded of it.
  /// A stretch of one coding; it goes on until the next.
  struct Stretch {
    Offset decoded, source, source_end;
    Coding coding;
    /// Escapes of one kind: bytes of each, and bytes that each stands for.
    std::uint8_t escape = 0, escaped = 0;
    std::uint8_t line_gap = 0;  ///< Base64 in lines: bytes between two …
    Offset line = 0;            ///< … and digits of each.
  };

  template <class Read>
  void decode_marks(std::string_view text, std::size_t from, char mark, Read read);
  void decode_runs(std::string_view text, std::size_t from);
  void decode_run(std::string_view text, std::size_t begin, std::size_t end);
  std::size_t group_start(std::size_t place) const;
  Offset decoded_size() const { return static_cast<Offset>(decoded_.size()); }
  void begin_piece();
  void copy(std::string_view text, std::size_t begin, std::size_t end);
  void put_escaped(std::size_t begin, std::size_t end, std::string_view bytes);
  const Stretch& stretch_at(std::size_t decoded) const;

  std::string_view text_;
  std::size_t window_begin_ = 0, window_end_ = 0;
  std::string decoded_;
  std::vector<Stretch> stretches_;
  std::vector<TextRange> runs_;
};

}  // namespace bartizan
