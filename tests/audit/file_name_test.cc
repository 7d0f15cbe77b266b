#include "audit/file_name.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

const std::chrono::system_clock::time_point kNoon(std::chrono::seconds(1'795'262'400));

TEST(FileName, SaysWhenItWasClosedAndWhereItBegins) {
  struct Case {
    const char* path;
    std::uint64_t sequence;
    const char* name;
  };
  const Case cases[] = {
      {"/var/audit.jsonl", 1, "audit-20261121T120000Z-000000000001.jsonl"},
      {"audit.jsonl", 123456, "audit-20261121T120000Z-000000123456.jsonl"},
      {"/a.b/record", 7, "record-20261121T120000Z-000000000007"},
      {"/var/.hidden", 7, ".hidden-20261121T120000Z-000000000007"},
      {"a.b.c", 18446744073709551615U, "a.b-20261121T120000Z-18446744073709551615.c"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(rotated_name(each.path, kNoon, each.sequence), each.name);
    EXPECT_EQ(rotated_sequence(each.path, each.name), each.sequence) << each.name;
  }
}

TEST(FileName, NoOtherNameIsTakenForOne) {
  const char* names[] = {
      "",
      "audit.jsonl",
      "audit.jsonl.next",
      "audit-20261121T120000Z-00000000001.jsonl",    // Eleven digits.
      "audit-20261121T120000Z-0000000000001.jsonl",  // Thirteen, with a zero in front.
      "audit-20261121T120000Z-00000000000a.jsonl",
      "audit-20261121T120000Z-+00000000001.jsonl",
      "audit-20261121T120000Z-18446744073709551616.jsonl",
      "audit-20261121T12000Z-000000000001.jsonl",
      "audit-20261121 120000Z-000000000001.jsonl",
      "audit-2026112xT120000Z-000000000001.jsonl",
      "audit-20261121T120000Z-000000000001.json",
      "audit-20261121T120000Z-000000000001.jsonl.gz",
      "audi-20261121T120000Z-000000000001.jsonl",
      "xaudit-20261121T120000Z-000000000001.jsonl",
      "../audit-20261121T120000Z-000000000001.jsonl",
      "audit-20261121T120000Z-../000000000001.jsonl",
      "/etc/audit-20261121T120000Z-000000000001.jsonl",
  };
  for (const char* name : names)
    EXPECT_FALSE(rotated_sequence("/var/audit.jsonl", name)) << name;
}

TEST(FileName, FolderAndName) {
  EXPECT_EQ(folder_of("/var/lib/audit.jsonl"), "/var/lib/");
  EXPECT_EQ(folder_of("audit.jsonl"), "./");
  EXPECT_EQ(name_of("/var/lib/audit.jsonl"), "audit.jsonl");
  EXPECT_EQ(name_of("audit.jsonl"), "audit.jsonl");
}

}  // namespace
}  // namespace bartizan
