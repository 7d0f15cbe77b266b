#include "policy/detect/scanner.h"

#include <hs/hs.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "policy/detect/personal_text.h"
#include "policy/detect/secret_readers.h"
#include "policy/detect/secret_value.h"
#include "policy/detect/value_words.h"

namespace bartizan {
namespace {

/// Hits that are collected before they are read. Few enough for the processor's cache.
constexpr std::size_t kHitsMax = 1024;

void sort_by_place(std::vector<DetectorMatch>& sightings) {
  std::ranges::sort(sightings, {}, [](const DetectorMatch& sighting) {
    return std::tuple(sighting.begin, sighting.end, sighting.detector);
  });
}

/// Joins overlapping matches of one detector.
void join_overlapping(std::vector<DetectorMatch>& sightings) {
  const auto by_detector = [](const DetectorMatch& sighting) {
    return std::tuple(sighting.detector, sighting.begin, sighting.end);
  };
  std::ranges::sort(sightings, {}, by_detector);
  std::size_t kept = 0;
  for (const DetectorMatch& sighting : sightings) {
    if (kept > 0 && sightings[kept - 1].detector == sighting.detector &&
        sighting.begin < sightings[kept - 1].end) {
      sightings[kept - 1].join(sighting);
      continue;
    }
    sightings[kept++] = sighting;
  }
  sightings.resize(kept);
}

/// Whether a token would begin inside longer base64, as of a picture, which contains its bytes by
/// chance.
bool is_within_base64(ScanText& text, const TokenPlace& place) {
  constexpr ByteSet kDigits("A-Za-z0-9+/");
  constexpr std::size_t kAround = 64;
  const char before = place.begin == 0 ? '\0' : text.at(place.begin - 1);
  if (before != '+' && before != '/') return false;
  return place.begin - text.run_begin(kDigits, place.begin, kAround) == kAround &&
         text.run_end(kDigits, place.end, kAround) - place.end == kAround;
}

void read_token(ScanText& text, const ScanDatabase& database, std::size_t pattern,
                std::size_t begin) {
  if (begin < text.token_end(pattern)) return;
  const auto place = match_token(text, database.patterns()[pattern], database.alphabets(), begin);
  if (!place) return;
  constexpr std::size_t kLookedAt = 512;
  text.add_work(std::min(place->body_end - place->body_begin, kLookedAt));
  text.set_token_end(pattern, place->end);
  // The parts of a UUID are too short to judge.
  constexpr std::size_t kToldMin = 16;
  const bool is_told = place->body_end - place->body_begin >= kToldMin;
  const std::string_view body = is_told ? text.between(place->body_begin, place->body_end)
                                        : text.between(place->begin, place->end);
  if (!looks_random(body)) return;
  const bool has_to_be_mixed = database.pattern_look(pattern) == TokenLook::mixed;
  if (has_to_be_mixed && (!looks_mixed(body) || reads_as_words(body))) return;
  if (is_within_base64(text, *place)) return;
  text.report(database.pattern_detector(pattern), place->begin, place->end);
}

}  // namespace

void Scanner::Freed::operator()(hs_scratch* scratch) const {
  hs_free_scratch(scratch);
}

Scanner::Scanner(const std::shared_ptr<const ScanDatabase>& database) {
  use(database);
  hits_.reserve(kHitsMax);
}

void Scanner::use(const std::shared_ptr<const ScanDatabase>& database) {
  if (database == database_) return;
  database_ = database;
  // It grows if needed, and still serves the earlier databases. It fails only for lack of memory,
  // which ends the process elsewhere too.
  hs_scratch_t* scratch = scratch_.release();
  if (hs_alloc_scratch(database_->literals(), &scratch) != HS_SUCCESS) std::abort();
  scratch_.reset(scratch);
}

Scanner::~Scanner() = default;

int Scanner::note_hit(unsigned literal, unsigned long long, unsigned long long to, unsigned,
                      void* scanner) {
  auto& self = *static_cast<Scanner*>(scanner);
  self.hits_.push_back({.end = static_cast<std::size_t>(to), .literal = literal});
  if (self.hits_.size() == kHitsMax) self.read_hits();
  return self.text_.is_full() ? 1 : 0;  // A value other than 0 ends the search.
}

void Scanner::read_hits() {
  // In practice hits are sorted by their ends. Hyperscan does not guarantee it, and readers with
  // remembered runs need it.
  if (!std::ranges::is_sorted(hits_, {}, &Hit::end)) std::ranges::sort(hits_, {}, &Hit::end);
  for (const Hit& hit : hits_)
    read_hit(hit);
  hits_.clear();
}

void Scanner::read_hit(const Hit& hit) {
  for (const LiteralUse& use : database_->uses(hit.literal)) {
    const std::size_t end = hit.end - use.behind;
    const std::size_t begin = end - use.length;
    switch (use.reader) {
      case Reader::token:
        read_token(text_, *database_, use.index, begin);
        break;
      case Reader::json_token:
        read_json_token(text_, begin);
        break;
      case Reader::private_key:
        read_private_key(text_, begin);
        break;
      case Reader::url:
        read_url_password(text_, begin);
        break;
      case Reader::signature:
        read_signature(text_, begin, end);
        break;
      case Reader::authorization:
        read_authorization(text_, end);
        break;
      case Reader::bearer:
        read_scheme(text_, begin, end);
        break;
      case Reader::cookie:
        read_cookies(text_, end);
        break;
      case Reader::command:
        read_command_password(text_, begin, end);
        break;
      case Reader::assignment:
        read_assignment(text_, *database_, begin, end);
        break;
      case Reader::password_line:
        read_password_line(text_, begin, end);
        break;
      case Reader::piped:
        read_piped_password(text_, begin, end);
        break;
      case Reader::own:
        own_ends_[use.index] =
            database_->own()[use.index].read(text_, {begin, end}, own_ends_[use.index]);
        break;
      case Reader::rule:
        read_rule(use.index, begin);
        break;
      case Reader::order:
        ++order_words_;
        break;
    }
  }
}

void Scanner::read_rule(std::size_t rule, std::size_t place) {
  std::size_t& end = rule_ends_[rule];
  end = database_->rules()[rule].read(text_, place, end);
}

/// Rules of gitleaks without literals read every string.
void Scanner::read_untriggered() {
  for (const std::size_t rule : database_->untriggered_rules()) {
    for (std::size_t at = 0; at < text_.size() && !text_.is_full(); at = rule_ends_[rule] + 1)
      read_rule(rule, at);
  }
}

/// Tokens without a literal begin at a long run, or at a path segment or word in it. A run may
/// begin with the end of an escape: the `m` of a colour, the `u003d` of a `=`.
void Scanner::read_run(TextRange run) {
  using RunPlace = ScanDatabase::RunPlace;
  constexpr std::size_t kPathMax = 256;
  constexpr std::size_t kEscapeMax = 5;
  const auto read_at = [this](std::size_t place, RunPlace where) {
    for (const std::uint16_t pattern : database_->run_patterns(where, text_.at(place)))
      read_token(text_, *database_, pattern, place);
  };
  read_at(run.begin, RunPlace::begin);
  for (std::size_t at = run.begin + 1; at <= run.begin + kEscapeMax; ++at) {
    if (text_.begins_word(at)) read_at(at, RunPlace::begin);
  }
  if (run.end - run.begin > kPathMax) return;
  text_.add_work(run.end - run.begin);
  for (std::size_t at = run.begin; at + 1 < run.end; ++at) {
    const char c = text_.at(at);
    if (c == '/') read_at(at + 1, RunPlace::begin);
    if (c == '_' || c == '-') read_at(at + 1, RunPlace::within);
  }
}

void Scanner::start(std::string_view text) {
  text_.start(text, database_->alphabets().size(), database_->patterns().size());
}

void Scanner::keep_found() {
  const std::vector<DetectorMatch>& found = text_.sightings();
  sightings_.insert(sightings_.end(), found.begin(), found.end());
}

void Scanner::search(std::string_view text) {
  start(text);
  hits_.clear();
  own_ends_.assign(database_->own().size(), 0);
  rule_ends_.assign(database_->rules().size(), 0);
  // The limit of Hyperscan is 4 GiB per block; messages are much shorter.
  const hs_error_t result =
      hs_scan(database_->literals(), text.data(), static_cast<unsigned>(text.size()), 0,
              scratch_.get(), &Scanner::note_hit, this);
  if (result != HS_SUCCESS && result != HS_SCAN_TERMINATED) std::abort();
  // There may be an order word after the end of the search.
  if (result == HS_SCAN_TERMINATED) ++order_words_;
  read_hits();
  read_untriggered();
  if (database_->wants_personal_data()) read_personal_data(text_, database_->wanted());
  work_ += text_.work();
}

/// Keeps the matches in a derived text, as ranges of the original text.
template <class Source>
void Scanner::keep_sightings(const Source& source) {
  for (const DetectorMatch& sighting : text_.sightings()) {
    const TextRange masked = source.source_of({.begin = sighting.begin, .end = sighting.end});
    const TextRange whole =
        source.source_of({.begin = sighting.whole_begin, .end = sighting.whole_end});
    sightings_.push_back({.begin = masked.begin,
                          .end = masked.end,
                          .detector = sighting.detector,
                          .whole_begin = whole.begin,
                          .whole_end = whole.end});
  }
}

void Scanner::search_encoded(std::string_view text) {
  encoded_.start(text);
  while (!is_full() && encoded_.next()) {
    if (!encoded_.runs().empty()) {
      start(text);
      for (const TextRange& run : encoded_.runs())
        read_run(run);
      keep_found();
      work_ += text_.work();
    }
    if (encoded_.decoded().empty()) continue;
    search(encoded_.decoded());
    const std::uint64_t searched = text_.work();
    LongRuns runs(encoded_.decoded());
    while (const auto run = runs.next())
      read_run(*run);
    work_ += text_.work() - searched;
    keep_sightings(encoded_);
  }
  encoded_.finish();
}

void Scanner::search_seen(std::string_view text) {
  if (is_full() || !seen_.start(text, hiding_)) return;
  search(seen_.text());
  keep_sightings(seen_);
  seen_.finish();
}

std::span<const DetectorMatch> Scanner::scan(std::string_view text) {
  sightings_.clear();
  work_ = 0;
  if (text.empty()) return {};
  search(text);
  keep_found();
  search_encoded(text);
  search_seen(text);
  // If there are too many matches, joined ones could seem to be all of them.
  if (!is_full()) join_overlapping(sightings_);
  sort_by_place(sightings_);
  return sightings_;
}

}  // namespace bartizan
