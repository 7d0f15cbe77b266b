#include "gateway/front_door/client_document.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

constexpr std::string_view kUrl = "https://app.example/client.json";

/// `name: uri uri`, or why it was refused.
std::string shown(const Result<DoorClient>& client) {
  if (!client.has_value()) return std::string(client.error().detail);
  std::string text = client->name + ":";
  for (const std::string& uri : client->redirect_uris)
    text += " " + uri;
  return text;
}

TEST(ClientDocument, IsRead) {
  const struct {
    std::string_view name;
    std::string_view text;
    std::string_view want;
  } rows[] = {
      {"the least",
       R"({"client_id":"https://app.example/client.json","redirect_uris":["https://app.example/cb"]})",
       ": https://app.example/cb"},
      {"a name, and what is known beside its own host",
       R"({"client_id":"https://app.example/client.json","client_name":"App","redirect_uris":)"
       R"(["https://claude.ai/api/mcp/auth_callback","http://127.0.0.1/cb"]})",
       "App: https://claude.ai/api/mcp/auth_callback http://127.0.0.1/cb"},
      {"another host is left out",
       R"({"client_id":"https://app.example/client.json","redirect_uris":)"
       R"(["https://evil.example/cb","https://app.example/cb"]})",
       ": https://app.example/cb"},
      {"only another host",
       R"({"client_id":"https://app.example/client.json","redirect_uris":["https://evil.example/"]})",
       "none of the \"redirect_uris\" is allowed: redirect_uris of the front door names those "
       "beside loopback ones"},
      {"another port is another host",
       R"({"client_id":"https://app.example/client.json","redirect_uris":["https://app.example:1/"]})",
       "none of the \"redirect_uris\" is allowed: redirect_uris of the front door names those "
       "beside loopback ones"},
      {"of another URL",
       R"({"client_id":"https://app.example/other.json","redirect_uris":["https://app.example/cb"]})",
       "\"client_id\" of the client's metadata document is not its URL"},
      {"no redirect", R"({"client_id":"https://app.example/client.json"})",
       "\"redirect_uris\" is missing"},
      {"script",
       R"({"client_id":"https://app.example/client.json","redirect_uris":["javascript:alert"]})",
       "a redirect URI has a scheme that leads to no application of its own"},
      {"characters that are escaped in URIs",
       R"({"client_id":"https://app.example/client.json","redirect_uris":["javascript:alert`1`"]})",
       "a redirect URI holds characters that a URI has escaped"},
      {"a secret",
       R"({"client_id":"https://app.example/client.json","client_secret":"x","redirect_uris":)"
       R"(["https://app.example/cb"]})",
       "a client in public has no secret"},
      {"a member twice",
       R"({"client_id":"https://app.example/client.json","client_id":"https://app.example/client.json"})",
       "the client's metadata document is not a JSON object"},
      {"no JSON", "<html>", "the client's metadata document is not a JSON object"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(shown(read_client_document(row.text, kUrl, {})), row.want) << row.name;
}

TEST(ClientDocument, StandsAtAUrlOfItsOwn) {
  const struct {
    std::string_view id;
    bool is_one;
    bool is_local_one;
  } rows[] = {
      {"https://app.example/client.json", true, true},
      {"https://app.example/client?x=1", true, true},
      {"https://app.example", false, false},
      {"https://app.example/", false, false},
      {"https://app.example/a/../b", false, false},
      {"https://app.example/a/..", false, false},
      {"https://app.example/client.json#x", false, false},
      {"https://u:p@app.example/client.json", false, false},
      {"http://app.example/client.json", false, false},
      {"http://127.0.0.1:8080/client.json", false, true},
      {"inspector", false, false},
      {"", false, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(is_document_url(row.id, false), row.is_one) << row.id;
    EXPECT_EQ(is_document_url(row.id, true), row.is_local_one) << row.id;
  }
}

TEST(ClientDocument, ARegistrationHasNoHostOfItsOwn) {
  EXPECT_EQ(shown(read_registration(R"({"redirect_uris":["https://app.example/cb"]})", {})),
            "none of the \"redirect_uris\" is allowed: redirect_uris of the front door names those "
            "beside loopback ones");
  EXPECT_EQ(
      shown(read_registration(R"({"client_name":"CLI","redirect_uris":["http://localhost:3/cb"],)"
                              R"("token_endpoint_auth_method":"client_secret_post"})",
                              {})),
      "CLI: http://localhost:3/cb");
  EXPECT_EQ(shown(read_registration("[]", {})), "the body is not a JSON object");
}

}  // namespace
}  // namespace bartizan
