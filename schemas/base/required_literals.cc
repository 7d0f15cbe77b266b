#include "schemas/base/required_literals.h"

#include <algorithm>
#include <string_view>

#include <re2/filtered_re2.h>

#include "schemas/base/ascii.h"
#include "schemas/base/keep_each_once.h"

namespace bartizan {
namespace {

/// The longest ASCII part. Searches for literals do not fold the case of other letters. A text with
/// a literal also holds its parts.
std::string longest_ascii(std::string_view literal) {
  std::string_view longest;
  for (std::size_t begin = 0; begin < literal.size(); ++begin) {
    std::size_t end = begin;
    while (end < literal.size() && static_cast<unsigned char>(literal[end]) < 0x80U &&
           literal[end] != '\0') {
      ++end;
    }
    if (end - begin > longest.size()) longest = literal.substr(begin, end - begin);
    begin = std::max(begin, end);
  }
  return std::string(longest);
}

}  // namespace

std::vector<std::string> required_literals(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  re2::FilteredRE2 filter(static_cast<int>(kLiteralBytesMin));
  int id = 0;
  if (filter.Add(pattern, options, &id) != re2::RE2::NoError) return {};
  std::vector<std::string> atoms;
  filter.Compile(&atoms);
  // Patterns that may match without any of the literals require none.
  std::vector<int> unfiltered;
  filter.AllPotentials({}, &unfiltered);
  if (atoms.empty() || !unfiltered.empty()) return {};
  std::vector<std::string> literals;
  for (const std::string& atom : atoms) {
    std::string literal = longest_ascii(atom);
    if (literal.size() < kLiteralBytesMin) return {};
    literals.push_back(std::move(literal));
  }
  keep_each_once(literals);
  return literals;
}

}  // namespace bartizan
