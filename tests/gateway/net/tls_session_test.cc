#include "gateway/net/tls_session.h"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace bartizan {
namespace {

using Step = TlsSession::Step;

struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

void add_extension(X509* certificate, int kind, const char* value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
  ASSERT_NE(extension, nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

/// A client and a server with a certificate for `localhost`, `*.example.com`, `*x.example.org` and
/// 127.0.0.1, which the client trusts. What they say is carried by the test.
class TlsSessionTest : public testing::Test {
 protected:
  TlsSessionTest() {
    certificate_.reset(X509_new());
    X509_set_version(certificate_.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate_.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate_.get()), 3600);
    X509_set_pubkey(certificate_.get(), key_.get());
    X509_NAME* name = X509_get_subject_name(certificate_.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate_.get(), name);
    add_extension(certificate_.get(), NID_subject_alt_name,
                  "DNS:localhost,DNS:*.example.com,DNS:*x.example.org,IP:127.0.0.1");
    X509_sign(certificate_.get(), key_.get(), EVP_sha256());
    SSL_CTX_use_certificate(server_context_.get(), certificate_.get());
    SSL_CTX_use_PrivateKey(server_context_.get(), key_.get());
  }

  void trust() {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(client_context_.get()), certificate_.get());
  }
  void begin(const std::string& host = "localhost") {
    server_.emplace(server_context_.get(), TlsSession::Side::server, Fault::client);
    client_.emplace(client_context_.get(), TlsSession::Side::client, Fault::server);
    ASSERT_TRUE(client_->expect_host(host));
  }
  /// Carries what the one has to say to the other, `part` bytes at a time.
  static void carry(TlsSession& from, TlsSession& to) {
    const std::string output = from.take_output();
    to.feed(output);
    to.keep_unread();
  }
  /// The client's end of the handshake, after the server's.
  Result<Step> shake_hands() {
    Result<Step> client = Step::needs_input;
    for (int round = 0; round < 6 && client == Step::needs_input; ++round) {
      client = client_->handshake();
      carry(*client_, *server_);
      static_cast<void>(server_->handshake());
      carry(*server_, *client_);
    }
    return client;
  }
  void open() {
    trust();
    begin();
    ASSERT_EQ(shake_hands(), Step::done);
    ASSERT_EQ(server_->handshake(), Step::done);
  }

  std::unique_ptr<EVP_PKEY, Free> key_{EVP_EC_gen("P-256")};
  std::unique_ptr<X509, Free> certificate_;
  std::unique_ptr<SSL_CTX, Free> server_context_{SSL_CTX_new(TLS_server_method())};
  std::unique_ptr<SSL_CTX, Free> client_context_{SSL_CTX_new(TLS_client_method())};
  std::optional<TlsSession> server_;
  std::optional<TlsSession> client_;
};

TEST_F(TlsSessionTest, TakesNoCertificateOfAnotherName) {
  trust();
  const struct {
    std::string host;
    bool is_taken;
  } cases[] = {
      {"localhost", true},
      {"127.0.0.1", true},
      {"a.example.com", true},
      {"LOCALHOST", true},
      {"example.com", false},
      {"a.b.example.com", false},
      {"ax.example.org", false},  // A part of a label is no wildcard here.
      {"localhost.evil.test", false},
      {"127.0.0.2", false},
      {"::1", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.host);
    begin(c.host);
    const Result<Step> ended = shake_hands();
    EXPECT_EQ(ended.has_value(), c.is_taken);
    if (!ended.has_value()) {
      EXPECT_NE(ended.error().detail.find("certificate"), std::string::npos)
          << ended.error().detail;
    }
  }
}

TEST_F(TlsSessionTest, TakesNoCertificateThatNobodyTrusts) {
  begin();
  const Result<Step> ended = shake_hands();
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::io_failed);
  EXPECT_EQ(ended.error().fault, Fault::server);
}

