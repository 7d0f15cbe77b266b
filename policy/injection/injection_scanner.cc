#include "policy/injection/injection_scanner.h"

#include <hs/hs.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <tuple>
#include <utility>

#include "policy/injection/fold_injection.h"
#include "policy/injection/injection_phrases.h"
#include "policy/injection/injection_words.h"
#include "schemas/base/ascii.h"
#include "schemas/base/required_literals.h"

namespace bartizan {
namespace {

/// Longer strings are searched in place, without a copy.
constexpr std::size_t kLongText = std::size_t{8} << 10;
constexpr std::size_t kBatchBytes = std::size_t{64} << 10;
/// Larger buffers are freed after a message.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;
/// Shorter names of members cannot be instructions.
constexpr std::size_t kNameBytesMin = 12;
/// The distance at which a phrase is searched before and after its rare word.
constexpr std::size_t kReachBytes = 192;
/// Longer windows are cut, so that few words are in memory at once.
constexpr std::size_t kWindowBytesMax = std::size_t{16} << 10;
/// The overlap of two blocks: more than a literal and the text examined around it.
constexpr std::size_t kSeamBytes = 256;
/// The distance within which the points of signs are summed. In a long text, signs belong together
/// only if they are read together.
constexpr std::size_t kPointsReach = std::size_t{4} << 10;

/// Letters of words. A literal within a word is not a word.
bool is_word_byte(char c) {
  return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool goes_on(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// Triggers and parts of signs, compiled: each has at least `kLiteralBytesMin` bytes.
///
/// Threads: immutable; all workers share it.
class InjectionDatabase {
 public:
  /// A sign that contains a literal.
  struct Use {
    std::size_t sign;
    std::size_t offset;  ///< In the sign.
  };
  struct Literal {
    std::string_view bytes;
    bool is_trigger;
    std::vector<Use> uses;
  };

  InjectionDatabase() {
    for (const std::string_view trigger : injection_triggers())
      literals_.push_back({.bytes = trigger, .is_trigger = true, .uses = {}});
    for (const std::string_view part : injection_sign_parts())
      literals_.push_back({.bytes = part, .is_trigger = false, .uses = {}});
    const auto signs = injection_signs();
    for (std::size_t i = 0; i < signs.size(); ++i)
      add_sign(signs[i].bytes, i);
    compile();
  }
  ~InjectionDatabase() { hs_free_database(database_); }
  InjectionDatabase(const InjectionDatabase&) = delete;
  InjectionDatabase& operator=(const InjectionDatabase&) = delete;

  const hs_database_t* get() const { return database_; }
  const Literal& literal(unsigned number) const { return literals_[number]; }
  const InjectionWords& words() const { return words_; }

 private:
  void add_sign(std::string_view bytes, std::size_t sign) {
    const auto part = std::ranges::find_if(
        literals_, [&](const Literal& literal) { return bytes.contains(literal.bytes); });
    // An error in the built-in table.
    if (part == literals_.end()) std::abort();
    part->uses.push_back({.sign = sign, .offset = bytes.find(part->bytes)});
  }

  void compile() {
    std::vector<const char*> expressions;
    std::vector<unsigned> ids;
    std::vector<std::size_t> lengths;
    expressions.reserve(literals_.size());
    ids.reserve(literals_.size());
    lengths.reserve(literals_.size());
    for (const Literal& literal : literals_) {
      if (literal.bytes.size() < kLiteralBytesMin) std::abort();
      expressions.push_back(literal.bytes.data());
      ids.push_back(static_cast<unsigned>(ids.size()));
      lengths.push_back(literal.bytes.size());
    }
    const std::vector<unsigned> flags(literals_.size(), HS_FLAG_CASELESS);
    hs_compile_error_t* error = nullptr;
    const hs_error_t result = hs_compile_lit_multi(
        expressions.data(), flags.data(), ids.data(), lengths.data(),
        static_cast<unsigned>(ids.size()), HS_MODE_BLOCK, nullptr, &database_, &error);
    // The compilation of the detectors has checked the processor; the rest is an error in the
    // built-in table.
    if (result != HS_SUCCESS) std::abort();
  }

  InjectionWords words_;
  std::vector<Literal> literals_;
  hs_database_t* database_ = nullptr;
};

const InjectionDatabase& database() {
  static const InjectionDatabase kDatabase;
  return kDatabase;
}

/// A line break as JSON and programs write it within a text.
bool is_escaped_break(std::string_view text, std::size_t end) {
  constexpr std::size_t kEscapeBytes = 2;
  if (end < kEscapeBytes || text[end - kEscapeBytes] != '\\') return false;
  const char c = text[end - 1];
  return c == 'n' || c == 't' || c == 'r';
}

bool begins_word(std::string_view text, std::size_t at) {
  if (at == 0 || !is_word_byte(text[at - 1]) || is_escaped_break(text, at)) return true;
  for (const std::size_t size : {std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
    if (at >= size && mark_at(text, at - size) == size) return true;
  }
  return false;
}

/// Whether the line has only blanks before it.
bool begins_line(std::string_view text, std::size_t at) {
  constexpr std::size_t kBlanksMax = 8;
  for (std::size_t blanks = 0; blanks < kBlanksMax; ++blanks, --at) {
    if (at == 0 || text[at - 1] == '\n' || is_escaped_break(text, at)) return true;
    if (text[at - 1] != ' ' && text[at - 1] != '\t') return false;
  }
  return false;
}

bool stands_at(std::string_view text, std::size_t begin, const InjectionSign& sign) {
  const std::string_view there = text.substr(begin, sign.bytes.size());
  if (!std::ranges::equal(there, sign.bytes, {}, lower_case)) return false;
  if (is_letter(sign.bytes.front()) && !begins_word(text, begin)) return false;
  const std::size_t end = begin + sign.bytes.size();
  const bool goes_on_there =
      end < text.size() && is_word_byte(text[end]) && mark_at(text, end) == 0;
  if (is_letter(sign.bytes.back()) && goes_on_there) return false;
  return sign.place == InjectionSign::Place::anywhere || begins_line(text, begin);
}

/// The family of a sign by its number: phrases come first.
InjectionFamily family_of(std::size_t number) {
  const std::size_t phrases = injection_phrases().size();
  return number < phrases ? injection_phrases()[number].family
                          : injection_signs()[number - phrases].family;
}

unsigned points_of(std::size_t number) {
  const std::size_t phrases = injection_phrases().size();
  return number < phrases ? injection_phrases()[number].points
                          : injection_signs()[number - phrases].points;
}

/// The size of a part that is folded at once: whole words, unless no word ends.
std::size_t part_of(std::string_view text) {
  if (text.size() <= kBatchBytes) return text.size();
  const std::size_t blank = text.substr(0, kBatchBytes).find_last_of(" \n");
  if (blank != std::string_view::npos) return blank + 1;
  std::size_t end = kBatchBytes;
  while (goes_on(text, end))
    ++end;
  return end;
}

}  // namespace

void InjectionScanner::Freed::operator()(hs_scratch* scratch) const {
  hs_free_scratch(scratch);
}

InjectionScanner::InjectionScanner() {
  hs_scratch_t* scratch = nullptr;
  // Only for lack of memory, which ends the process elsewhere, too.
  if (hs_alloc_scratch(database().get(), &scratch) != HS_SUCCESS) std::abort();
  scratch_.reset(scratch);
}

InjectionScanner::~InjectionScanner() = default;

int InjectionScanner::note_hit(unsigned literal, unsigned long long, unsigned long long to,
                               unsigned, void* scanner) {
  auto& self = *static_cast<InjectionScanner*>(scanner);
  self.read_hit(literal, static_cast<std::size_t>(to));
  return 0;  // Any other value ends the search.
}

void InjectionScanner::read_hit(unsigned literal, std::size_t end) {
  const InjectionDatabase::Literal& found = database().literal(literal);
  const std::size_t begin = end - found.bytes.size();
  if (begin < block_.from || begin >= block_.to) return;
  const std::string_view text = block_.text;
  for (const InjectionDatabase::Use& use : found.uses) {
    const InjectionSign& sign = injection_signs()[use.sign];
    if (use.offset <= begin && stands_at(text, begin - use.offset, sign))
      note(injection_phrases().size() + use.sign, begin - use.offset);
  }
  if (!found.is_trigger) return;
  const Window window{.begin = begin - std::min(begin, kReachBytes),
                      .end = std::min(end + kReachBytes, text.size())};
  // Hits are ordered by their ends. Cut windows overlap by all the text that is read around this
  // one.
  const bool goes_on_there = !windows_.empty() && window.begin <= windows_.back().end &&
                             window.end - windows_.back().begin <= kWindowBytesMax;
  if (goes_on_there) {
    windows_.back().begin = std::min(windows_.back().begin, window.begin);
    windows_.back().end = std::max(windows_.back().end, window.end);
  } else {
    windows_.push_back(window);
  }
}

/// Folds each string separately, since folding changes lengths. The place of a phrase gives the
/// string in which it begins.
void InjectionScanner::read_window(const Window& window) {
  std::size_t begin = window.begin;
  std::size_t end = window.end;
  while (goes_on(block_.text, begin))
    ++begin;
  while (goes_on(block_.text, end))
    ++end;
  struct Part {
    std::size_t folded, begin, end;
  };
  std::vector<Part> parts;
  std::string folded;
  auto next = std::ranges::upper_bound(pieces_, begin, {}, &Piece::begin);
  while (begin < end) {
    const std::size_t stop = next == pieces_.end() ? end : std::min(next++->begin, end);
    parts.push_back({.folded = folded.size(), .begin = begin, .end = stop});
    folded += fold_injection(block_.text.substr(begin, stop - begin));
    begin = stop;
  }
  const InjectionWords::Read read = database().words().find(folded);
  work_.words += read.words;
  work_.words_at_once = std::max(work_.words_at_once, read.words);
  for (const InjectionWords::Found& found : read.found) {
    const Part& part = *std::prev(std::ranges::upper_bound(parts, found.begin, {}, &Part::folded));
    note(found.phrase, std::min(part.begin + (found.begin - part.folded), part.end - 1));
  }
}

void InjectionScanner::note(std::size_t number, std::size_t place) {
  auto piece = std::ranges::upper_bound(pieces_, place, {}, &Piece::begin);
  if (piece != pieces_.begin()) --piece;
  signs_.push_back({.place = searched_ + place,
                    .number = number,
                    .value = piece == pieces_.end() ? JsonValue() : piece->value,
                    .is_counted = false});
}

void InjectionScanner::search(const Block& block) {
  block_ = block;
  windows_.clear();
  const hs_error_t result =
      hs_scan(database().get(), block.text.data(), static_cast<unsigned>(block.text.size()), 0,
              scratch_.get(), &InjectionScanner::note_hit, this);
  if (result != HS_SUCCESS) std::abort();
  for (const Window& window : windows_)
    read_window(window);
  if (!signs_.empty()) sum_points();
}

/// Searches in place, in blocks.
void InjectionScanner::search_long(std::string_view text) {
  std::size_t from = 0;
  while (text.size() > kBatchBytes) {
    constexpr std::size_t kTo = kBatchBytes - kSeamBytes;
    search({.text = text.substr(0, kBatchBytes), .from = from, .to = kTo});
    searched_ += kTo - kSeamBytes;
    text.remove_prefix(kTo - kSeamBytes);
    from = kSeamBytes;
  }
  search({.text = text, .from = from, .to = text.size()});
  searched_ += text.size();
}

/// Folds and searches one part at a time, each after the end of the folded part before. Text on
/// both sides of a seam is thus read together, however many invisible characters it has.
void InjectionScanner::search_folded(std::string_view text) {
  std::string folded;
  std::size_t from = 0;
  while (!text.empty()) {
    const std::size_t size = part_of(text);
    folded += fold_injection(text.substr(0, size));
    text.remove_prefix(size);
    const std::size_t seam = text.empty() ? 0 : std::min(kSeamBytes, folded.size());
    const std::size_t to = std::max(from, folded.size() - seam);
    search({.text = folded, .from = from, .to = to});
    const std::size_t left = to - std::min(to, kSeamBytes);
    folded.erase(0, left);
    searched_ += left;
    from = to - left;
  }
  searched_ += folded.size();
}

void InjectionScanner::search_batch() {
  if (!batch_.empty()) search({.text = batch_, .from = 0, .to = batch_.size()});
  searched_ += batch_.size();
  if (batch_.capacity() > kKeptBytes) batch_ = std::string();
  batch_.clear();
  pieces_.clear();
}

void InjectionScanner::add(std::string_view text, JsonValue value) {
  const bool is_folded = needs_folding(text);
  if (text.size() < kLongText) {
    pieces_.push_back({.begin = batch_.size(), .value = value});
    if (is_folded) {
      batch_ += fold_injection(text);
    } else {
      batch_ += text;
    }
    batch_ += '\n';
    if (batch_.size() >= kBatchBytes) search_batch();
    return;
  }
  search_batch();
  pieces_.push_back({.begin = 0, .value = value});
  if (is_folded) {
    search_folded(text);
  } else {
    search_long(text);
  }
  pieces_.clear();
}

void InjectionScanner::sum_points() {
  const auto same = [](const Sign& sign) { return std::pair(sign.place, sign.number); };
  const auto order = [](const Sign& sign) {
    return std::tuple(sign.place, sign.number, !sign.is_counted);
  };
  // A sign in two windows counts once, and stays counted if it was.
  std::ranges::sort(signs_, {}, order);
  const auto again = std::ranges::unique(signs_, {}, same);
  signs_.erase(again.begin(), again.end());
  for (std::size_t family = 0; family < kInjectionFamilyCount; ++family)
    sum_points(static_cast<InjectionFamily>(family));
  // Keeps those that may be near signs of the next block.
  const std::size_t end = searched_ + block_.to;
  const auto is_far = [&](const Sign& sign) {
    return sign.place + kPointsReach + 2 * kSeamBytes < end;
  };
  std::erase_if(signs_, is_far);
}

void InjectionScanner::sum_points(InjectionFamily family) {
  near_.assign(injection_phrases().size() + injection_signs().size(), 0);
  unsigned points = 0;
  std::size_t first = 0;
  std::size_t counted = 0;
  for (std::size_t last = 0; last < signs_.size(); ++last) {
    const Sign& sign = signs_[last];
    if (family_of(sign.number) != family) continue;
    if (near_[sign.number]++ == 0) points += points_of(sign.number);
    for (; sign.place - signs_[first].place > kPointsReach; ++first) {
      const std::size_t number = signs_[first].number;
      if (family_of(number) == family && --near_[number] == 0) points -= points_of(number);
    }
    if (points < kInjectionPoints) continue;
    for (counted = std::max(counted, first); counted <= last; ++counted) {
      Sign& one = signs_[counted];
      if (family_of(one.number) != family || one.is_counted) continue;
      one.is_counted = true;
      count(one);
    }
  }
}

void InjectionScanner::count(const Sign& sign) {
  const InjectionFamily family = family_of(sign.number);
  ++counts_[static_cast<std::size_t>(family)];
  if (!sign.value) return;
  // A string appears once for all its neighbouring signs.
  const bool is_there = !places_.empty() && places_.back().family == family &&
                        places_.back().value.range().begin == sign.value.range().begin;
  if (!is_there) places_.push_back({.value = sign.value, .family = family});
}

Injections InjectionScanner::judge() {
  Injections injections;
  for (std::size_t family = 0; family < kInjectionFamilyCount; ++family) {
    if (counts_[family] > 0)
      injections.found.push_back({static_cast<InjectionFamily>(family), counts_[family]});
  }
  injections.places = std::exchange(places_, {});
  const auto begin = [](const Injections::Place& one) { return one.value.range().begin; };
  std::ranges::sort(injections.places, {}, [&](const Injections::Place& one) {
    return std::pair(begin(one), one.family);
  });
  const auto again = std::ranges::unique(injections.places, {}, begin);
  injections.places.erase(again.begin(), again.end());
  return injections;
}

void InjectionScanner::begin() {
  searched_ = 0;
  signs_.clear();
  counts_.fill(0);
  places_.clear();
}

Injections InjectionScanner::scan(JsonValue value) {
  begin();
  for (const JsonValue one : value.within()) {
    if (one.key_range().size() > kNameBytesMin) add(one.key(), {});
    if (one.is(JsonType::string)) add(one.text(), one);
  }
  search_batch();
  return judge();
}

Injections InjectionScanner::scan(std::string_view text) {
  begin();
  add(text, {});
  search_batch();
  return judge();
}

}  // namespace bartizan
