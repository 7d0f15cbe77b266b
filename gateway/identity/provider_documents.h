#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/issuer_config.h"
#include "gateway/http/fetch_document.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Requests to a provider's HTTP servers. Each has its own connection, under the address guard and
/// with the roots of its configuration.
///
/// Errors:  server_failed for a URL that must not be requested, config_invalid for roots that
///          cannot be read, and those of `fetch_document`. The sentences have no text from the
///          provider.
/// Threads: those of the loop.
class ProviderDocuments {
 public:
  /// Lifetime: within those of the loop and the configuration.
  ProviderDocuments(Loop& loop, const IssuerConfig& provider)
      : loop_(&loop), provider_(&provider) {}

  /// Fetches a document by GET.
  Task<Result<FetchedDocument>> get(std::string url, std::string authorization = {});
  /// Sends a form by POST.
  Task<Result<FetchedDocument>> post(std::string url, std::string form, std::string authorization);

 private:
  Task<Result<FetchedDocument>> ask(std::string url, DocumentRequest request);

  Loop* loop_;
  const IssuerConfig* provider_;
  std::shared_ptr<asio::ssl::context> tls_;  ///< Made by the first request.
};

/// The URLs in a provider's metadata. A missing one is empty.
struct ProviderMetadata {
  std::string jwks_url;
  std::string authorize_url;
  std::string token_url;
  std::string user_url;
  std::string introspection_url;
  bool sends_issuer = false;  ///< `authorization_response_iss_parameter_supported`
};

/// Fetches the metadata of a provider, from the first of its well-known places that has some.
///
/// Errors:  those of `ProviderDocuments`; server_failed for a status other than 200 and 404, no
///          metadata at any place, a document that is not strict JSON, and metadata of another
///          issuer.
/// Source:  OpenID Connect Discovery 1.0 §4; RFC 8414 §3; RFC 9207 §3; MCP 2026-07-28,
///          basic/authorization/authorization-server-discovery.
Task<Result<ProviderMetadata>> fetch_provider_metadata(Loop& loop, const IssuerConfig& provider);

}  // namespace bartizan
