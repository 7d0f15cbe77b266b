#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bartizan {

/// The length in bytes of a non-ASCII mark at that position that is not part of a word: quotation
/// marks, dashes, arrows, emoji. 0 for none.
std::size_t mark_at(std::string_view text, std::size_t at);

/// Finds the phrases of `injection_phrases`, by the groups of alternatives that each word belongs
/// to.
///
/// Threads: immutable; share one.
class InjectionWords {
 public:
  InjectionWords();

  /// The index and the begin of a found phrase.
  struct Found {
    std::size_t phrase;
    std::size_t begin;
  };
  struct Read {
    std::vector<Found> found;
    std::size_t words;  ///< Words in the text.
  };
  /// All phrases in a text, by their begin.
  ///
  /// Input: the output of `fold_injection`.
  /// Cost:  linear: a look-up for each word, and a look at the next few words if it begins phrases.
  ///        Memory for each word: callers cut long texts.
  Read find(std::string_view text) const;

 private:
  static constexpr std::size_t kGroupsMax = 384;
  using Groups = std::array<std::uint64_t, kGroupsMax / 64>;
  struct Stem {
    std::string_view begin;
    std::size_t group;
  };
  struct Step {
    std::size_t group;
    unsigned gap;  ///< The most words before it.
  };
  struct Phrase {
    std::size_t index;
    std::vector<Step> steps;
  };
  struct Word {
    Groups groups;
    std::size_t begin;
    bool is_known = false;  ///< Whether it is in any group.
  };

  void add(std::size_t index, std::string_view pattern);
  std::size_t group_of(std::string_view alternatives);
  Word read_word(std::string_view word, std::size_t begin) const;
  std::vector<Word> read(std::string_view text) const;
  static bool holds(const Phrase& phrase, const std::vector<Word>& words, std::size_t at);

  static std::size_t beginning_of(std::string_view word);
  void note_beginning(std::string_view word);

  /// The beginnings of all words in phrases. Few words of a text have one.
  std::array<bool, 4096> beginnings_{};
  std::unordered_map<std::string_view, std::size_t> groups_;  ///< By their spelling.
  std::unordered_map<std::string_view, Groups> words_;
  std::unordered_map<std::string_view, std::vector<Stem>> stems_;  ///< By their first bytes.
  std::vector<std::vector<Phrase>> phrases_;  ///< By the group of their first word.
};

}  // namespace bartizan
