// Which certificates of clients a listener takes: whole handshakes, without a socket.
#include "gateway/net/client_authorities.h"

#include <openssl/ssl.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "gateway/net/listener.h"
#include "gateway/net/tls_session.h"
#include "tests/gateway/net/authority.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;
using Step = TlsSession::Step;

class ClientAuthorities : public testing::Test {
 protected:
  ClientAuthorities() {
    std::string name = (fs::temp_directory_path() / "bartizan-authorities-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    const MadeCertificate server = root_.issue({.names = "DNS:localhost", .usage = "serverAuth"});
    config_ = {
        .cert = write("server.pem", server.pem()),
        .key = {.kind = SecretReference::Kind::file, .name = write("server.key", server.key_pem())},
        .client_ca = write("clients.pem", root_.own().pem())};
  }
  ~ClientAuthorities() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, std::string_view text) {
    const fs::path file = folder_ / name;
    std::ofstream(file, std::ios::binary) << text;
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    return file;
  }
  void use_lists(const std::string& pem) { config_.client_crl = write("clients.crl", pem); }

  std::shared_ptr<asio::ssl::context> context() {
    auto made = make_server_tls(config_);
    EXPECT_TRUE(made.has_value()) << made.error().detail;
    return made.value_or(nullptr);
  }
  std::string refusal() {
    const auto made = make_server_tls(config_);
    return made.has_value() ? "" : made.error().detail;
  }

  /// Shakes hands with a client that shows this certificate; answers how that ends for the server.
  Result<Step> shake_hands(asio::ssl::context& server, const MadeCertificate* shown,
                           const std::vector<const MadeCertificate*>& above = {},
                           int client_version = TLS1_3_VERSION) {
    client_context_.emplace(asio::ssl::context::tls_client);
    SSL_CTX* const client = client_context_->native_handle();
    SSL_CTX_set_max_proto_version(client, client_version);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(client), root_.own().certificate.get());
    if (shown != nullptr) {
      SSL_CTX_use_certificate(client, shown->certificate.get());
      SSL_CTX_use_PrivateKey(client, shown->key.get());
      for (const MadeCertificate* one : above)
        SSL_CTX_add1_chain_cert(client, one->certificate.get());
    }
    server_.emplace(server.native_handle(), TlsSession::Side::server, Fault::client);
    client_.emplace(client, TlsSession::Side::client, Fault::server);
    EXPECT_TRUE(client_->expect_host("localhost"));
    Result<Step> ended = Step::needs_input;
    for (int round = 0; round < 6; ++round) {
      static_cast<void>(client_->handshake());
      carry(*client_, *server_);
      if (ended == Step::needs_input) ended = server_->handshake();
      carry(*server_, *client_);
    }
    return ended;
  }
  static void carry(TlsSession& from, TlsSession& to) {
    const std::string output = from.take_output();
    to.feed(output);
    to.keep_unread();
  }

  fs::path folder_;
  Authority root_{"root"};
  TlsConfig config_;
  std::optional<asio::ssl::context> client_context_;
  std::optional<TlsSession> server_, client_;
};

TEST_F(ClientAuthorities, AreBelievedAboutTheirOwnCertificatesOnly) {
  Authority between("between", root_);
  Authority stranger("stranger");
  Authority impostor("root");
  const MadeCertificate good = root_.issue();
  const MadeCertificate any = root_.issue({.usage = ""});
  const MadeCertificate both = root_.issue({.usage = "serverAuth,clientAuth"});
  const MadeCertificate nameless = root_.issue({.names = ""});
  const MadeCertificate of_server = root_.issue({.usage = "serverAuth"});
  const MadeCertificate expired = root_.issue({.begins = -120, .ends = -60});
  const MadeCertificate early = root_.issue({.begins = 60, .ends = 120});
  const MadeCertificate strange = stranger.issue();
  const MadeCertificate false_one = impostor.issue();
  const MadeCertificate indirect = between.issue();
  const MadeCertificate leaf = root_.issue();
  struct Row {
    std::string_view name;
    const MadeCertificate* shown;
    std::vector<const MadeCertificate*> above;
    std::size_t chain;     ///< Certificates that are known then.
    std::string_view why;  ///< A part of what is said; empty where it is let in.
  };
  const Row rows[] = {
      {"none", nullptr, {}, 0, ""},
      {"its own", &good, {}, 2, ""},
      {"for any purpose", &any, {}, 2, ""},
      {"for servers and clients", &both, {}, 2, ""},
      {"without a name: who that is others say", &nameless, {}, 2, ""},
      {"of an authority that it signed", &indirect, {&between.own()}, 3, ""},
      {"the same without that authority", &indirect, {}, 0, "unable to get local issuer"},
      {"for servers only", &of_server, {}, 0, "purpose"},
      {"expired", &expired, {}, 0, "expired"},
      {"of tomorrow", &early, {}, 0, "not yet valid"},
      {"of another authority", &strange, {}, 0, "unable to get local issuer"},
      {"with the other authority beside it", &strange, {&stranger.own()}, 0, "self-signed"},
      {"of an authority of the same name", &false_one, {}, 0, "signature"},
      {"signed by who is not an authority", &strange, {&leaf}, 0, "unable to get local issuer"},
  };
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const auto server = context();
    for (const Row& row : rows) {
      SCOPED_TRACE(row.name);
      const Result<Step> ended = shake_hands(*server, row.shown, row.above, version);
      ASSERT_EQ(ended.has_value(), row.why.empty());
      if (!ended.has_value()) {
        EXPECT_EQ(ended.error().code, ErrorCode::credentials_bad) << ended.error().detail;
        EXPECT_TRUE(ended.error().detail.contains(row.why)) << ended.error().detail;
        continue;
      }
      EXPECT_EQ(*ended, Step::done);
      const auto chain = server_->verified_chain();
      EXPECT_EQ(chain.size(), row.chain);
      if (row.shown != nullptr) EXPECT_EQ(chain.front(), row.shown->der());
    }
  }
}

