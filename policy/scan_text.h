#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/byte_set.h"
#include "policy/sighting.h"

namespace bartizan {

/// A set whose runs are remembered, so that a text full of prefixes is not read again for each.
struct Alphabet {
  ByteSet set;
  std::uint16_t index;  ///< Among those of one database.
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
  /// The same, at most `most` bytes away.
  std::size_t run_end(const ByteSet& set, std::size_t from, std::size_t most);
  std::size_t run_begin(const ByteSet& set, std::size_t until, std::size_t most);

  /// Whether what begins at a place is no continuation of a word. What an escape sequence ends
  /// with is none: `\n`, `%3D`, `\u003d`, colours of terminals.
  bool begins_word(std::size_t place) const;
  bool ends_word(std::size_t place) const;

  /// How far blocks were read; what begins before is part of one, or was no block.
  std::size_t block_end() const { return block_end_; }
  void set_block_end(std::size_t end) { block_end_ = end; }

  /// The same for headers of cookies.
  std::size_t cookies_end() const { return cookies_end_; }
  void set_cookies_end(std::size_t end) { cookies_end_ = end; }

  /// The last assignment that was read. Values hold other assignments, but few.
  struct Assigned {
    std::size_t name_end = 0, value_end = 0;
    int inner = 0;  ///< How many were read within the value.
  };
  Assigned& last_assigned() { return last_assigned_; }

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
    bool is_presigned = false;  ///< It has what goes with a signature.
  };
  const Url& last_url() const { return last_url_; }
  void set_last_url(const Url& url) { last_url_ = url; }

  void report(const Sighting& sighting) { sightings_.push_back(sighting); }
  std::vector<Sighting>& sightings() { return sightings_; }

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
  std::vector<Run> forward_, backward_, token_ends_;
  std::size_t block_end_ = 0;
  std::size_t cookies_end_ = 0;
  Assigned last_assigned_;
  Url last_url_;
  std::vector<Sighting> sightings_;
};

}  // namespace bartizan
