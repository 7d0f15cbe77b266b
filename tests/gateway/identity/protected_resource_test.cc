#include "gateway/identity/protected_resource.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {
namespace {

Config with_endpoints() {
  Config config;
  config.auth.issuers = {{.name = "corp", .issuer = "https://login.example.com/t"},
                         {.name = "other", .issuer = "https://other.example.com"}};
  config.endpoints["desk"] = {.name = "desk", .path = "/mcp", .auth = {"api_key"}};
  config.endpoints["people"] = {.name = "people",
                                .path = "/people",
                                .auth = {"issuer.corp"},
                                .resource = "https://gw.example.com/team/people",
                                .scopes = {"files:read", "mail:read"}};
  config.endpoints["all"] = {.name = "all",
                             .path = "/all",
                             .resource = "https://gw.example.com/all",
                             .root_metadata = true};
  config.endpoints["without"] = {.name = "without", .path = "/without", .auth = {"issuer"}};
  return config;
}

TEST(ProtectedResource, HasItsMetadataAtThePathForm) {
  const Config config = with_endpoints();
  const std::string_view people =
      R"({"resource":"https://gw.example.com/team/people",)"
      R"("authorization_servers":["https://login.example.com/t"],)"
      R"("scopes_supported":["files:read","mail:read"],"bearer_methods_supported":["header"]})";
  const std::string_view all =
      R"({"resource":"https://gw.example.com/all","authorization_servers":)"
      R"(["https://login.example.com/t","https://other.example.com"],)"
      R"("bearer_methods_supported":["header"]})";
  const struct {
    std::string_view name, path;
    std::optional<std::string_view> want;
  } rows[] = {
      {"behind the endpoint's path", "/.well-known/oauth-protected-resource/people", people},
      {"behind the path of its resource", "/.well-known/oauth-protected-resource/team/people",
       people},
      {"of all issuers", "/.well-known/oauth-protected-resource/all", all},
      {"at the root, where that was named", "/.well-known/oauth-protected-resource", all},
      {"of an endpoint for keys", "/.well-known/oauth-protected-resource/mcp", std::nullopt},
      {"of one without a resource", "/.well-known/oauth-protected-resource/without", std::nullopt},
      {"of none", "/.well-known/oauth-protected-resource/nobody", std::nullopt},
      {"of a longer path", "/.well-known/oauth-protected-resource/people/x", std::nullopt},
      {"of a path that begins so", "/.well-known/oauth-protected-resources/people", std::nullopt},
      {"the endpoint itself", "/people", std::nullopt},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto found = find_resource_metadata(config, row.path);
    EXPECT_EQ(found, row.want);
  }
  Config without = config;
  without.endpoints["all"].root_metadata = false;
  EXPECT_EQ(find_resource_metadata(without, "/.well-known/oauth-protected-resource"), std::nullopt);
}

TEST(ProtectedResource, IsSaidInChallenges) {
  const Config config = with_endpoints();
  EXPECT_EQ(challenge_of(config, "people", false),
            R"(Bearer resource_metadata="https://gw.example.com/.well-known/)"
            R"(oauth-protected-resource/team/people", scope="files:read mail:read")");
  EXPECT_EQ(challenge_of(config, "all", true),
            R"(Bearer error="invalid_token", resource_metadata="https://gw.example.com/)"
            R"(.well-known/oauth-protected-resource/all")");
  for (const std::string_view none : {"desk", "without", "nobody", ""})
    EXPECT_EQ(challenge_of(config, none, true), "Bearer") << none;
  EXPECT_EQ(scope_challenge_of(config.endpoints.at("people"), {"a", "b"}),
            R"(Bearer error="insufficient_scope", scope="a b", resource_metadata=)"
            R"("https://gw.example.com/.well-known/oauth-protected-resource/team/people", )"
            R"(error_description="This call needs more scopes than the token has")");
}

}  // namespace
}  // namespace bartizan