TEST_F(TlsSessionTest, CarriesPiecesOfAnyLength) {
  open();
  const std::vector<std::vector<std::size_t>> cases = {
      {0},           {1},           {0, 1, 0},         {16384},        {16383, 1},
      {16383, 2},    {300, 65536},  {65536, 300},      {16384, 16384}, {81920},
      {1, 16384, 1}, {100, 0, 200}, {32769, 1, 32768},
  };
  char letter = 'a';
  for (const std::vector<std::size_t>& sizes : cases) {
    std::vector<std::string> texts;
    std::string all;
    for (const std::size_t size : sizes) {
      texts.emplace_back(size, letter);
      letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1);
      all += texts.back();
    }
    SCOPED_TRACE(all.size());
    const std::vector<std::string_view> pieces(texts.begin(), texts.end());
    ASSERT_TRUE(server_->encrypt(pieces).has_value());
    const std::string output = server_->take_output();
    // No more records than the bytes need, and a few bytes for each.
    EXPECT_LE(output.size(), all.size() + (all.size() / 16384 + 2) * 64);
    client_->feed(output);
    client_->keep_unread();
    std::string read;
    if (!all.empty()) ASSERT_EQ(client_->decrypt(read, 1 << 20), Step::done);
    EXPECT_EQ(read, all);
    // Tickets of the handshake are read with it, if nothing else is.
    EXPECT_EQ(client_->decrypt(read, 1), Step::needs_input);
    EXPECT_FALSE(client_->has_unread());
  }
}

TEST_F(TlsSessionTest, ReadsWhatComesByteByByte) {
  open();
  const std::string_view text = "a message";
  ASSERT_TRUE(client_->encrypt(std::span(&text, 1)).has_value());
  const std::string output = client_->take_output();
  std::string read;
  for (std::size_t i = 0; i < output.size(); ++i) {
    server_->feed(std::string_view(output).substr(i, 1));
    const Result<Step> step = server_->decrypt(read, 100);
    ASSERT_TRUE(step.has_value());
    EXPECT_EQ(*step == Step::done, i + 1 == output.size());
    server_->keep_unread();
  }
  EXPECT_EQ(read, text);
}

TEST_F(TlsSessionTest, KeepsWhatIsNotReadYet) {
  open();
  const std::string_view text = "0123456789";
  ASSERT_TRUE(client_->encrypt(std::span(&text, 1)).has_value());
  ASSERT_TRUE(client_->encrypt(std::span(&text, 1)).has_value());
  {
    const std::string output = client_->take_output();
    server_->feed(output);
    std::string read;
    ASSERT_EQ(server_->decrypt(read, 4), Step::done);
    EXPECT_EQ(read, "0123");
    server_->keep_unread();
  }
  EXPECT_TRUE(server_->has_unread());
  std::string read;
  ASSERT_EQ(server_->decrypt(read, 100), Step::done);
  EXPECT_EQ(read, "4567890123456789");
  EXPECT_FALSE(server_->has_unread());
}

TEST_F(TlsSessionTest, TellsTheEndFromACut) {
  open();
  const std::string_view text = "last";
  ASSERT_TRUE(client_->encrypt(std::span(&text, 1)).has_value());
  client_->say_end();
  carry(*client_, *server_);
  std::string read;
  ASSERT_EQ(server_->decrypt(read, 100), Step::done);
  EXPECT_EQ(read, "last");
  const Result<Step> ended = server_->decrypt(read, 100);
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::closed);
}

TEST_F(TlsSessionTest, SaysNoEndAfterABrokenMessage) {
  open();
  client_->break_off();
  client_->say_end();
  EXPECT_EQ(client_->output_size(), 0U);
}

TEST_F(TlsSessionTest, RefusesWhatWasChangedOnTheWay) {
  open();
  const std::string_view text = "a message";
  ASSERT_TRUE(client_->encrypt(std::span(&text, 1)).has_value());
  std::string output = client_->take_output();
  output.back() = static_cast<char>(output.back() ^ 1);
  server_->feed(output);
  std::string read;
  const Result<Step> step = server_->decrypt(read, 100);
  ASSERT_FALSE(step.has_value());
  EXPECT_EQ(step.error().code, ErrorCode::io_failed);
  EXPECT_EQ(step.error().fault, Fault::client);
  EXPECT_TRUE(read.empty());
}

TEST_F(TlsSessionTest, RefusesWhatIsNoTls) {
  begin();
  server_->feed("GET / HTTP/1.1\r\n\r\n");
  const Result<Step> step = server_->handshake();
  ASSERT_FALSE(step.has_value());
  EXPECT_EQ(step.error().code, ErrorCode::io_failed);
}

}  // namespace
}  // namespace bartizan