TEST_F(ClientAuthorities, AskForNothingUnlessTheyAreNamed) {
  config_.client_ca.clear();
  const MadeCertificate good = root_.issue();
  const auto server = context();
  EXPECT_EQ(shake_hands(*server, &good), Step::done);
  EXPECT_TRUE(server_->verified_chain().empty());
}

TEST_F(ClientAuthorities, AreBelievedByThemselvesWhereOnlyTheyAreNamed) {
  Authority between("between", root_);
  config_.client_ca = write("clients.pem", between.own().pem());
  const MadeCertificate good = between.issue();
  const MadeCertificate of_root = root_.issue();
  const auto server = context();
  EXPECT_EQ(shake_hands(*server, &good), Step::done);
  EXPECT_EQ(server_->verified_chain().size(), 2U);
  EXPECT_FALSE(shake_hands(*server, &of_root).has_value());
  EXPECT_FALSE(shake_hands(*server, &of_root, {&root_.own()}).has_value());
}

TEST_F(ClientAuthorities, RevokeWhatIsOnTheirLists) {
  Authority between("between", root_);
  const MadeCertificate good = root_.issue();
  const MadeCertificate bad = root_.issue();
  const MadeCertificate indirect = between.issue();
  const MadeCertificate indirect_bad = between.issue();
  const std::array<const MadeCertificate*, 1> of_root{&bad};
  const std::array<const MadeCertificate*, 1> of_between{&indirect_bad};
  const std::array<const MadeCertificate*, 1> the_authority{&between.own()};
  const std::string roots = root_.revoke(of_root);
  const std::string betweens = between.revoke(of_between);
  Authority impostor("root");
  const struct {
    std::string_view name;
    std::string lists;
    const MadeCertificate* shown;
    const MadeCertificate* above;
    std::string_view why;
  } rows[] = {
      {"not on the list", roots, &good, nullptr, ""},
      {"on the list", roots, &bad, nullptr, "revoked"},
      {"no certificate at all", roots, nullptr, nullptr, ""},
      {"an empty list", root_.revoke({}), &bad, nullptr, ""},
      {"a list that is over", root_.revoke({}, -60), &good, nullptr, "expired"},
      {"a list of somebody else of that name", impostor.revoke({}), &good, nullptr, "CRL"},
      {"only the list of another authority", betweens, &good, nullptr, "CRL"},
      {"below: not on the list", betweens, &indirect, &between.own(), ""},
      {"below: on the list", betweens, &indirect_bad, &between.own(), "revoked"},
      {"below: no list of its authority", roots, &indirect, &between.own(), "CRL"},
      {"below: both lists", roots + betweens, &indirect, &between.own(), ""},
      {"below: an authority that is revoked", root_.revoke(the_authority) + betweens, &indirect,
       &between.own(), "revoked"},
      {"below: the list above is over", root_.revoke({}, -60) + betweens, &indirect, &between.own(),
       "expired"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    use_lists(row.lists);
    const auto server = context();
    const std::vector<const MadeCertificate*> above(row.above == nullptr ? 0 : 1, row.above);
    const Result<Step> ended = shake_hands(*server, row.shown, above);
    ASSERT_EQ(ended.has_value(), row.why.empty());
    if (!ended.has_value()) {
      EXPECT_TRUE(ended.error().detail.contains(row.why)) << ended.error().detail;
    }
  }
}

TEST_F(ClientAuthorities, JudgeAnOpenSessionAnew) {
  const MadeCertificate good = root_.issue();
  const MadeCertificate bad = root_.issue();
  const auto before = context();
  const std::array<const MadeCertificate*, 1> revoked{&bad};
  use_lists(root_.revoke(revoked));
  const auto after = context();
  Authority other("other");
  config_.client_crl.clear();
  config_.client_ca = write("clients.pem", other.own().pem());
  const auto elsewhere = context();
  for (const MadeCertificate* shown : {&good, &bad}) {
    ASSERT_EQ(shake_hands(*before, shown), Step::done);
    EXPECT_TRUE(server_->verify_client_by(before->native_handle()).has_value());
    const Result<void> judged = server_->verify_client_by(after->native_handle());
    EXPECT_EQ(judged.has_value(), shown == &good);
    if (!judged.has_value()) EXPECT_TRUE(judged.error().detail.contains("revoked"));
    EXPECT_FALSE(server_->verify_client_by(elsewhere->native_handle()).has_value());
  }
  ASSERT_EQ(shake_hands(*before, nullptr), Step::done);
  EXPECT_FALSE(server_->verify_client_by(after->native_handle()).has_value())
      << "nothing was shown that it could take";
}

// A session that is resumed verifies no certificate, so none may be.
TEST_F(ClientAuthorities, GiveOutNothingToResumeASessionBy) {
  const MadeCertificate good = root_.issue();
  const auto asked = context();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ASSERT_EQ(shake_hands(*asked, &good, {}, version), Step::done);
    EXPECT_EQ(SSL_CTX_sess_number(asked->native_handle()), 0);
    EXPECT_EQ(SSL_CTX_get_num_tickets(asked->native_handle()), 0U);
    EXPECT_NE(SSL_CTX_get_options(asked->native_handle()) & SSL_OP_NO_TICKET, 0U);
  }
}

