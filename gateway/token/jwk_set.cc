#include "gateway/token/jwk_set.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gateway/token/base64url.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr JsonLimits kLimits{.bytes_max = kKeySetBytesMax, .values_max = 16'384, .depth_max = 16};

template <class T>
using Read = std::expected<T, KeyDefect>;

/// The bytes of a number in a member of a key.
Read<std::string> read_bytes(JsonValue key, std::string_view member) {
  const JsonValue value = key.find(member);
  if (!value.is(JsonType::string)) return std::unexpected(KeyDefect::no_object);
  auto bytes = decode_base64url(value.text());
  if (!bytes.has_value()) return std::unexpected(KeyDefect::encoding);
  return *std::move(bytes);
}

Read<PublicKey> read_rsa(JsonValue key) {
  const auto modulus = read_bytes(key, "n");
  if (!modulus) return std::unexpected(modulus.error());
  const auto exponent = read_bytes(key, "e");
  if (!exponent) return std::unexpected(exponent.error());
  return PublicKey::make_rsa(*modulus, *exponent);
}

Read<PublicKey> read_ec(JsonValue key) {
  const std::string_view curve = key.find("crv").text();
  const bool is_known = curve == "P-256" || curve == "P-384" || curve == "P-521";
  if (!is_known) return std::unexpected(KeyDefect::curve_unknown);
  const auto x = read_bytes(key, "x");
  if (!x) return std::unexpected(x.error());
  const auto y = read_bytes(key, "y");
  if (!y) return std::unexpected(y.error());
  const KeyKind kind = curve == "P-256"   ? KeyKind::p256
                       : curve == "P-384" ? KeyKind::p384
                                          : KeyKind::p521;
  return PublicKey::make_ec(kind, *x, *y);
}

Read<PublicKey> read_okp(JsonValue key) {
  if (key.find("crv").text() != "Ed25519") return std::unexpected(KeyDefect::curve_unknown);
  const auto x = read_bytes(key, "x");
  if (!x) return std::unexpected(x.error());
  return PublicKey::make_ed25519(*x);
}

bool has_private_part(JsonValue key) {
  // For RSA also without `d`: with one prime, all are known.
  static constexpr std::array<std::string_view, 8> kPrivate{"d",  "p",  "q",   "dp",
                                                            "dq", "qi", "oth", "k"};
  return std::ranges::any_of(
      kPrivate, [&](std::string_view member) { return static_cast<bool>(key.find(member)); });
}

/// Checks the stated purpose of the key.
Read<void> check_purpose(JsonValue key) {
  const JsonValue use = key.find("use");
  if (use && use.text() != "sig") return std::unexpected(KeyDefect::use_other);
  const JsonValue operations = key.find("key_ops");
  const bool is_for_verifying =
      operations.is(JsonType::array) &&
      std::ranges::any_of(operations, [](JsonValue name) { return name.text() == "verify"; });
  if (operations && !is_for_verifying) return std::unexpected(KeyDefect::operations_other);
  return {};
}

Read<std::optional<std::string>> read_id(JsonValue key) {
  const JsonValue id = key.find("kid");
  if (!id) return std::nullopt;
  const bool is_sound = id.is(JsonType::string) && id.text().size() <= kKeyIdBytesMax &&
                        !has_control_character(id.text());
  if (!is_sound) return std::unexpected(KeyDefect::id_malformed);
  return std::string(id.text());
}

Read<std::optional<SignatureAlgorithm>> read_algorithm(JsonValue key) {
  const JsonValue name = key.find("alg");
  if (!name) return std::nullopt;
  const auto algorithm = find_algorithm(name.text());
  if (!algorithm.has_value()) return std::unexpected(KeyDefect::algorithm_unknown);
  return algorithm;
}

Read<PublicKey> read_numbers(JsonValue key) {
  const std::string_view kind = key.find("kty").text();
  if (kind == "RSA") return read_rsa(key);
  return kind == "EC" ? read_ec(key) : read_okp(key);
}

/// Checks the kind of the key, and that it is a public one.
Read<void> check_kind(JsonValue key) {
  const JsonValue kind = key.find("kty");
  if (!kind.is(JsonType::string)) return std::unexpected(KeyDefect::no_object);
  if (kind.text() == "oct") return std::unexpected(KeyDefect::symmetric);
  const bool is_known = kind.text() == "RSA" || kind.text() == "EC" || kind.text() == "OKP";
  if (!is_known) return std::unexpected(KeyDefect::kind_unknown);
  if (has_private_part(key)) return std::unexpected(KeyDefect::private_key);
  return {};
}

/// Numbers are checked last: a key for another purpose is not a mistake, whatever its numbers.
Read<IssuerKey> read_key(JsonValue key) {
  if (const auto kind = check_kind(key); !kind) return std::unexpected(kind.error());
  if (const auto purpose = check_purpose(key); !purpose) return std::unexpected(purpose.error());
  const auto algorithm = read_algorithm(key);
  if (!algorithm) return std::unexpected(algorithm.error());
  auto id = read_id(key);
  if (!id) return std::unexpected(id.error());
  auto numbers = read_numbers(key);
  if (!numbers) return std::unexpected(numbers.error());
  IssuerKey read{.key = *std::move(numbers), .id = *std::move(id), .algorithm = *algorithm};
  if (read.algorithm.has_value() && !read.fits(*read.algorithm)) {
    return std::unexpected(KeyDefect::algorithm_mismatch);
  }
  return read;
}

}  // namespace

Result<JwkSet> read_jwk_set(const Bytes& bytes) {
  JsonDocument document;
  const auto root = document.read(bytes, kLimits);
  if (!root) {
    std::string detail = "the key set is not strict JSON: ";
    detail.append(root.error().detail);
    return fail(root.error().code, Fault::server, std::move(detail), root.error().offset);
  }
  const JsonValue keys = root->find("keys");
  if (!keys.is(JsonType::array)) {
    return fail(ErrorCode::server_failed, Fault::server, "the key set has no list \"keys\"");
  }
  if (keys.size() > kKeySetKeysMax) {
    return fail(ErrorCode::server_failed, Fault::server, "the key set has more than 128 keys");
  }
  JwkSet set;
  for (const JsonValue value : keys) {
    auto key = read_key(value);
    if (key) {
      set.keys.push_back(*std::move(key));
    } else {
      ++set.left_out[static_cast<std::size_t>(key.error())];
    }
  }
  return set;
}

}  // namespace bartizan
