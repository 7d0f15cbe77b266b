#include "gateway/identity/fetch_issuer_keys.h"

#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/identity/provider_documents.h"

namespace bartizan {
namespace {

constexpr int kOk = 200;

Error failure(std::string detail) {
  return {ErrorCode::server_failed, Fault::server, std::move(detail)};
}

Result<FetchedKeys> read_keys(std::string_view text) {
  Result<JwkSet> set = read_jwk_set(Bytes(text));
  if (!set.has_value()) return std::unexpected(std::move(set.error()));
  return FetchedKeys{*std::move(set), Digester().sha256(text)};
}

/// Keys in a file change with the file. It is read whenever an issuer's server would be asked.
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
  std::string url = issuer.jwks_url;
  if (url.empty()) {
    Result<ProviderMetadata> metadata = co_await fetch_provider_metadata(loop, issuer);
    if (!metadata.has_value()) co_return std::unexpected(metadata.error());
    url = std::move(metadata->jwks_url);
    if (url.empty()) {
      co_return std::unexpected(failure("the issuer's metadata has no \"jwks_uri\""));
    }
  }
  ProviderDocuments documents(loop, issuer);
  const Result<FetchedDocument> keys = co_await documents.get(url);
  if (!keys.has_value()) co_return std::unexpected(keys.error());
  if (keys->status != kOk) {
    co_return std::unexpected(
        failure("the issuer's keys are answered with status " + std::to_string(keys->status)));
  }
  co_return read_keys(keys->body);
}

}  // namespace bartizan
