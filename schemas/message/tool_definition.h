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

/// One argument that a modern client mirrors into a request header.
struct MirroredArgument {
  std::string header;   ///< The part behind `Mcp-Param-`, as the definition spells it.
  std::string pointer;  ///< RFC 6901, into `arguments`.
  /// As clients know the argument, where the server reads it under another name; else empty.
  std::string listed = {};
};

/// How a definition stands to what its server has listed under that name since the process began,
/// and what was found in it alone. A definition without one is the first, and harmless.
struct ToolStanding {
  enum class Kind : std::uint8_t {
    first,    ///< What came first under its name.
    changed,  ///< Another came before.
    assumed,  ///< No server listed it: somebody asks what would be if it were taken.
  } kind = Kind::first;
  std::string difference = {};  ///< Of one that changed: from the first, in our own words.
  /// Why its text is held for poisoned, in our own words; empty where nothing serious was found.
  std::string danger = {};
  std::string danger_at = {};  ///< Where that stands, as a pointer: the server's own names.
  /// Why text that `fingerprint_v1` does not cover is held for poisoned; empty where nothing
  /// serious was found. Whoever approved a tool in version 1 of the lock file did not approve that
  /// text.
  std::string danger_beyond_v1 = {};
  /// Why text is held for poisoned that no fingerprint covers, because the operator lets it change;
  /// empty where nothing serious was found.
  std::string danger_beside = {};
  /// Where a person took exactly this one, while the process runs: the fingerprint that the lock
  /// file had of the tool then; empty for none.
  std::optional<std::string> released_over = {};
  std::string look = {};  ///< What the name looks like (`NameLooks`).
  /// Names that its text says what to do with, as they are spoken; its server's own are left out.
  std::vector<std::string> directed = {};
};

/// What the gateway keeps of one entry of a `tools/list` result. The entry itself is forwarded as
/// the bytes that the server sent, its name aside.
struct ToolDefinition {
  std::string name;      ///< As policy, pins, records and clients have it: see `tool_name`.
  std::string own_name;  ///< As its server has it.
  std::string raw;       ///< The entry's exact bytes.
  ByteRange name_range;  ///< Of the quoted name within `raw`.
  std::vector<MirroredArgument> mirrored;
  /// Members of it are null where a value is optional: clients are listed it without them.
  bool has_nulls = false;
  bool says_destructive = false;  ///< Its annotations have `destructiveHint: true`.
  ToolHints hints = {};           ///< What its annotations say: the server's word alone.
  /// In the legacy era: its `outputSchema` is not of type `object`, so clients are not listed it.
  bool has_odd_output = false;
  /// SHA-256, lower-case hex, over `fingerprinted_text`: over all of the entry, members that no
  /// revision knows included, but for what the operator lets change.
  std::string fingerprint;
  /// The fingerprint as version 1 of the lock file has it: SHA-256, lower-case hex, over name,
  /// title, description, schemas and annotations alone, and of these over all.
  std::string fingerprint_v1 = {};
  /// Its schemas, compiled. Without them the tool cannot be judged, and is not used.
  std::shared_ptr<const ToolSchemas> schemas;
  /// Null of a definition that nobody held against others.
  std::shared_ptr<const ToolStanding> standing = {};
};

/// Whether an entry may lack a member of that name; null says the same for many servers.
bool is_optional_member(std::string_view member);

/// Whether a member of an entry is covered by `fingerprint_v1`.
bool is_fingerprinted_v1(std::string_view member);

/// The canonical form of an entry (members sorted, white space removed) without its volatile
/// members: what a person approves.
///
/// Input: `volatile_members`, JSON pointers into the entry.
std::string fingerprinted_text(JsonValue entry, std::span<const std::string> volatile_members = {});

/// Reads one entry of a `tools/list` result, without compiling its schemas.
///
/// Input:   `volatile_members`, JSON pointers to what the operator lets change (`[pins] volatile`).
/// Errors:  invalid_params, fault server, when the entry has no name, or one of more than 1024
/// bytes,
///          no `inputSchema` object with `type: "object"`, a member of another
///          type than the protocol's that is not null, or an invalid `x-mcp-header` annotation. The
///          tool is then quarantined: clients drop it, or refuse the whole list with all that other
///          servers have in it. Detail names the cause and no text of the server's.
/// Source:  MCP 2026-07-28, server/tools, and basic/transports/streamable-http, "Custom Headers".
Result<ToolDefinition> read_tool_definition(JsonValue entry, Era era = Era::modern,
                                            std::span<const std::string> volatile_members = {});

/// The name of a tool in policy, pins, records and for clients: its own where that can be used
/// there, and otherwise, for one with blanks, `/`, `:` or letters of other scripts, an alias that
/// is always the same: `_` for what cannot be, cut, with eight hex digits of SHA-256 of its own
/// name behind it.
std::string tool_name(std::string_view own_name);

/// Whether a tool name can be used in policy and in headers: 1 to 128 bytes of
/// `A-Z a-z 0-9 _ - .`. Source: MCP 2025-11-25 (SEP-986).
bool is_tool_name(std::string_view name);

}  // namespace bartizan
