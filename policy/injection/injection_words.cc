#include "policy/injection/injection_words.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>
#include <utility>

#include "policy/injection/injection_phrases.h"
#include "policy/text/byte_set.h"

namespace bartizan {
namespace {

/// The bytes by which beginnings of words are found.
constexpr std::size_t kStemBytes = 4;
/// The most words after its first one in a phrase.
constexpr std::size_t kReachMax = 64;
/// A longer word is only compared by its beginning.
constexpr std::size_t kWordBytesMax = 128;

/// A typographic apostrophe is replaced by the ASCII one, which no folding does.
constexpr std::string_view kApostrophe = "\xE2\x80\x99";

std::size_t apostrophe_at(std::string_view text) {
  if (text.starts_with('\'')) return 1;
  return text.starts_with(kApostrophe) ? kApostrophe.size() : 0;
}

/// The beginning of a word in the spelling of phrases, without apostrophes around it.
///
/// Cost: linear, also in apostrophes before it.
std::string spelled(std::string_view word) {
  while (const std::size_t size = apostrophe_at(word))
    word.remove_prefix(size);
  word = word.substr(0, kWordBytesMax);
  std::string left;
  left.reserve(word.size());
  while (!word.empty()) {
    const std::size_t size = apostrophe_at(word);
    left += size == 0 ? word.front() : '\'';
    word.remove_prefix(std::max<std::size_t>(size, 1));
  }
  left.resize(left.find_last_not_of('\'') + 1);
  return left;
}

std::string_view next_part(std::string_view& rest, char between) {
  const std::size_t end = rest.find(between);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

struct WordEnd {
  std::size_t at;
  bool has_apostrophe = false;
};

/// The end of the word that begins there; the same position for no word. A typographic apostrophe
/// within a word belongs to it.
WordEnd end_of_word(std::string_view text, std::size_t at) {
  WordEnd end{.at = at};
  for (; end.at < text.size(); ++end.at) {
    const char c = text[end.at];
    if (kWordBytes.holds(c)) continue;
    const bool is_apostrophe = c == '\'' || text.substr(end.at).starts_with(kApostrophe);
    end.has_apostrophe = end.has_apostrophe || is_apostrophe;
    if (is_apostrophe) continue;
    if (static_cast<unsigned char>(c) < 0x80 || mark_at(text, end.at) != 0) break;
  }
  return end;
}

}  // namespace

std::size_t mark_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t behind) {
    return at + behind < text.size() ? static_cast<unsigned char>(text[at + behind]) : 0U;
  };
  // The first blocks of characters with two and three bytes, as far as they have no letters.
  if (byte(0) == 0xC2 && byte(1) >= 0x80) return 2;
  if (byte(0) == 0xE2 && byte(1) >= 0x80 && byte(1) <= 0xAF && byte(2) >= 0x80) return 3;
  if (byte(0) == 0xE3 && byte(1) == 0x80 && byte(2) >= 0x80) return 3;
  return byte(0) == 0xF0 && byte(1) == 0x9F && byte(2) >= 0x80 && byte(3) >= 0x80 ? 4 : 0;
}

InjectionWords::InjectionWords() {
  const auto phrases = injection_phrases();
  for (std::size_t i = 0; i < phrases.size(); ++i)
    add(i, phrases[i].pattern);
}

void InjectionWords::add(std::size_t index, std::string_view pattern) {
  Phrase phrase{.index = index, .steps = {}};
  unsigned gap = 0;
  std::size_t reach = 0;
  while (!pattern.empty()) {
    const std::string_view token = next_part(pattern, ' ');
    if (token.starts_with('~')) {
      gap = 0;
      for (const char digit : token.substr(1))
        gap = gap * 10 + static_cast<unsigned>(digit - '0');
      continue;
    }
    reach += gap + 1;
    phrase.steps.push_back({.group = group_of(token), .gap = gap});
    gap = 0;
  }
  // An error in the built-in table.
  if (reach > kReachMax) std::abort();
  phrases_.resize(groups_.size());
  phrases_[phrase.steps.front().group].push_back(std::move(phrase));
}

/// By its first three bytes, which a stem has as well.
std::size_t InjectionWords::beginning_of(std::string_view word) {
  constexpr std::size_t kHashed = 3;
  std::size_t hash = 0;
  for (const char c : word.substr(0, kHashed))
    hash = hash * 31 + static_cast<unsigned char>(c);
  return hash % std::tuple_size_v<decltype(beginnings_)>;
}

