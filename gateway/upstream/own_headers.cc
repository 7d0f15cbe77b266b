#include "gateway/upstream/own_headers.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <string>
#include <string_view>
#include <utility>

#include "config/load/load_config.h"
#include "config/server_header.h"

namespace bartizan {
namespace {

/// Text that holds a secret for a moment.
class Passing {
 public:
  explicit Passing(std::size_t size) { text_.reserve(size); }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;
  ~Passing() { wipe(text_.data(), text_.size()); }

  Passing& add(std::string_view more) {
    text_.append(more);
    return *this;
  }
  std::string& text() { return text_; }

 private:
  std::string text_;
};

SecretText joined(std::string_view scheme, std::string_view credential) {
  Passing whole(scheme.size() + credential.size());
  return SecretText(whole.add(scheme).add(credential).text());
}

SecretText basic(std::string_view user, std::string_view password) {
  Passing pair(user.size() + password.size() + 1);
  pair.add(user).add(":").add(password);
  const std::string& plain = pair.text();
  Passing encoded(4 * ((plain.size() + 2) / 3) + 1);
  encoded.text().resize(4 * ((plain.size() + 2) / 3) + 1);  // It ends with a NUL.
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.text().data()),
                                   reinterpret_cast<const unsigned char*>(plain.data()),
                                   static_cast<int>(plain.size()));
  return joined("Basic ",
                std::string_view(encoded.text()).substr(0, static_cast<std::size_t>(size)));
}

Result<SecretText> read_value(const SecretReference& reference, std::string_view header) {
  Result<SecretText> secret = read_secret(reference);
  if (!secret.has_value() || is_header_value(secret->view())) return secret;
  return fail(ErrorCode::config_invalid, Fault::gateway,
              fmt::format("the secret for the header {} holds a control character, or begins or "
                          "ends with a blank",
                          header));
}

}  // namespace

Result<std::vector<OwnHeader>> read_own_headers(const ServerConfig& config) {
  constexpr std::string_view kAuthorization = "Authorization";
  std::vector<OwnHeader> headers;
  if (config.bearer.kind != SecretReference::Kind::none) {
    const Result<SecretText> token = read_value(config.bearer, kAuthorization);
    if (!token.has_value()) return std::unexpected(token.error());
    headers.push_back({std::string(kAuthorization), joined("Bearer ", token->view())});
  } else if (config.password.kind != SecretReference::Kind::none) {
    const Result<SecretText> password = read_secret(config.password);
    if (!password.has_value()) return std::unexpected(password.error());
    headers.push_back({std::string(kAuthorization), basic(config.user, password->view())});
  }
  for (const ServerHeader& header : config.headers) {
    if (header.secret.kind == SecretReference::Kind::none) {
      headers.push_back({header.name, SecretText(header.value)});
      continue;
    }
    Result<SecretText> value = read_value(header.secret, header.name);
    if (!value.has_value()) return std::unexpected(value.error());
    headers.push_back({header.name, std::move(*value)});
  }
  return headers;
}

}  // namespace bartizan
