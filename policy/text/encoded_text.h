#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/text/long_runs.h"

namespace bartizan {

/// The encoded content of a text, one level deep. It decodes escapes of JSON and programs
/// (`\u0041`, `\x41`, `\/`), of Markdown (`\_`), percent-encoding, and character references of HTML
/// (`&#95;`, `&lowbar;`). It also decodes quoted-printable with its soft line breaks, base64
/// (either alphabet, also in lines), and hexadecimal.
///
/// A long text is decoded in windows of a megabyte. Each overlaps the one before by 64 KiB. So
/// content of at most that size is whole in one window.
///
/// Threads: not thread-safe; its buffers are reused.
/// Cost:    linear, and almost nothing for a text without encodings. Base64 is searched for in
///          words of eight bytes. At most 24 MiB of memory for any text.
class EncodedText {
 public:
  /// Starts a text. The text must outlive its use.
  void start(std::string_view text);
  /// Decodes the next window; false after the last.
  bool next();
  /// Frees large buffers.
  void finish();

  /// The long runs of the window, as ranges of the whole text, without lines of an earlier run.
  /// Valid until the next call.
  std::span<const TextRange> runs() const { return runs_; }
  /// The decoded pieces of the window, separated by NUL. Valid until the next call.
  std::string_view decoded() const { return decoded_; }
  /// The memory of its buffers.
  std::size_t bytes() const {
    return decoded_.capacity() + stretches_.capacity() * sizeof(Stretch) +
           runs_.capacity() * sizeof(TextRange);
  }
  /// The range of the whole text that encodes a range of the decoded text.
  TextRange source_of(TextRange decoded) const;

 private:
  enum class Coding : std::uint8_t { none, escape, base64, hex };
  using Offset = std::uint32_t;  ///< In a window, or in its decoded text.
  /// A stretch with one encoding. It extends to the next stretch.
  struct Stretch {
    Offset decoded, source, source_end;
    Coding coding;
    /// Escapes of one kind: the bytes of each, and the bytes that each encodes.
    std::uint8_t escape = 0, escaped = 0;
    std::uint8_t line_gap = 0;  ///< Base64 in lines: the bytes between two lines.
    Offset line = 0;            ///< The digits of each line.
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
