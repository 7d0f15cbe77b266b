#include "schemas/message/protocol_version.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

using enum ProtocolVersion;

TEST(ProtocolVersion, HasOneNameEach) {
  for (const ProtocolVersion version : kProtocolVersions) {
    EXPECT_EQ(parse_protocol_version(text(version)), version);
  }
  for (const std::string_view name : {"", "2025-11-26", "2025-11-2", " 2025-11-25", "DRAFT"}) {
    EXPECT_EQ(parse_protocol_version(name), std::nullopt) << name;
  }
}

TEST(ProtocolVersion, NegotiatesLegacyOnes) {
  const struct {
    std::string_view requested;
    ProtocolVersion answered;
  } cases[] = {
      {"2024-11-05", v2024_11_05}, {"2025-06-18", v2025_06_18}, {"2025-11-25", v2025_11_25},
      {"2026-07-28", v2025_11_25}, {"2024-10-07", v2025_11_25}, {"", v2025_11_25},
  };
  for (const auto& c : cases)
    EXPECT_EQ(negotiate_legacy(c.requested), c.answered) << c.requested;
}

TEST(ProtocolVersion, DiffersByRevision) {
  const struct {
    ProtocolVersion version;
    Era era;
    bool batches, argument_results, header;
  } cases[] = {
      {v2024_11_05, Era::legacy, false, false, false},
      {v2025_03_26, Era::legacy, true, false, false},
      {v2025_06_18, Era::legacy, false, false, true},
      {v2025_11_25, Era::legacy, false, true, true},
      {v2026_07_28, Era::modern, false, true, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(text(c.version));
    EXPECT_EQ(era(c.version), c.era);
    EXPECT_EQ(allows_batches(c.version), c.batches);
    EXPECT_EQ(reports_argument_errors_as_results(c.version), c.argument_results);
    EXPECT_EQ(has_version_header(c.version), c.header);
  }
}

}  // namespace
}  // namespace bartizan
