#include "gateway/identity/fetch_issuer_keys.h"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/parse_host_port.h"
#include "gateway/http/fetch_document.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

constexpr JsonLimits kMetadataLimits{.bytes_max = std::size_t{64} << 10, .values_max = 4096};
/// Of one document.
constexpr std::chrono::seconds kDeadline{5};
constexpr int kOk = 200;
constexpr int kNotFound = 404;

Error failure(std::string detail) {
  return {ErrorCode::server_failed, Fault::server, std::move(detail)};
}

/// What the issuer's server has at a URL.
class IssuerDocuments {
 public:
  IssuerDocuments(Loop& loop, const IssuerConfig& issuer) : loop_(&loop), issuer_(&issuer) {}

  Result<void> open() {
    auto tls = make_client_tls(issuer_->ca_file);
    if (!tls.has_value()) return std::unexpected(tls.error());
    tls_ = *std::move(tls);
    return {};
  }

  Task<Result<FetchedDocument>> get(std::string url) const {
    if (!is_safe_url(url)) {
      co_return std::unexpected(failure("a URL of the issuer is neither https:// nor local"));
    }
    Result<ServerUrl> target = parse_server_url(url);
    if (!target.has_value()) co_return std::unexpected(failure("a URL of the issuer is none"));
    using Addresses = ServerUrl::Addresses;
    target->addresses = issuer_->private_networks ? Addresses::any : Addresses::global;
    co_return co_await fetch_document(
        *loop_, tls_,
        {.url = *std::move(target), .bytes_max = kKeySetBytesMax, .deadline = kDeadline});
  }

 private:
  Loop* loop_;
  const IssuerConfig* issuer_;
  std::shared_ptr<asio::ssl::context> tls_;
};

/// Where an issuer may describe itself, in the order of asking.
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

Result<std::string> read_jwks_uri(std::string_view text, const IssuerConfig& issuer) {
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kMetadataLimits);
  if (!root.has_value()) return std::unexpected(failure("the issuer's metadata is no strict JSON"));
  if (root->find("issuer").text() != issuer.issuer) {
    return std::unexpected(failure("the issuer's metadata is that of another issuer"));
  }
  std::string uri(root->find("jwks_uri").text());
  if (uri.empty()) return std::unexpected(failure("the issuer's metadata has no \"jwks_uri\""));
  return uri;
}

Task<Result<std::string>> find_jwks_uri(const IssuerDocuments& documents,
                                        const IssuerConfig& issuer) {
  for (const std::string& url : metadata_urls(issuer.issuer)) {
    const Result<FetchedDocument> metadata = co_await documents.get(url);
    if (!metadata.has_value()) co_return std::unexpected(metadata.error());
    if (metadata->status == kNotFound) continue;
    if (metadata->status != kOk) {
      co_return std::unexpected(failure("the issuer's metadata is answered with status " +
                                        std::to_string(metadata->status)));
    }
    co_return read_jwks_uri(metadata->body, issuer);
  }
  co_return std::unexpected(failure("the issuer has no metadata; write \"jwks_url\""));
}

Result<FetchedKeys> read_keys(std::string_view text) {
  Result<JwkSet> set = read_jwk_set(Bytes(text));
  if (!set.has_value()) return std::unexpected(std::move(set.error()));
  return FetchedKeys{*std::move(set), Digester().sha256(text)};
}

/// Keys of a file change with the file: it is read whenever an issuer's server would be asked.
Result<FetchedKeys> read_key_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(ErrorCode::io_failed, Fault::gateway, "the file \"" + path + "\" cannot be read");
  }
  std::string text(kKeySetBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return read_keys(text);
}

}  // namespace

Task<Result<FetchedKeys>> fetch_issuer_keys(Loop& loop, IssuerConfig issuer) {
  if (!issuer.jwks_file.empty()) co_return read_key_file(issuer.jwks_file);
  IssuerDocuments documents(loop, issuer);
  const Result<void> opened = documents.open();
  if (!opened.has_value()) co_return std::unexpected(opened.error());
  std::string url = issuer.jwks_url;
  if (url.empty()) {
    Result<std::string> found = co_await find_jwks_uri(documents, issuer);
    if (!found.has_value()) co_return std::unexpected(found.error());
    url = *std::move(found);
  }
  const Result<FetchedDocument> keys = co_await documents.get(url);
  if (!keys.has_value()) co_return std::unexpected(keys.error());
  if (keys->status != kOk) {
    co_return std::unexpected(
        failure("the issuer's keys are answered with status " + std::to_string(keys->status)));
  }
  co_return read_keys(keys->body);
}

}  // namespace bartizan
