// Access tokens: what a request costs whose token was shown on the same connection before, on
// another one, and never.
#include <benchmark/benchmark.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/client/remembered_proof.h"
#include "gateway/identity/bearer_token.h"
#include "gateway/identity/issuer_verifier.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/runtime/loop.h"
#include "gateway/token/base64url.h"
#include "gateway/token/sign_assertion.h"

namespace bartizan {
namespace {

constexpr std::size_t kTokenBytes = 1024;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};

std::string coordinate(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  EVP_PKEY_get_bn_param(key, name, &number);
  std::string bytes(32, '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), 32);
  BN_free(number);
  return encode_base64url(bytes);
}

/// An issuer with a key in a file, its verifier, and a token of it of a kibibyte.
class Issued {
 public:
  Issued() {
    // Lines of the log would stand between those of the JSON that Google Benchmark writes.
    static std::once_flag once;
    std::call_once(once, [] { start_log(LogConfig::Level::error); });
    const std::unique_ptr<EVP_PKEY, Free> key(EVP_EC_gen("P-256"));
    const std::unique_ptr<BIO, Free> pem(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(pem.get(), &bytes);
    std::ofstream(file_) << R"({"keys":[{"kty":"EC","crv":"P-256","kid":"k1","x":")"
                         << coordinate(key.get(), "qx") << R"(","y":")"
                         << coordinate(key.get(), "qy") << R"("}]})";
    const std::string claims =
        R"({"iss":"https://issuer.bench","aud":"bench","sub":"u1","scope":"read","exp":)" +
        std::to_string(seconds_now() + 3600) + R"(,"pad":")" + std::string(560, 'x') + "\"}";
    token_ = sign_assertion({bytes, static_cast<std::size_t>(size)}, "k1", claims).value();
    if (token_.size() > kTokenBytes) std::abort();
    authorization_ = "Bearer " + token_;
    const IssuerConfig issuer{.name = "bench",
                              .issuer = "https://issuer.bench",
                              .audiences = {"bench"},
                              .jwks_file = file_};
    verifier_ = std::make_unique<IssuerVerifier>(std::vector<IssuerConfig>{issuer}, parts_);
    // The first one waits for the keys.
    spawn(loop_, [](Loop& loop, Issued& self) -> Task<void> {
      const Verification proved =
          co_await self.verifier_->verify(loop, self.credentials(), seconds_now());
      if (!proved.has_value()) std::abort();
      self.proved_ = *proved;
      loop.stop();
    }(loop_, *this));
    loop_.run();
  }
  ~Issued() { std::filesystem::remove(file_); }
  Issued(const Issued&) = delete;
  Issued& operator=(const Issued&) = delete;

  Credentials credentials() const { return {.authorization = authorization_, .endpoint = ""}; }
  Task<Verification> verify() { return verifier_->verify(loop_, credentials(), seconds_now()); }
  /// Has its signature verified again.
  void forget() {
    const Hash& digest = proved_.credential.digest;
    const std::string_view signature =
        std::string_view(token_).substr(revocable_part(token_).size());
    const std::array<std::string_view, 4> shown{
        std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()), signature,
        "\n", ""};
    parts_.proved_tokens->forget(Digester().sha256(shown));
  }
  const Proved& proved() const { return proved_; }

 private:
  std::string file_ =
      (std::filesystem::temp_directory_path() / "bartizan-bench-keys.json").string();
  Loop loop_{0};
  VerifierParts parts_;
  std::unique_ptr<IssuerVerifier> verifier_;
  std::string token_;
  std::string authorization_;
  Proved proved_;
};

/// On the connection where it was shown before.
void remembered(benchmark::State& state) {
  Issued issued;
  LivingPrincipals living;
  const auto snapshot = std::make_shared<const Snapshot>(
      Snapshot{.config = {},
               .policy = nullptr,
               .authenticator = Authenticator(std::vector<VerifierPtr>(), nullptr, living)});
  Authenticated caller{.principal = std::make_shared<const Principal>(),
                       .proof = issued.proved().proof,
                       .credential = issued.proved().credential,
                       .token = issued.proved().token};
  caller.credential.endpoint = "";
  RememberedProof proof;
  const RememberedProof::Moment moment{.now = seconds_now()};
  proof.keep(issued.credentials(), snapshot, caller, moment);
  if (proof.find(issued.credentials(), snapshot, moment) == nullptr) std::abort();
  while (state.KeepRunning()) {
    // A request has its own copy of the answer.
    Authenticated known = *proof.find(issued.credentials(), snapshot, moment);
    benchmark::DoNotOptimize(known);
  }
}

/// On another connection, while it is remembered as proved.
void known_elsewhere(benchmark::State& state) {
  Issued issued;
  while (state.KeepRunning()) {
    Task<Verification> verified = issued.verify();
    if (!verified.is_ready()) std::abort();
    benchmark::DoNotOptimize(verified.value());
  }
}

/// For the first time: its signature is verified.
void never_seen(benchmark::State& state) {
  Issued issued;
  while (state.KeepRunning()) {
    state.PauseTiming();
    issued.forget();
    state.ResumeTiming();
    Task<Verification> verified = issued.verify();
    if (!verified.is_ready()) std::abort();
    benchmark::DoNotOptimize(verified.value());
  }
}

}  // namespace

BENCHMARK(remembered)->Name("token_1k_same_connection_ns");
BENCHMARK(known_elsewhere)->Name("token_1k_other_connection_ns");
BENCHMARK(never_seen)->Name("token_1k_first_time_ns");

}  // namespace bartizan
