#include "gateway/identity/introspection.h"

#include <utility>

#include "audit/digest.h"
#include "gateway/http/write_form.h"
#include "gateway/identity/client_proof.h"
#include "gateway/identity/provider_documents.h"
#include "gateway/runtime/random.h"
#include "gateway/token/base64url.h"

namespace bartizan {
namespace {

constexpr int kOk = 200;
constexpr JsonLimits kLimits{.bytes_max = std::size_t{64} << 10, .values_max = 4096};

std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::server_failed, Fault::server, std::move(detail));
}

std::string new_id() {
  Random random;
  const auto bytes = random.draw<16>();
  return encode_base64url({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<IntrospectionAnswer> read_answer(const FetchedDocument& document) {
  if (document.status != kOk) {
    return refuse("the issuer answers questions about tokens with status " +
                  std::to_string(document.status));
  }
  IntrospectionAnswer answer{.json = Bytes(document.body)};
  JsonDocument json;
  const Result<JsonValue> root = json.read(answer.json, kLimits);
  const auto active = root.has_value() ? root->find("active").boolean() : std::nullopt;
  if (!active.has_value()) {
    return refuse("the issuer's answer about a token is not strict JSON with \"active\"");
  }
  answer.is_active = *active;
  if (!answer.is_active) answer.json = {};
  return answer;
}

/// Counts one more question while it lives.
class Asked {
 public:
  explicit Asked(std::atomic<int>& count) : count_(count), number_(++count) {}
  ~Asked() { --count_; }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  int number() const { return number_; }

 private:
  std::atomic<int>& count_;
  int number_;
};

}  // namespace

Task<Result<IntrospectionAnswer>> Introspection::ask(Loop& loop, std::string token,
                                                     std::int64_t now) {
  return ask_issuer(shared_from_this(), loop, std::move(token), now);
}

Task<Result<std::string>> Introspection::find_url(Loop& loop) {
  if (!issuer_.introspection->url.empty()) co_return issuer_.introspection->url;
  {
    const std::lock_guard lock(mutex_);
    if (!url_.empty()) co_return url_;
  }
  Result<ProviderMetadata> metadata = co_await fetch_provider_metadata(loop, issuer_);
  if (!metadata.has_value()) co_return std::unexpected(metadata.error());
  if (metadata->introspection_url.empty()) {
    co_return refuse("the issuer's metadata has no \"introspection_endpoint\"");
  }
  const std::lock_guard lock(mutex_);
  url_ = std::move(metadata->introspection_url);
  co_return url_;
}

Task<Result<IntrospectionAnswer>> Introspection::ask_issuer(std::shared_ptr<Introspection> self,
                                                            Loop& loop, std::string token,
                                                            std::int64_t now) {
  const Asked asked(self->asked_);
  if (asked.number() > kAskedMax) {
    co_return fail(ErrorCode::overloaded, Fault::gateway,
                   "as many questions about tokens are on their way to the issuer as may be");
  }
  const Result<std::string> url = co_await self->find_url(loop);
  if (!url.has_value()) co_return std::unexpected(url.error());
  std::string form;
  append_field(form, "token", token);
  append_field(form, "token_type_hint", "access_token");
  const Result<ProvedForm> proved = prove_client(
      self->issuer_.introspection->client, std::move(form), self->issuer_.issuer, now, new_id());
  if (!proved.has_value()) co_return std::unexpected(proved.error());
  ProviderDocuments documents(loop, self->issuer_);
  const Result<FetchedDocument> document =
      co_await documents.post(*url, proved->form, proved->authorization);
  if (!document.has_value()) co_return std::unexpected(document.error());
  co_return read_answer(*document);
}

}  // namespace bartizan
