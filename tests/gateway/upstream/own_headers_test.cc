#include "gateway/upstream/own_headers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace bartizan {
namespace {

SecretReference variable(std::string name, const char* value) {
  ::setenv(name.c_str(), value, 1);  // NOLINT(concurrency-mt-unsafe)
  return {.kind = SecretReference::Kind::environment, .name = std::move(name)};
}

std::string told(const Result<std::vector<OwnHeader>>& headers) {
  if (!headers.has_value()) return headers.error().detail;
  std::string all;
  for (const OwnHeader& header : *headers) {
    all += header.name + ": ";
    all.append(header.value.view()).append("\n");
  }
  return all;
}

TEST(OwnHeaders, AreCredentialsAndWhatIsConfigured) {
  ServerConfig server;
  EXPECT_EQ(told(read_own_headers(server)), "");
  server.headers = {{.name = "X-Key", .value = {}, .secret = variable("OWN_KEY", "k\n")},
                    {.name = "X-Org", .value = "acme"}};
  EXPECT_EQ(told(read_own_headers(server)), "X-Key: k\nX-Org: acme\n");
  server.bearer = variable("OWN_TOKEN", "t0ken");
  EXPECT_EQ(told(read_own_headers(server)), "Authorization: Bearer t0ken\nX-Key: k\nX-Org: acme\n");
}

// Source: RFC 7617 §2, whose own example this is.
TEST(OwnHeaders, ProveAUserByItsPassword) {
  const ServerConfig server{.user = "Aladdin", .password = variable("OWN_PASSWORD", "open sesame")};
  EXPECT_EQ(told(read_own_headers(server)), "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\n");
}

TEST(OwnHeaders, RefuseASecretThatWouldEndItsLine) {
  for (const char* value : {"a\r\nX-B: c", "a\n\n", " a", "a\x7F"}) {
    ServerConfig server;
    server.headers = {{.name = "X-Key", .value = {}, .secret = variable("OWN_BAD", value)}};
    EXPECT_EQ(told(read_own_headers(server)),
              "the secret for the header X-Key holds a control character, or begins or ends with "
              "a blank");
    server.headers.clear();
    server.bearer = variable("OWN_BAD", value);
    EXPECT_EQ(told(read_own_headers(server)),
              "the secret for the header Authorization holds a control character, or begins or "
              "ends with a blank");
  }
}

}  // namespace
}  // namespace bartizan
