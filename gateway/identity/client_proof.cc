#include "gateway/identity/client_proof.h"

#include <fmt/format.h>

#include "config/load/load_config.h"
#include "gateway/http/write_form.h"
#include "gateway/token/sign_assertion.h"
#include "schemas/json/json_text.h"
#include "schemas/message/header_value.h"

namespace bartizan {
namespace {

constexpr std::int64_t kAssertionLifetime = 60;

}  // namespace

Result<ProvedForm> prove_client(const ProviderClient& client, std::string form,
                                std::string_view audience, std::int64_t now,
                                std::string_view assertion_id) {
  ProvedForm proved{.form = std::move(form)};
  if (client.key.kind == SecretReference::Kind::none) {
    const Result<SecretText> secret = read_secret(client.secret);
    if (!secret.has_value()) return std::unexpected(secret.error());
    std::string pair = escape_form(client.id) + ":" + escape_form(secret->view());
    proved.authorization = "Basic " + encode_base64(pair);
    wipe(pair.data(), pair.size());
    return proved;
  }
  const Result<SecretText> key = read_secret(client.key);
  if (!key.has_value()) return std::unexpected(key.error());
  const std::string id = json_string(client.id);
  const Result<std::string> assertion = sign_assertion(
      key->view(), client.key_id,
      fmt::format(R"({{"iss":{},"sub":{},"aud":{},"jti":{},"iat":{},"exp":{}}})", id, id,
                  json_string(audience), json_string(assertion_id), now, now + kAssertionLifetime));
  if (!assertion.has_value()) return std::unexpected(assertion.error());
  append_field(proved.form, "client_id", client.id);
  append_field(proved.form, "client_assertion_type",
               "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  append_field(proved.form, "client_assertion", *assertion);
  return proved;
}

}  // namespace bartizan
