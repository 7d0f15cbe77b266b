#include "gateway/identity/provider_documents.h"

#include <algorithm>
#include <utility>

#include "config/parse_host_port.h"
#include "gateway/token/jwk_set.h"

namespace bartizan {
namespace {

constexpr JsonLimits kMetadataLimits{.bytes_max = std::size_t{64} << 10, .values_max = 4096};
/// For one document.
constexpr std::chrono::seconds kDeadline{5};
constexpr int kOk = 200;
constexpr int kNotFound = 404;

Error failure(std::string detail) {
  return {ErrorCode::server_failed, Fault::server, std::move(detail)};
}

/// The places where an issuer may have metadata, in the order of requests.
std::vector<std::string> metadata_urls(std::string_view issuer) {
  const std::size_t scheme_end = issuer.find("://") + 3;
  const std::size_t path_begin = std::min(issuer.find('/', scheme_end), issuer.size());
  const std::string origin(issuer.substr(0, path_begin));
  std::string_view path = issuer.substr(path_begin);
  while (path.ends_with('/'))
    path.remove_suffix(1);
  const auto at = [&](std::string_view well_known, std::string_view before,
                      std::string_view after) {
    std::string url = origin;
    url += before;
    url += well_known;
    return url += after;
  };
  constexpr std::string_view oidc = "/.well-known/openid-configuration";
  constexpr std::string_view oauth = "/.well-known/oauth-authorization-server";
  if (path.empty()) return {at(oidc, "", ""), at(oauth, "", "")};
  return {at(oidc, path, ""), at(oauth, "", path), at(oidc, "", path)};
}

Result<ProviderMetadata> read_metadata(std::string_view text, const IssuerConfig& provider) {
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kMetadataLimits);
  if (!root.has_value())
    return std::unexpected(failure("the issuer's metadata is not strict JSON"));
  if (root->find("issuer").text() != provider.issuer) {
    return std::unexpected(failure("the issuer's metadata is that of another issuer"));
  }
  const auto read = [&root](std::string_view name) { return std::string(root->find(name).text()); };
  return ProviderMetadata{
      .jwks_url = read("jwks_uri"),
      .authorize_url = read("authorization_endpoint"),
      .token_url = read("token_endpoint"),
      .user_url = read("userinfo_endpoint"),
      .introspection_url = read("introspection_endpoint"),
      .sends_issuer =
          root->find("authorization_response_iss_parameter_supported").boolean().value_or(false)};
}

}  // namespace

Task<Result<FetchedDocument>> ProviderDocuments::get(std::string url, std::string authorization) {
  return ask(std::move(url), {.authorization = std::move(authorization)});
}

Task<Result<FetchedDocument>> ProviderDocuments::post(std::string url, std::string form,
                                                      std::string authorization) {
  return ask(std::move(url), {.form = std::move(form), .authorization = std::move(authorization)});
}

Task<Result<FetchedDocument>> ProviderDocuments::ask(std::string url, DocumentRequest request) {
  if (tls_ == nullptr) {
    auto tls = make_client_tls(provider_->ca_file);
    if (!tls.has_value()) co_return std::unexpected(tls.error());
    tls_ = *std::move(tls);
  }
  if (!is_safe_url(url)) {
    co_return std::unexpected(failure("a URL of the issuer is neither https:// nor local"));
  }
  Result<ServerUrl> target = parse_server_url(url);
  if (!target.has_value()) co_return std::unexpected(failure("a URL of the issuer is none"));
  using Addresses = ServerUrl::Addresses;
  request.url = *std::move(target);
  request.url.addresses = provider_->private_networks ? Addresses::any : Addresses::global;
  request.bytes_max = kKeySetBytesMax;
  request.deadline = kDeadline;
  co_return co_await fetch_document(*loop_, tls_, std::move(request));
}

Task<Result<ProviderMetadata>> fetch_provider_metadata(Loop& loop, const IssuerConfig& provider) {
  ProviderDocuments documents(loop, provider);
  for (const std::string& url : metadata_urls(provider.issuer)) {
    const Result<FetchedDocument> metadata = co_await documents.get(url);
    if (!metadata.has_value()) co_return std::unexpected(metadata.error());
    if (metadata->status == kNotFound) continue;
    if (metadata->status != kOk) {
      co_return std::unexpected(failure("the issuer's metadata is answered with status " +
                                        std::to_string(metadata->status)));
    }
    co_return read_metadata(metadata->body, provider);
  }
  co_return std::unexpected(failure("the issuer has no metadata; write \"jwks_url\""));
}

}  // namespace bartizan
