#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policy/text/encoded_text.h"

namespace bartizan {

/// How a text may hide what parts a secret: characters that nobody sees, or, where these were
/// written out, the marks that stand for them: `[U+200B]`.
enum class Hiding : std::uint8_t { none, characters, marks };

/// A text as whoever reads it sees it, and where in the text that stands.
///
/// Threads: not thread-safe; its buffers are used again. Cost: linear, as `find_hidden`.
class RevealedText {
 public:
  /// Whether anything is hidden in the text, which outlives what is asked of it. A NUL stays: it
  /// parts texts that are joined.
  bool start(std::string_view text, Hiding hiding);
  /// Gives large buffers back.
  void finish();

  std::string_view text() const { return seen_; }
  /// The bytes of the text that a range of what is seen lies in, with what is hidden within.
  TextRange source_of(TextRange seen) const;

 private:
  /// A stretch that stands in the text as it is seen; it goes on until the next.
  struct Stretch {
    std::size_t seen, source;
  };

  void keep(std::string_view text, std::size_t begin, std::size_t end);
  std::size_t source_of(std::size_t place) const;

  std::string seen_;
  std::vector<Stretch> stretches_;
};

}  // namespace bartizan
