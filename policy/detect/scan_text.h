#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/detect/detector_match.h"
#include "policy/text/byte_set.h"

namespace bartizan {

/// A byte set whose runs are remembered. A text full of prefixes is then not read again for each.
struct Alphabet {
  ByteSet set;
  std::uint16_t index;  ///< Among the alphabets of one database.
};

/// The last judged value of one kind. A value may contain other names, but few. Judging them all
/// would make a scan quadratic.
class JudgedValue {
 public:
  /// Whether the value at a place may be judged: it is after the last one, or among the first
  /// inside it.
  bool lets_read(std::size_t place) {
    constexpr int kInnerMax = 3;
    return place >= end_ || ++inner_ <= kInnerMax;
  }
  /// The end of the judged part of the last value.
  std::size_t end() const { return end_; }
  /// `end` is the end of the judged part.
  void note(std::size_t begin, std::size_t end) {
    if (end <= end_) return;
    if (begin >= end_) inner_ = 0;
    end_ = end;
  }

 private:
  std::size_t end_ = 0;
  int inner_ = 0;
};

/// A text during its scan, with the positions that were read and the matches.
///
/// Threads: not thread-safe.
/// Cost:    `run_end` and `run_begin` of an alphabet read each byte at most once per direction, if
///          the places are in order. The callers bound everything else.
class ScanText {
 public:
  /// Starts a text and forgets the last one. The text must outlive the scan.
  void start(std::string_view text, std::size_t alphabets, std::size_t patterns);

  std::string_view bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  /// The byte at a place; NUL before the beginning and after the end.
  char at(std::size_t place) const { return place < bytes_.size() ? bytes_[place] : '\0'; }
  std::string_view between(std::size_t begin, std::size_t end) const {
    return bytes_.substr(begin, end - begin);
  }
  bool holds(std::string_view word, std::size_t place) const {
    return place <= bytes_.size() && bytes_.substr(place).starts_with(word);
  }

  /// The end of the run at `from`, and the beginning of the run that ends at `until`.
  std::size_t run_end(const Alphabet& alphabet, std::size_t from);
  std::size_t run_begin(const Alphabet& alphabet, std::size_t until);
  /// The ends of a run of bytes of `set`. The result is at most `most` bytes away.
  std::size_t run_end(const ByteSet& set, std::size_t from, std::size_t most);
  std::size_t run_begin(const ByteSet& set, std::size_t until, std::size_t most);

  /// Whether a word may begin at a place. The character before it belongs to no word, or ends an
  /// escape sequence: `\n`, `%3D`, `\u003d`, a terminal colour.
  bool begins_word(std::size_t place) const;
  bool ends_word(std::size_t place) const;
  /// Whether a place is the end of a line or of the text, or before its beginning.
  bool ends_line(std::size_t place) const {
    const char c = at(place);
    return c == '\n' || c == '\r' || c == '\0';
  }

  /// Whether a quote was added by `StringScanner` before a string of a message. Then only that
  /// string's name is before it, from the beginning or after a NUL. Unquoted names of up to 256
  /// bytes are recognised.
  bool opens_piece(std::size_t quote);

  /// The end of the part that was searched for blocks.
  std::size_t block_end() const { return block_end_; }
  void set_block_end(std::size_t end) { block_end_ = end; }

  /// The end of the part that was searched for cookie headers.
  std::size_t cookies_end() const { return cookies_end_; }
  void set_cookies_end(std::size_t end) { cookies_end_ = end; }

  /// The end of the last assignment: of its name, or of its value if that is a secret.
  std::size_t assigned_end() const { return assigned_end_; }
  void set_assigned_end(std::size_t end) { assigned_end_ = end; }

  /// The end of the judged part of the last value that extends to the end of its line.
  std::size_t line_value_end() const { return line_value_end_; }
  void set_line_value_end(std::size_t end) { line_value_end_ = end; }

  JudgedValue& last_assigned() { return last_assigned_; }
  JudgedValue& last_authorization() { return last_authorization_; }
  JudgedValue& last_signature() { return last_signature_; }
  JudgedValue& last_command() { return last_command_; }

  /// The last run that may contain the header of a JSON token. All tokens that begin inside it have
  /// the same rest.
  struct TokenHeader {
    std::size_t begin = 0, end = 0;
    std::size_t token_end = 0;  ///< 0 if no token ends after it.
    bool is_found = false;
  };
  TokenHeader& last_header() { return last_header_; }

  /// The end of the last match of a pattern. The pattern has no other match before it.
  std::size_t token_end(std::size_t pattern) const {
    return token_ends_[pattern].text == number_ ? token_ends_[pattern].end : 0;
  }
  void set_token_end(std::size_t pattern, std::size_t end) {
    token_ends_[pattern] = {.begin = 0, .end = end, .text = number_};
  }

  /// The URL that was read last.
  struct Url {
    std::size_t begin = 0, end = 0;
    std::size_t host = std::string_view::npos;  ///< After its first `://`.
    bool is_presigned = false;                  ///< It has the companions of a signature.
  };
  const Url& last_url() const { return last_url_; }
  void set_last_url(const Url& url) { last_url_ = url; }

  /// The most matches that are kept.
  static constexpr std::size_t kSightingsMax = std::size_t{1} << 14;

  /// Keeps a match. Joins it with the last one if they overlap.
  void report(const DetectorMatch& sighting);
  /// Keeps a match without a larger whole. Joins it with the last one if they overlap.
  void report(DetectorId detector, std::size_t begin, std::size_t end);
  bool is_full() const { return sightings_.size() == kSightingsMax; }
  const std::vector<DetectorMatch>& sightings() const { return sightings_; }

  /// Whether a further match may be dropped as insignificant. In a text full of such matches the
  /// later ones count, so that it reaches the limit.
  bool may_dismiss() {
    constexpr std::size_t kDismissedMax = std::size_t{1} << 16;
    return dismissed_++ < kDismissedMax;
  }

  /// Bytes that were read, without the search for literals.
  std::uint64_t work() const { return work_; }
  void add_work(std::size_t bytes) { work_ += bytes; }

 private:
  /// The last run that was read in a direction.
  struct Run {
    std::size_t begin = 0, end = 0;
    std::uint64_t text = 0;  ///< The number of its text.
  };
  Run& current(std::vector<Run>& runs, const Alphabet& alphabet) const;

  std::string_view bytes_;
  std::uint64_t number_ = 0;
  std::uint64_t work_ = 0;
  std::size_t dismissed_ = 0;
  std::vector<Run> forward_, backward_, token_ends_;
  std::size_t block_end_ = 0;
  std::size_t cookies_end_ = 0;
  std::size_t assigned_end_ = 0;
  std::size_t line_value_end_ = 0;
  JudgedValue last_assigned_, last_authorization_, last_signature_, last_command_;
  TokenHeader last_header_;
  Url last_url_;
  std::vector<DetectorMatch> sightings_;
};

}  // namespace bartizan
