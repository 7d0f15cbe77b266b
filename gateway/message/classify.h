#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/base/result.h"
#include "schemas/message/message.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {

/// The era in which a message is served.
struct Classified {
  Era era = Era::legacy;
  ProtocolVersion version = kNewestLegacyVersion;
};

/// Why a message is served in neither era: a protocol error with its `data`.
struct Unclassified {
  ErrorCode code = ErrorCode::invalid_request;
  std::string message;
  std::string data_json = {};
};

/// Decides the era of one message of an HTTP request. The body decides; `version_header` is a
/// cross-check. A malformed claim of the modern era is an error. It never falls back to legacy,
/// since that would bypass the checks of the modern era.
///
/// Errors:  unsupported_version, header_mismatch, invalid_params, invalid_request, in the order of
///          the specification's ladder.
/// Source:  MCP 2026-07-28, basic/versioning, "Compatibility Matrix"; streamable-http.
std::expected<Classified, Unclassified> classify(
    const Message& message, const std::optional<std::string_view>& version_header);

/// Decides the era of one message of a transport without headers, by its `_meta` alone. A malformed
/// claim of the modern era is an error. It never falls back to legacy.
///
/// Errors:  unsupported_version, invalid_params.
/// Source:  MCP 2026-07-28, basic/transports/stdio.
std::expected<Classified, Unclassified> classify_without_headers(const Message& message);

}  // namespace bartizan
