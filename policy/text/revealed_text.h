#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policy/text/encoded_text.h"

namespace bartizan {

/// How a text may hide the separators of a secret: with invisible characters, or with the marks
/// that replaced them, such as `[U+200B]`.
enum class Hiding : std::uint8_t { none, characters, marks };

/// A text as a reader sees it, with a map to the original.
///
/// Threads: not thread-safe; its buffers are reused.
/// Cost:    linear, as `find_hidden`.
class RevealedText {
 public:
  /// Starts a text. Returns whether it hides anything. A NUL stays, as it separates joined texts.
  /// The text must outlive its use.
  bool start(std::string_view text, Hiding hiding);
  /// Frees large buffers.
  void finish();

  std::string_view text() const { return seen_; }
  /// The range of the original text for a range of the visible text, with hidden parts inside.
  TextRange source_of(TextRange seen) const;

 private:
  /// A visible stretch of the text. It extends to the next stretch.
  struct Stretch {
    std::size_t seen, source;
  };

  void keep(std::string_view text, std::size_t begin, std::size_t end);
  std::size_t source_of(std::size_t place) const;

  std::string seen_;
  std::vector<Stretch> stretches_;
};

}  // namespace bartizan
