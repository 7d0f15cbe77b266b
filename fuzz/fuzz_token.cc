#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/token/base64url.h"
#include "gateway/token/jwk_set.h"
#include "gateway/token/signed_token.h"
#include "gateway/token/verify_signature.h"

/// The bytes are a token, or a key set. One that is accepted keeps the promises of its header; a
/// token has one spelling; no key verifies what nobody signed.

namespace {

using namespace bartizan;

/// Whether another text in the place of the last letter stands for the same bytes.
bool has_other_spelling(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=";
  const auto bytes = decode_base64url(text);
  if (!bytes.has_value() || text.empty()) return false;
  std::string other(text);
  for (const char letter : kAlphabet) {
    other.back() = letter;
    if (letter != text.back() && decode_base64url(other) == bytes) return true;
  }
  return false;
}

void check_token(std::string_view text) {
  const auto jws = read_compact_jws(text);
  const auto token = SignedToken::read(text);
  // The claims are read behind the rest, so the one refuses what the other refuses, and alike.
  if (!jws) {
    require(!token && token.error() == jws.error());
    return;
  }
  require(text.size() <= kTokenBytesMax && !jws->signature.empty());
  require(text.starts_with(jws->signing_input));
  require(text.find_first_of("=+/ \t\r\n") == std::string_view::npos);
  const std::string_view signature = text.substr(jws->signing_input.size() + 1);
  require(decode_base64url(signature) == jws->signature && !has_other_spelling(signature));
  if (jws->header.key_id.has_value()) require(jws->header.key_id->size() <= kKeyIdBytesMax);
  if (!token) return;
  require(token->claims().is(JsonType::object));
  for (const char byte : token->issuer())
    require(static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f);
}

void check_keys(std::string_view text) {
  const auto set = read_jwk_set(Bytes(text));
  if (!set) {
    require(set.error().fault == Fault::server);
    return;
  }
  std::size_t all = set->keys.size();
  for (const std::uint32_t count : set->left_out)
    all += count;
  require(all <= kKeySetKeysMax);
  for (const IssuerKey& key : set->keys) {
    if (key.algorithm.has_value()) require(key.fits(*key.algorithm));
    for (std::size_t i = 0; i < kSignatureAlgorithms; ++i) {
      const auto algorithm = static_cast<SignatureAlgorithm>(i);
      // Of each length that a signature can have; none of them signs it.
      for (const unsigned size : {64U, 96U, 132U, 256U, 384U, 512U})
        require(!key.key.verify(algorithm, "nobody signed this", std::string(size, '\x01')));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('{')) {
    check_keys(bytes);
  } else {
    check_token(bytes);
  }
  return 0;
}