void InjectionWords::note_beginning(std::string_view word) {
  beginnings_[beginning_of(word)] = true;
}

std::size_t InjectionWords::group_of(std::string_view alternatives) {
  const auto [known, is_new] = groups_.try_emplace(alternatives, groups_.size());
  const std::size_t group = known->second;
  if (!is_new) return group;
  if (group >= kGroupsMax) std::abort();
  while (!alternatives.empty()) {
    std::string_view word = next_part(alternatives, '|');
    note_beginning(word);
    if (word.ends_with('*')) {
      word.remove_suffix(1);
      if (word.size() < kStemBytes) std::abort();
      stems_[word.substr(0, kStemBytes)].push_back({.begin = word, .group = group});
    } else {
      words_[word][group / 64] |= std::uint64_t{1} << (group % 64);
    }
  }
  return group;
}

InjectionWords::Word InjectionWords::read_word(std::string_view word, std::size_t begin) const {
  Word read{.groups = {}, .begin = begin};
  if (!beginnings_[beginning_of(word)]) return read;
  if (const auto known = words_.find(word); known != words_.end()) {
    read.groups = known->second;
    read.is_known = true;
  }
  if (word.size() < kStemBytes) return read;
  const auto stems = stems_.find(word.substr(0, kStemBytes));
  if (stems == stems_.end()) return read;
  for (const Stem& stem : stems->second) {
    if (!word.starts_with(stem.begin)) continue;
    read.groups[stem.group / 64] |= std::uint64_t{1} << (stem.group % 64);
    read.is_known = true;
  }
  return read;
}

std::vector<InjectionWords::Word> InjectionWords::read(std::string_view text) const {
  constexpr std::size_t kUsualWordBytes = 5;
  std::vector<Word> words;
  words.reserve(text.size() / kUsualWordBytes);
  for (std::size_t at = 0; at < text.size();) {
    const WordEnd end = end_of_word(text, at);
    if (end.at == at) {
      // In JSON within a text, this is a line break.
      const bool is_break = text[at] == '\\' && at + 1 < text.size() &&
                            (text[at + 1] == 'n' || text[at + 1] == 't' || text[at + 1] == 'r');
      at += is_break ? 2 : std::max<std::size_t>(mark_at(text, at), 1);
      continue;
    }
    std::string_view word = text.substr(at, end.at - at);
    std::string left;
    if (word.size() > kWordBytesMax || end.has_apostrophe) {
      left = spelled(word);
      word = left;
    }
    if (!word.empty()) words.push_back(read_word(word, at));
    at = end.at;
  }
  return words;
}

/// The words at which each step may be, as bits after the first. All are tracked at once, so that a
/// repeated word costs no more.
bool InjectionWords::holds(const Phrase& phrase, const std::vector<Word>& words, std::size_t at) {
  std::uint64_t reached = 1;
  for (std::size_t i = 1; i < phrase.steps.size(); ++i) {
    const Step& step = phrase.steps[i];
    std::uint64_t near = 0;
    for (unsigned distance = 1; distance <= step.gap + 1; ++distance)
      near |= reached << distance;
    reached = 0;
    for (; near != 0; near &= near - 1) {
      const auto behind = static_cast<std::size_t>(std::countr_zero(near));
      if (at + behind >= words.size()) break;
      const Groups& groups = words[at + behind].groups;
      if ((groups[step.group / 64] >> (step.group % 64) & 1U) != 0)
        reached |= std::uint64_t{1} << behind;
    }
    if (reached == 0) return false;
  }
  return true;
}

InjectionWords::Read InjectionWords::find(std::string_view text) const {
  const std::vector<Word> words = read(text);
  std::vector<Found> found;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (!words[at].is_known) continue;
    for (std::size_t part = 0; part < words[at].groups.size(); ++part) {
      for (std::uint64_t rest = words[at].groups[part]; rest != 0; rest &= rest - 1) {
        const std::size_t group = part * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        for (const Phrase& phrase : phrases_[group]) {
          if (holds(phrase, words, at))
            found.push_back({.phrase = phrase.index, .begin = words[at].begin});
        }
      }
    }
  }
  return {.found = std::move(found), .words = words.size()};
}

}  // namespace bartizan
