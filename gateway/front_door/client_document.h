#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/front_door_config.h"
#include "schemas/base/result.h"

namespace bartizan {

/// A client that asks a front door for tokens.
struct DoorClient {
  enum class Kind : std::uint8_t {
    configured,  ///< The operator registered it.
    document,    ///< Its id is the URL of its metadata document.
    registered   ///< It registered itself.
  } kind = Kind::configured;
  std::string id = {};
  std::string name =
      {};  ///< As the client calls itself. Only the names of configured clients were checked.
  std::vector<std::string> redirect_uris = {};
};

namespace limits {
/// The most redirect URIs of one client.
inline constexpr std::size_t redirect_uris_max = 16;
/// The longest name of a client.
inline constexpr std::size_t client_name_max = 128;
}  // namespace limits

/// Whether an id may be the URL of a metadata document: `https://`, with a path, without a
/// fragment, user name or dot segments, and at most 2048 bytes. `may_be_local` also allows
/// `http://` at loopback.
/// Source: draft-ietf-oauth-client-id-metadata-document §3; MCP 2025-11-25, basic/authorization,
/// "Client ID Metadata Documents".
bool is_document_url(std::string_view id, bool may_be_local);

/// Reads the metadata document of a client.
///
/// Input:  the URL that it was fetched from, which is the client's id.
/// Errors: invalid_params, with a sentence for the client's developer. The document has another
/// `client_id`, no allowed redirect URI, an invalid one, or a secret or an authentication method
/// that needs one. Allowed are redirect URIs at the document's host, on loopback, and among
/// `redirect_uris` of the front door.
Result<DoorClient> read_client_document(std::string_view text, std::string_view url,
                                        const FrontDoorConfig& door);

/// Reads the registration request of a client: the members of the response except its id.
///
/// Errors: invalid_params, as for a document, but secrets are not refused. Allowed are redirect
/// URIs on loopback, and those of the front door.
/// Source: RFC 7591 §2, §3.1.
Result<DoorClient> read_registration(std::string_view text, const FrontDoorConfig& door);

/// Whether users of the client may be redirected to that URI.
bool may_redirect(const DoorClient& client, std::string_view uri);

}  // namespace bartizan
