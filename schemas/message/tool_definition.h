#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"
#include "schemas/json/json.h"
#include "schemas/message/protocol_version.h"
#include "schemas/message/tool_hints.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {

/// One argument that a modern client copies into a request header.
struct MirroredArgument {
  std::string header;   ///< The part after `Mcp-Param-`, as the definition spells it.
  std::string pointer;  ///< RFC 6901, into `arguments`.
  /// The argument's name for clients, if the server's name differs; else empty.
  std::string listed = {};
};

/// The relation of a definition to earlier ones that its server listed under that name since the
/// process began, and the findings about the definition itself. A definition without a standing is
/// the first, and harmless.
struct ToolStanding {
  enum class Kind : std::uint8_t {
    first,    ///< The first under its name.
    changed,  ///< Differs from an earlier one.
    assumed,  ///< Not listed by a server: a question about a hypothetical definition.
  } kind = Kind::first;
  std::string difference = {};  ///< From the first, if changed; in the gateway's words.
  /// Why its text counts as poisoned, in the gateway's words. Empty without serious findings.
  std::string danger = {};
  std::string danger_at = {};  ///< Pointer to that text, with the server's own names.
  /// Why text that `fingerprint_v1` does not cover counts as poisoned. Empty without serious
  /// findings. An approval in version 1 of the lock file does not include that text.
  std::string danger_beyond_v1 = {};
  /// Why text that no fingerprint covers counts as poisoned, because the operator lets it change.
  /// Empty without serious findings.
  std::string danger_beside = {};
  /// If a person released exactly this definition while the process runs: the tool's fingerprint in
  /// the lock file at that time, which is empty for none.
  std::optional<std::string> released_over = {};
  std::string look = {};  ///< What the name looks like (`NameLooks`).
  /// Names for which its text gives instructions, as they are spoken. Names of its own server are
  /// left out.
  std::vector<std::string> directed = {};
};

/// The data that the gateway keeps of one entry of a `tools/list` result. The entry itself is
/// forwarded as the server's bytes, except for its name.
struct ToolDefinition {
  std::string name;      ///< In policy, pins, records and for clients: see `tool_name`.
  std::string own_name;  ///< The server's name.
  std::string raw;       ///< The entry's exact bytes.
  ByteRange name_range;  ///< Of the quoted name within `raw`.
  std::vector<MirroredArgument> mirrored;
  /// Optional members of it are null. Clients get it without them.
  bool has_nulls = false;
  bool says_destructive = false;  ///< Its annotations have `destructiveHint: true`.
  ToolHints hints = {};           ///< Its annotations: only the server's claim.
  /// In the legacy era: its `outputSchema` is not of type `object`, so clients do not get it.
  bool has_odd_output = false;
  /// SHA-256, lower-case hex, of `fingerprinted_text`. It covers the whole entry, including members
  /// that no revision knows, except those that the operator lets change.
  std::string fingerprint;
  /// The fingerprint of version 1 of the lock file: SHA-256, lower-case hex. It covers all of name,
  /// title, description, schemas and annotations, and nothing else.
  std::string fingerprint_v1 = {};
  /// Its compiled schemas. Without them calls cannot be judged, and the tool is not used.
  std::shared_ptr<const ToolSchemas> schemas;
  /// Null if the definition was not compared with others.
  std::shared_ptr<const ToolStanding> standing = {};
};

/// Whether that member of an entry is optional. Many servers write null for absence.
bool is_optional_member(std::string_view member);

/// Whether `fingerprint_v1` covers that member of an entry.
bool is_fingerprinted_v1(std::string_view member);

/// The canonical form of an entry (members sorted, white space removed) without its volatile
/// members. A person approves this text.
///
/// Input: `volatile_members`, JSON pointers into the entry.
std::string fingerprinted_text(JsonValue entry, std::span<const std::string> volatile_members = {});

/// Reads one entry of a `tools/list` result, without compiling its schemas.
///
/// The tool of an entry with an error is quarantined. Otherwise clients would drop it, or refuse
/// the whole list together with the tools of other servers.
///
/// Input:   `volatile_members`, JSON pointers to what the operator lets change (`[pins] volatile`).
/// Errors:  invalid_params, fault server. The entry has no name, or one of more than 1024 bytes. It
///          has no `inputSchema` object with `type: "object"`, a non-null member of another type
///          than the protocol's, or an invalid `x-mcp-header` annotation. The detail names the
///          cause and never the server's text. overloaded, fault gateway: the library has no
///          SHA-256.
/// Source:  MCP 2026-07-28, server/tools, and basic/transports/streamable-http, "Custom Headers".
Result<ToolDefinition> read_tool_definition(JsonValue entry, Era era = Era::modern,
                                            std::span<const std::string> volatile_members = {});

/// The name of a tool in policy, pins, records and for clients. It is the server's name if that is
/// valid there. A name with blanks, `/`, `:` or letters of other scripts gets an alias, which is
/// always the same. In an alias `_` replaces each invalid character. It is cut, and ends in eight
/// hex digits of the SHA-256 of the server's name.
std::string tool_name(std::string_view own_name);

/// Whether a tool name can be used in policy and in headers: 1 to 128 bytes of `A-Z a-z 0-9 _ - .`.
/// Source: MCP 2025-11-25 (SEP-986).
bool is_tool_name(std::string_view name);

}  // namespace bartizan
