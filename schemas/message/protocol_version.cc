#include "schemas/message/protocol_version.h"

#include <cstddef>

namespace bartizan {
namespace {

constexpr std::array<std::string_view, kProtocolVersions.size()> kNames{
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};

}  // namespace

std::string_view text(ProtocolVersion version) {
  return kNames[static_cast<std::size_t>(version)];
}

std::optional<ProtocolVersion> parse_protocol_version(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return kProtocolVersions[i];
  }
  return std::nullopt;
}

Era era(ProtocolVersion version) {
  return version >= ProtocolVersion::v2026_07_28 ? Era::modern : Era::legacy;
}

ProtocolVersion negotiate_legacy(std::string_view requested) {
  const std::optional<ProtocolVersion> version = parse_protocol_version(requested);
  return version && era(*version) == Era::legacy ? *version : kNewestLegacyVersion;
}

bool allows_batches(ProtocolVersion version) {
  return version == ProtocolVersion::v2025_03_26;
}

bool reports_argument_errors_as_results(ProtocolVersion version) {
  return version >= ProtocolVersion::v2025_11_25;
}

bool has_version_header(ProtocolVersion version) {
  return version >= ProtocolVersion::v2025_06_18;
}

bool has_event_ids(ProtocolVersion version) {
  return version >= ProtocolVersion::v2025_03_26 && era(version) == Era::legacy;
}

bool has_priming_events(ProtocolVersion version) {
  return version >= ProtocolVersion::v2025_11_25 && era(version) == Era::legacy;
}

bool has_structured_content(ProtocolVersion version) {
  return version >= ProtocolVersion::v2025_06_18;
}

bool allows_any_structured_content(ProtocolVersion version) {
  return version >= ProtocolVersion::v2026_07_28;
}

}  // namespace bartizan