TEST_F(ClientAuthorities, SpeakTheVersionsThatAreAskedFor) {
  for (const bool is_1_3_only : {false, true}) {
    config_.is_1_3_only = is_1_3_only;
    const auto server = context();
    EXPECT_EQ(shake_hands(*server, nullptr, {}, TLS1_3_VERSION), Step::done);
    const Result<Step> older = shake_hands(*server, nullptr, {}, TLS1_2_VERSION);
    EXPECT_EQ(older.has_value(), !is_1_3_only);
    if (!older.has_value()) EXPECT_EQ(older.error().code, ErrorCode::io_failed);
  }
}

TEST_F(ClientAuthorities, SayWhichFileCannotBeUsed) {
  const std::string authority = root_.own().pem();
  const std::string list = root_.revoke({});
  const MadeCertificate leaf = root_.issue();
  const struct {
    std::string_view name;
    std::optional<std::string> authorities, lists;
    std::string_view want;
  } rows[] = {
      {"both", authority, list, ""},
      {"comments around it", "root\n" + authority + "\n# end\n", list, ""},
      {"authority and list in one file", list + authority, authority + list, ""},
      {"no file", std::nullopt, list, "it cannot be read"},
      {"an empty file", "", list, "there is no certificate in it"},
      {"a list in its place", list, list, "there is no certificate in it"},
      {"cut short", authority.substr(0, authority.size() / 2), list, "cannot be read"},
      {"the second one cut short", authority + authority.substr(0, 300), list, "cannot be read"},
      {"no authority's", leaf.pem(), list, "a certificate in it is not one of an authority"},
      {"no file of lists", authority, std::nullopt, "it cannot be read"},
      {"an empty file of lists", authority, "", "there is no revocation list in it"},
      {"a list cut short", authority, list.substr(0, list.size() / 2), "cannot be read"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto file = [this](const std::string& name, const std::optional<std::string>& text) {
      return text.has_value() ? write(name, *text) : (folder_ / "absent.pem").string();
    };
    config_.client_ca = file("ca.pem", row.authorities);
    config_.client_crl = file("crl.pem", row.lists);
    const std::string said = refusal();
    EXPECT_EQ(said.empty(), row.want.empty()) << said;
    EXPECT_TRUE(said.contains(row.want)) << said;
    const bool is_about_lists = row.lists != list;
    if (!said.empty()) {
      EXPECT_TRUE(said.starts_with(is_about_lists ? "client_crl \"" : "client_ca \"")) << said;
    }
  }
}

TEST_F(ClientAuthorities, SayWhichListIsOver) {
  Authority other("other");
  const std::int64_t now = std::time(nullptr);
  EXPECT_EQ(find_list_that_is_over(config_, now), "") << "there is none";
  use_lists(root_.revoke({}, 3600) + other.revoke({}, 600));
  EXPECT_EQ(find_list_that_is_over(config_, now), "");
  EXPECT_EQ(
      find_list_that_is_over(config_, now + 1200),
      "the revocation list of /CN=other in client_crl \"" + config_.client_crl + "\" is over");
  EXPECT_TRUE(find_list_that_is_over(config_, now + 7200).contains("/CN=root"));
  use_lists("nonsense");
  EXPECT_EQ(find_list_that_is_over(config_, now), "") << "which opening says";
}

TEST_F(ClientAuthorities, AreReadAgainWhenAFileOrASettingChanges) {
  Authority other("other");
  use_lists(root_.revoke({}));
  const TlsFiles first = digest_tls_files(config_);
  EXPECT_EQ(digest_tls_files(config_), first);
  const auto differs = [&](std::string_view what) {
    EXPECT_NE(digest_tls_files(config_), first) << what;
  };
  config_.is_1_3_only = true;
  differs("the version");
  config_.is_1_3_only = false;
  write("clients.pem", other.own().pem());
  differs("the authorities");
  write("clients.pem", root_.own().pem());
  write("clients.crl", root_.revoke({}, 7200));
  differs("the lists");
  config_.client_crl.clear();
  differs("without lists");
  config_.client_ca.clear();
  differs("without authorities");
}

}  // namespace
}  // namespace bartizan
