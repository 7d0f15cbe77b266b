#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/detect/detector_match.h"
#include "policy/text/byte_set.h"

namespace bartizan {

/// A set whose runs are remembered, so that a text full of prefixes is not read again for each.
struct Alphabet {
  ByteSet set;
  std::uint16_t index;  ///< Among those of one database.
};

/// The last value of one kind that was judged. Values hold names of others, but few: what is judged
/// again and again for each of them would make a scan quadratic.
class JudgedValue {
 public:
  /// Whether what begins at a place is to be judged: it lies behind the last one, or it is among
  /// the first within.
  bool lets_read(std::size_t place) {
    constexpr int kInnerMax = 3;
    return place >= end_ || ++inner_ <= kInnerMax;
  }
  /// How far the last one was looked at.
  std::size_t end() const { return end_; }
  /// `end` is how far the value was looked at.
  void note(std::size_t begin, std::size_t end) {
    if (end <= end_) return;
    if (begin >= end_) inner_ = 0;
    end_ = end;
  }

 private:
  std::size_t end_ = 0;
  int inner_ = 0;
};

/// One text while it is searched: what was read of it, and what was found.
///
/// Threads: not thread-safe. Cost: `run_end` and `run_begin` of an alphabet look at every byte at
/// most once per alphabet and direction as long as they are asked in order; everything else is
/// bounded by what its caller says.
class ScanText {
 public:
  /// Begins with a text, which outlives what is asked of it. Forgets the one before.
  void start(std::string_view text, std::size_t alphabets, std::size_t patterns);

  std::string_view bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  /// The byte at a place; NUL before the beginning and behind the end.
  char at(std::size_t place) const { return place < bytes_.size() ? bytes_[place] : '\0'; }
  std::string_view between(std::size_t begin, std::size_t end) const {
    return bytes_.substr(begin, end - begin);
  }
  bool holds(std::string_view word, std::size_t place) const {
    return place <= bytes_.size() && bytes_.substr(place).starts_with(word);
  }

  /// Where the run that goes through `from` ends, and where the one that ends at `until` begins.
  std::size_t run_end(const Alphabet& alphabet, std::size_t from);
  std::size_t run_begin(const Alphabet& alphabet, std::size_t until);
  /// Where the run of bytes of `set` that goes through `from` ends, and where the one that ends at
  /// `until` begins: at most `most` bytes away.
  std::size_t run_end(const ByteSet& set, std::size_t from, std::size_t most);
  std::size_t run_begin(const ByteSet& set, std::size_t until, std::size_t most);

  /// Whether what begins at a place is no continuation of a word. What an escape sequence ends
  /// with is none: `\n`, `%3D`, `\u003d`, colours of terminals.
  bool begins_word(std::size_t place) const;
  bool ends_word(std::size_t place) const;
  /// Whether a line ends at a place, with the text or before it begins.
  bool ends_line(std::size_t place) const {
    const char c = at(place);
    return c == '\n' || c == '\r' || c == '\0';
  }

  /// Whether a quote is the one that `StringScanner` puts before a string of a message, not one of
  /// its text: only that and the string's name stand before it, from the beginning or behind a NUL.
  /// Names of up to 256 bytes without quotes are known.
  bool opens_piece(std::size_t quote);

  /// How far blocks were read; what begins before is part of one, or was no block.
  std::size_t block_end() const { return block_end_; }
  void set_block_end(std::size_t end) { block_end_ = end; }

  /// How far headers of cookies were read; what begins before is part of one, or was none.
  std::size_t cookies_end() const { return cookies_end_; }
  void set_cookies_end(std::size_t end) { cookies_end_ = end; }

  /// How far the name of the last assignment was read, and its value where that is a secret.
  std::size_t assigned_end() const { return assigned_end_; }
  void set_assigned_end(std::size_t end) { assigned_end_ = end; }

  /// How far the last value that goes to the end of its line was looked at.
  std::size_t line_value_end() const { return line_value_end_; }
  void set_line_value_end(std::size_t end) { line_value_end_ = end; }

  JudgedValue& last_assigned() { return last_assigned_; }
  JudgedValue& last_authorization() { return last_authorization_; }
  JudgedValue& last_signature() { return last_signature_; }
  JudgedValue& last_command() { return last_command_; }

  /// The last run that the header of a JSON token may be in. What stands behind it is the same for
  /// all tokens that begin within.
  struct TokenHeader {
    std::size_t begin = 0, end = 0;
    std::size_t token_end = 0;  ///< 0: no token ends behind it.
    bool is_found = false;
  };
  TokenHeader& last_header() { return last_header_; }

  /// How far a pattern was read: within, there is no other token of it.
  std::size_t token_end(std::size_t pattern) const {
    return token_ends_[pattern].text == number_ ? token_ends_[pattern].end : 0;
  }
  void set_token_end(std::size_t pattern, std::size_t end) {
    token_ends_[pattern] = {.begin = 0, .end = end, .text = number_};
  }

  /// The URL that was looked at last.
  struct Url {
    std::size_t begin = 0, end = 0;
    std::size_t host = std::string_view::npos;  ///< Behind its first `://`.
    bool is_presigned = false;                  ///< It has what goes with a signature.
  };
  const Url& last_url() const { return last_url_; }
  void set_last_url(const Url& url) { last_url_ = url; }

  /// More sightings are not kept: nobody wants the rest.
  static constexpr std::size_t kSightingsMax = std::size_t{1} << 14;

  /// Keeps a sighting, as one with the last where these overlap.
  void report(const DetectorMatch& sighting);
  /// Keeps a sighting of a value that stands by itself, as one with the last where these overlap.
  void report(DetectorId detector, std::size_t begin, std::size_t end);
  bool is_full() const { return sightings_.size() == kSightingsMax; }
  const std::vector<DetectorMatch>& sightings() const { return sightings_; }

  /// Whether one more match may be passed over as none that counts. Of a text that is made of such
  /// matches the others count, so that it is full at some time.
  bool may_dismiss() {
    constexpr std::size_t kDismissedMax = std::size_t{1} << 16;
    return dismissed_++ < kDismissedMax;
  }

  /// Bytes that were looked at, beyond the search for literals.
  std::uint64_t work() const { return work_; }
  void add_work(std::size_t bytes) { work_ += bytes; }

 private:
  /// The last run that was read in a direction.
  struct Run {
    std::size_t begin = 0, end = 0;
    std::uint64_t text = 0;  ///< Which text it is of.
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
