#include "policy/detect/scan_text.h"

#include <algorithm>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}

/// Whether the bytes before a place are `mark` and `digits` hexadecimal digits.
bool follows_escape(std::string_view before, std::string_view mark, std::size_t digits) {
  if (before.size() < mark.size() + digits) return false;
  return before.substr(before.size() - digits - mark.size()).starts_with(mark) &&
         std::ranges::all_of(before.substr(before.size() - digits), is_hex);
}

/// Whether the bytes before a place are a colour or style of a terminal: ESC [ 1 ; 31 m.
bool follows_style(std::string_view before) {
  constexpr std::size_t kStyleBytesMax = 24;
  if (before.empty() || before.back() != 'm') return false;
  before.remove_suffix(1);
  for (std::size_t i = 0; i < kStyleBytesMax && !before.empty(); ++i) {
    const char last = before.back();
    if (last == '[') return true;
    if (!is_digit(last) && last != ';') return false;
    before.remove_suffix(1);
  }
  return false;
}

}  // namespace

void ScanText::start(std::string_view text, std::size_t alphabets, std::size_t patterns) {
  bytes_ = text;
  ++number_;
  work_ = 0;
  dismissed_ = 0;
  block_end_ = 0;
  cookies_end_ = 0;
  assigned_end_ = 0;
  line_value_end_ = 0;
  last_assigned_ = {};
  last_authorization_ = {};
  last_signature_ = {};
  last_command_ = {};
  last_header_ = {};
  last_url_ = {};
  forward_.resize(alphabets);
  backward_.resize(alphabets);
  token_ends_.resize(patterns);
  sightings_.clear();
}

ScanText::Run& ScanText::current(std::vector<Run>& runs, const Alphabet& alphabet) const {
  Run& run = runs[alphabet.index];
  if (run.text != number_) run = {.begin = 0, .end = 0, .text = number_};
  return run;
}

std::size_t ScanText::run_end(const Alphabet& alphabet, std::size_t from) {
  Run& run = current(forward_, alphabet);
  if (from >= run.begin && from < run.end) return run.end;
  const std::size_t limit = from < run.begin ? run.begin : bytes_.size();
  std::size_t end = from;
  while (end < limit && alphabet.set.holds(bytes_[end]))
    ++end;
  work_ += end - from + 1;
  // Does not read an earlier run again when this one reaches its beginning.
  if (end == run.begin && run.begin < run.end) end = run.end;
  run.begin = from;
  run.end = end;
  return end;
}

std::size_t ScanText::run_begin(const Alphabet& alphabet, std::size_t until) {
  Run& run = current(backward_, alphabet);
  // Does not read an earlier run again when this one reaches its end.
  std::size_t begin = until;
  while (begin > 0 && alphabet.set.holds(bytes_[begin - 1])) {
    if (begin > run.begin && begin <= run.end) {
      begin = run.begin;
      break;
    }
    --begin;
    ++work_;
  }
  ++work_;
  run.begin = begin;
  run.end = until;
  return begin;
}

std::size_t ScanText::run_end(const ByteSet& set, std::size_t from, std::size_t most) {
  from = std::min(from, bytes_.size());
  const std::size_t limit = most < bytes_.size() - from ? from + most : bytes_.size();
  std::size_t end = from;
  while (end < limit && set.holds(bytes_[end]))
    ++end;
  work_ += end - from + 1;
  return end;
}

std::size_t ScanText::run_begin(const ByteSet& set, std::size_t until, std::size_t most) {
  const std::size_t limit = most < until ? until - most : 0;
  std::size_t begin = until;
  while (begin > limit && set.holds(bytes_[begin - 1]))
    --begin;
  work_ += until - begin + 1;
  return begin;
}

bool ScanText::begins_word(std::size_t place) const {
  if (place == 0 || !is_word(bytes_[place - 1])) return true;
  const std::string_view before = bytes_.substr(0, place);
  if (place >= 2 && bytes_[place - 2] == '\\') {
    constexpr std::string_view kEscapes = "nrtbfv0ae";
    if (kEscapes.contains(bytes_[place - 1])) return true;
  }
  return follows_escape(before, "%", 2) || follows_escape(before, "\\x", 2) ||
         follows_escape(before, "\\u", 4) || follows_style(before);
}

bool ScanText::ends_word(std::size_t place) const {
  return place == 0 || !is_word(at(place)) || !is_word(bytes_[place - 1]);
}

bool ScanText::opens_piece(std::size_t quote) {
  constexpr std::size_t kNameMax = 256;
  constexpr ByteSet kNoQuote = ByteSet("\"").others();
  const auto is_first = [this](std::size_t place) { return place == 0 || at(place - 1) == '\0'; };
  if (at(quote) != '"') return false;
  if (is_first(quote)) return true;
  if (quote < 2 || at(quote - 1) != ':' || at(quote - 2) != '"') return false;
  const std::size_t name = run_begin(kNoQuote, quote - 2, kNameMax);
  return name > 0 && at(name - 1) == '"' && is_first(name - 1);
}

void ScanText::report(const DetectorMatch& sighting) {
  if (!sightings_.empty()) {
    DetectorMatch& last = sightings_.back();
    if (last.detector == sighting.detector && sighting.begin < last.end &&
        last.begin < sighting.end) {
      last.join(sighting);
      return;
    }
  }
  if (!is_full()) sightings_.push_back(sighting);
}

void ScanText::report(DetectorId detector, std::size_t begin, std::size_t end) {
  report(
      {.begin = begin, .end = end, .detector = detector, .whole_begin = begin, .whole_end = end});
}

}  // namespace bartizan
