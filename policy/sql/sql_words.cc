#include "policy/sql/sql_words.h"

#include <array>
#include <cstddef>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// In the order of `SqlWord`, which is alphabetical.
constexpr auto kWords = std::to_array<std::string_view>({
    "",        "all",       "analyze",   "and",      "any",           "array",
    "as",      "asc",       "at",        "between",  "binary",        "both",
    "by",      "case",      "cast",      "collate",  "cross",         "cube",
    "current", "desc",      "describe",  "distinct", "distinctrow",   "div",
    "else",    "end",       "escape",    "except",   "exists",        "explain",
    "fetch",   "filter",    "following", "for",      "from",          "full",
    "glob",    "group",     "grouping",  "groups",   "having",        "high_priority",
    "ignore",  "ilike",     "in",        "inner",    "intersect",     "interval",
    "into",    "is",        "isnull",    "join",     "lateral",       "leading",
    "left",    "like",      "limit",     "lock",     "match",         "materialized",
    "mod",     "natural",   "not",       "notnull",  "null",          "nulls",
    "offset",  "on",        "only",      "or",       "order",         "outer",
    "over",    "overlaps",  "partition", "placing",  "preceding",     "procedure",
    "range",   "recursive", "regexp",    "respect",  "returning",     "right",
    "rlike",   "rollup",    "row",       "rows",     "select",        "separator",
    "set",     "show",      "similar",   "some",     "straight_join", "table",
    "then",    "trailing",  "union",     "using",    "values",        "variadic",
    "when",    "where",     "window",    "with",     "within",        "xor",
});
static_assert(kWords.size() == static_cast<std::size_t>(SqlWord::xor_) + 1);

constexpr std::size_t kLongest = 13;
constexpr std::size_t kSlots = 512;

constexpr std::size_t slot_of(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name)
    hash = (hash ^ (static_cast<unsigned char>(c) | 0x20U)) * 16777619U;
  return (hash ^ hash >> 15) % kSlots;
}

/// Each word is in the first free slot from its own on.
constexpr std::array<SqlWord, kSlots> make_table() {
  std::array<SqlWord, kSlots> table{};
  for (std::size_t i = 1; i < kWords.size(); ++i) {
    std::size_t slot = slot_of(kWords[i]);
    while (table[slot] != SqlWord::none)
      slot = (slot + 1) % kSlots;
    table[slot] = static_cast<SqlWord>(i);
  }
  return table;
}

constexpr std::array<SqlWord, kSlots> kTable = make_table();

bool is_same(std::string_view name, std::string_view word) {
  if (name.size() != word.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (lower_case(name[i]) != word[i]) return false;
  }
  return true;
}

}  // namespace

SqlWord sql_word(std::string_view name) {
  if (name.size() > kLongest) return SqlWord::none;
  std::size_t slot = slot_of(name);
  while (kTable[slot] != SqlWord::none) {
    if (is_same(name, kWords[static_cast<std::size_t>(kTable[slot])])) return kTable[slot];
    slot = (slot + 1) % kSlots;
  }
  return SqlWord::none;
}

bool is_reserved(SqlWord word) {
  switch (word) {
    using enum SqlWord;
    case all:
    case and_:
    case any:
    case as:
    case asc:
    case between:
    case by:
    case case_:
    case cast:
    case collate:
    case cross:
    case desc:
    case distinct:
    case distinctrow:
    case else_:
    case end:
    case except:
    case exists:
    case fetch:
    case for_:
    case from:
    case group:
    case having:
    case in:
    case inner:
    case intersect:
    case into:
    case is_:
    case isnull:
    case join:
    case lateral:
    case limit:
    case natural:
    case not_:
    case notnull:
    case null:
    case on:
    case only:
    case or_:
    case order:
    case outer:
    case procedure:
    case returning:
    case select:
    case set:
    case some:
    case straight_join:
    case table:
    case then:
    case union_:
    case using_:
    case values:
    case when:
    case where:
    case with:
      return true;
    default:
      return false;
  }
}

}  // namespace bartizan
