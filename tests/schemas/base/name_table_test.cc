#include "schemas/base/name_table.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bartizan {
namespace {

/// Names of every length around the words that are read at once.
std::vector<std::string> names_of_many_lengths() {
  std::vector<std::string> names;
  for (std::size_t size = 0; size < 40; ++size) {
    std::string name;
    for (std::size_t i = 0; i < size; ++i)
      name += static_cast<char>('a' + i % 26);
    names.push_back(name);
  }
  return names;
}

void expect_knows(const NameTable& table, const std::vector<std::string>& names) {
  ASSERT_EQ(table.size(), names.size());
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table.find(names[i]), i) << names[i];
    EXPECT_EQ(table.name(i), names[i]);
  }
}

TEST(NameTableTest, KnowsNoOtherNameThanItsOwn) {
  const std::vector<std::string> names = names_of_many_lengths();
  NameTable table;
  for (const std::string& name : names)
    table.insert(name);
  expect_knows(table, names);
  for (const std::string& name : names) {
    EXPECT_EQ(table.find(name + "_"), NameTable::kNone);
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::string other = name;
      other[i] = '_';
      EXPECT_EQ(table.find(other), NameTable::kNone) << other;
    }
  }
}

TEST(NameTableTest, KnowsNothingWhenItIsEmpty) {
  const NameTable table;
  EXPECT_EQ(table.find(""), NameTable::kNone);
  EXPECT_EQ(table.find("a"), NameTable::kNone);
}

TEST(NameTableTest, NumbersNamesInTheOrderInWhichTheyCame) {
  NameTable table;
  EXPECT_EQ(table.insert("b"), 0U);
  EXPECT_EQ(table.insert("a"), 1U);
  EXPECT_EQ(table.insert("b"), 0U);
  EXPECT_EQ(table.size(), 2U);
}

TEST(NameTableTest, TellsApartNamesWhoseBeginningOrEndIsTheSame) {
  NameTable table;
  table.insert("beginning_a_the_same_end");
  EXPECT_EQ(table.find("beginning_b_the_same_end"), NameTable::kNone);
  EXPECT_EQ(table.find("beginning_a_the_same_enc"), NameTable::kNone);
  EXPECT_EQ(table.find("ceginning_a_the_same_end"), NameTable::kNone);
}

class CollidingNames : public testing::TestWithParam<std::uint64_t> {};

// With a multiplier of zero every name has the same hash.
TEST_P(CollidingNames, AreFoundAllTheSame) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 2000; ++i)
    names.push_back("name_" + std::to_string(i));
  NameTable table(GetParam());
  for (const std::string& name : names)
    table.insert(name);
  for (const std::string& name : names)
    table.insert(name);
  expect_knows(table, names);
  EXPECT_EQ(table.find("name_2000"), NameTable::kNone);
  EXPECT_EQ(table.find("name"), NameTable::kNone);
}

INSTANTIATE_TEST_SUITE_P(Multipliers, CollidingNames, testing::Values(0, 1, 0x9E3779B97F4A7C15));

}  // namespace
}  // namespace bartizan
