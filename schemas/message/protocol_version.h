#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bartizan {

/// The way in which client and server communicate: with a handshake and a session, or with
/// self-contained requests.
enum class Era : std::uint8_t { legacy, modern };

/// The supported MCP revisions, oldest first. Only this header and its source branch on them.
enum class ProtocolVersion : std::uint8_t {
  v2024_11_05,
  v2025_03_26,
  v2025_06_18,
  v2025_11_25,
  v2026_07_28,
};

inline constexpr std::array kProtocolVersions{
    ProtocolVersion::v2024_11_05, ProtocolVersion::v2025_03_26, ProtocolVersion::v2025_06_18,
    ProtocolVersion::v2025_11_25, ProtocolVersion::v2026_07_28};

inline constexpr ProtocolVersion kNewestLegacyVersion = ProtocolVersion::v2025_11_25;
inline constexpr ProtocolVersion kNewestModernVersion = ProtocolVersion::v2026_07_28;

/// The revision of a client that sends no `MCP-Protocol-Version`.
/// Source: MCP 2025-06-18, basic/transports, "Protocol Version Header".
inline constexpr ProtocolVersion kHeaderlessVersion = ProtocolVersion::v2025_03_26;

/// The date that identifies a revision on the wire: `2025-11-25`.
std::string_view text(ProtocolVersion version);
/// The revision of exactly that name, or nothing.
std::optional<ProtocolVersion> parse_protocol_version(std::string_view text);

Era era(ProtocolVersion version);

/// The revision in which an `initialize` for `requested` is answered: itself if it is a legacy one,
/// otherwise the newest legacy one. Source: MCP 2025-11-25, basic/lifecycle.
ProtocolVersion negotiate_legacy(std::string_view requested);

/// Whether a POST may contain a JSON array. Source: MCP 2025-03-26 only, removed in 2025-06-18.
bool allows_batches(ProtocolVersion version);

/// Whether tools have output schemas and results have structured content.
/// Source: MCP 2025-06-18, changelog.
bool has_structured_content(ProtocolVersion version);

/// Whether structured content may be any JSON value. In older revisions it is an object.
/// Source: MCP 2026-07-28, server/tools, "Output Schema".
bool allows_any_structured_content(ProtocolVersion version);
/// Whether arguments that violate the input schema are answered as a tool result with `isError`.
/// Source: MCP 2025-11-25 (SEP-1303).
bool reports_argument_errors_as_results(ProtocolVersion version);
/// Whether a request names its revision in the `MCP-Protocol-Version` header.
bool has_version_header(ProtocolVersion version);

/// Whether events have ids, so that a client can resume a broken stream.
/// Source: MCP 2025-03-26, basic/transports, "Resumability and Redelivery"; removed in 2026-07-28.
bool has_event_ids(ProtocolVersion version);
/// Whether a stream begins with an id without data, and may be closed before its response. Older
/// clients read the empty data as a message. Source: MCP 2025-11-25 (SEP-1699).
bool has_priming_events(ProtocolVersion version);

}  // namespace bartizan
