#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schemas/base/text_hash.h"

namespace bartizan {

/// Finds the globs that could match a text without trying each. It uses the text before the first
/// `*` of a glob and after its last one.
///
/// Threads: immutable once built.
/// Cost:    a search looks up each length of a beginning, and each length of an end after a found
///          beginning. The number of globs does not matter if they differ in either.
class GlobIndex {
 public:
  /// `number` is the result of a search. Several patterns may have the same number.
  void add(std::string_view pattern, std::uint32_t number);

  bool is_empty() const { return literals_.empty() && beginnings_.empty(); }

  /// Calls `take(number)` for the globs that could match the text, in no order: all that match, and
  /// few others. If the text is itself a glob, these are all globs that could cover it.
  template <class Take>
  void search(std::string_view text, const Take& take) const {
    if (const auto same = literals_.find(text); same != literals_.end()) {
      for (const std::uint32_t number : same->second)
        take(number);
    }
    for (const std::size_t length : lengths_) {
      if (length > text.size()) break;
      const auto begun = beginnings_.find(text.substr(0, length));
      if (begun == beginnings_.end()) continue;
      for (const auto& [end_length, ends] : begun->second) {
        if (length + end_length > text.size()) break;
        const auto ended = ends.find(text.substr(text.size() - end_length));
        if (ended == ends.end()) continue;
        for (const std::uint32_t number : ended->second)
          take(number);
      }
    }
  }

 private:
  template <class Value>
  using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
  using Numbers = std::vector<std::uint32_t>;

  ByText<Numbers> literals_;
  /// By beginning, then by the length of the end, then by the end.
  ByText<std::map<std::size_t, ByText<Numbers>>> beginnings_;
  std::set<std::size_t> lengths_;  ///< Of the beginnings.
};

}  // namespace bartizan
