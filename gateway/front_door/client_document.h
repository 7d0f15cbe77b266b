#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/front_door_config.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Who wants to be let in.
struct DoorClient {
  enum class Kind : std::uint8_t {
    configured,  ///< The operator registered it.
    document,    ///< Its id is the URL of its metadata document.
    registered   ///< It registered itself.
  } kind = Kind::configured;
  std::string id = {};
  std::string name = {};  ///< As it calls itself; nothing of it was checked but of configured ones.
  std::vector<std::string> redirect_uris = {};
};

namespace limits {
/// Redirect URIs of one client.
inline constexpr std::size_t redirect_uris_max = 16;
/// What a client calls itself.
inline constexpr std::size_t client_name_max = 128;
}  // namespace limits

/// Whether an id may be the URL of a metadata document: `https://`, with a path, without a
/// fragment, user name, dots as a segment. Source: draft-ietf-oauth-client-id-metadata-document §3;
/// MCP 2025-11-25, basic/authorization,
///         "Client ID Metadata Documents".
bool is_document_url(std::string_view id, bool may_be_local);

/// Reads the metadata document of a client.
///
/// Input:  the URL that it was fetched from, which is the client's id.
/// Errors: invalid_params, a sentence for the client's maker: another `client_id`, no redirect
/// URIs,
///         one that is none, or that is neither at the document's host, on loopback, nor among
///         `redirect_uris` of the front door; a secret, or a way to prove itself by one.
Result<DoorClient> read_client_document(std::string_view text, std::string_view url,
                                        const FrontDoorConfig& door);

/// Reads what a client sends that registers itself: an answer's members without its id.
///
/// Errors: invalid_params, as for a document; a redirect URI is on loopback, or among those of the
///         front door.
/// Source: RFC 7591 §2, §3.1.
Result<DoorClient> read_registration(std::string_view text, const FrontDoorConfig& door);

/// Whether a client may have its users sent there.
bool may_redirect(const DoorClient& client, std::string_view uri);

}  // namespace bartizan
