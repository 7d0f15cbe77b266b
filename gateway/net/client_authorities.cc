#include "gateway/net/client_authorities.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

namespace bartizan {
namespace {

/// The most bytes of a client's certificates: about ten of the largest in use.
constexpr long kChainBytesMax = 32L << 10;
/// Authorities between a certificate and the trusted one.
constexpr int kDepthMax = 6;

struct Free {
  void operator()(BIO* bytes) const { BIO_free(bytes); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
};

std::unexpected<Error> refuse(std::string_view key, const std::string& file, std::string_view why) {
  ERR_clear_error();
  std::string detail(key);
  detail.append(" \"").append(file).append("\" cannot be used: ").append(why);
  return fail(ErrorCode::config_invalid, Fault::client, std::move(detail));
}

/// Passes each entry of a PEM file to `add`, which returns the problem with it.
template <class Entry, class Read, class Add>
Result<int> read_entries(std::string_view key, const std::string& file, Read read, Add add) {
  ERR_clear_error();
  const std::unique_ptr<BIO, Free> bytes(BIO_new_file(file.c_str(), "r"));
  if (bytes == nullptr) return refuse(key, file, "it cannot be read");
  int count = 0;
  while (true) {
    const std::unique_ptr<Entry, Free> entry(read(bytes.get(), nullptr, nullptr, nullptr));
    if (entry == nullptr) break;
    const std::string_view problem = add(entry.get());
    if (!problem.empty()) return refuse(key, file, problem);
    ++count;
  }
  // OpenSSL reports the end of the file as a missing start line.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    return refuse(key, file, "an entry cannot be read");
  }
  ERR_clear_error();
  return count;
}

/// For higher authorities, revocation lists are optional.
int allow_missing_lists(int is_valid, X509_STORE_CTX* chain) {
  const bool is_missing = X509_STORE_CTX_get_error(chain) == X509_V_ERR_UNABLE_TO_GET_CRL;
  if (is_valid == 1 || !is_missing || X509_STORE_CTX_get_error_depth(chain) == 0) return is_valid;
  X509_STORE_CTX_set_error(chain, X509_V_OK);
  return 1;
}

Result<void> add_authorities(SSL_CTX* context, const std::string& file) {
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  const Result<int> count =
      read_entries<X509>("client_ca", file, PEM_read_bio_X509, [&](X509* certificate) {
        if (X509_check_ca(certificate) == 0)
          return "a certificate in it is not one of an authority";
        const bool is_added = X509_STORE_add_cert(store, certificate) == 1 &&
                              SSL_CTX_add_client_CA(context, certificate) == 1;
        return is_added ? "" : "a certificate in it cannot be used";
      });
  if (!count.has_value()) return std::unexpected(count.error());
  if (*count == 0) return refuse("client_ca", file, "there is no certificate in it");
  return {};
}

Result<void> add_lists(SSL_CTX* context, const std::string& file) {
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  const Result<int> count =
      read_entries<X509_CRL>("client_crl", file, PEM_read_bio_X509_CRL, [store](X509_CRL* list) {
        return X509_STORE_add_crl(store, list) == 1 ? "" : "a list in it cannot be used";
      });
  if (!count.has_value()) return std::unexpected(count.error());
  if (*count == 0) return refuse("client_crl", file, "there is no revocation list in it");
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  X509_STORE_set_verify_cb(store, allow_missing_lists);
  return {};
}

}  // namespace

Result<void> accept_client_certificates(SSL_CTX* context, const TlsConfig& config) {
  const Result<void> trusted = add_authorities(context, config.client_ca);
  if (!trusted.has_value()) return trusted;
  // An authority that another one signed is trusted itself, as the operator named it.
  X509_STORE_set_flags(SSL_CTX_get_cert_store(context), X509_V_FLAG_PARTIAL_CHAIN);
  if (!config.client_crl.empty()) {
    const Result<void> listed = add_lists(context, config.client_crl);
    if (!listed.has_value()) return listed;
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_verify_depth(context, kDepthMax);
  SSL_CTX_set_max_cert_list(context, kChainBytesMax);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  return {};
}

std::string find_list_that_is_over(const TlsConfig& config, std::int64_t now) {
  if (config.client_crl.empty()) return {};
  std::string found;
  auto time = static_cast<std::time_t>(now);
  const auto look = [&found, &time, &config](X509_CRL* list) {
    const ASN1_TIME* const ends = X509_CRL_get0_nextUpdate(list);
    if (!found.empty() || ends == nullptr || X509_cmp_time(ends, &time) >= 0) return "";
    std::array<char, 256> name{};
    X509_NAME_oneline(X509_CRL_get_issuer(list), name.data(), static_cast<int>(name.size()));
    found.append("the revocation list of ").append(name.data());
    found.append(" in client_crl \"").append(config.client_crl).append("\" is over");
    return "";
  };
  const Result<int> read =
      read_entries<X509_CRL>("client_crl", config.client_crl, PEM_read_bio_X509_CRL, look);
  return read.has_value() ? found : std::string();
}

}  // namespace bartizan
