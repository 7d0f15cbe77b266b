#include "gateway/catalogue/naming.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "schemas/base/limits.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

ServerConfig server(std::string name, ServerConfig::Prefix prefix = ServerConfig::Prefix::always) {
  ServerConfig config;
  config.name = std::move(name);
  config.prefix = prefix;
  return config;
}

ServerConfig shown_as(std::string shown,
                      ServerConfig::Prefix prefix = ServerConfig::Prefix::always) {
  ServerConfig config = server("files", prefix);
  config.shown = std::move(shown);
  return config;
}

TEST(Naming, PrefixesAndShortens) {
  const std::string a55(55, 'a');
  const auto never = ServerConfig::Prefix::never;
  const struct {
    std::string_view name;
    ServerConfig server;
    std::string tool;
    std::string exposed;
  } cases[] = {
      {"a short name", server("files"), "read", "files_read"},
      {"a name with an underscore", server("files"), "read_text", "files_read_text"},
      {"a bare name", server("files", never), "read", "read"},
      {"with another prefix", shown_as("my_files"), "read", "my_files_read"},
      {"with another prefix, and bare", shown_as("my_files", never), "read", "read"},
      {"exactly 64 bytes", server("files"), std::string(58, 'a'), "files_" + std::string(58, 'a')},
      {"exactly 64 bytes, bare", server("files", never), std::string(64, 'a'),
       std::string(64, 'a')},
      // The mark is the first 8 hex digits of SHA-256("files/aaa…"), computed elsewhere.
      {"65 bytes", server("files"), std::string(59, 'a'),
       "files_" + std::string(49, 'a') + "_" + "36787416"},
      {"65 bytes, bare", server("files", never), std::string(65, 'a'), a55 + "_" + "d87f654c"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(exposed_name(c.server, c.tool), c.exposed);
    EXPECT_LE(exposed_name(c.server, c.tool).size(), limits::exposed_name_bytes_max);
  }
}

// Names that differ only behind the cut, or only by their server, must not meet.
TEST(Naming, KeepsShortenedNamesApart) {
  const auto never = ServerConfig::Prefix::never;
  const std::string stem(100, 'x');
  std::set<std::string> exposed;
  for (const std::string& name : {stem, stem + "x", stem + "y", "y" + stem}) {
    exposed.insert(exposed_name(server("files"), name));
    exposed.insert(exposed_name(server("mail"), name));
    exposed.insert(exposed_name(server("files", never), name));
    exposed.insert(exposed_name(server("mail", never), name));
  }
  EXPECT_EQ(exposed.size(), 16U);
}

// A prompt's name may hold any letters. What is cut inside of one would be no JSON any more.
TEST(Naming, CutsNoLetterInTwo) {
  for (const std::string& letter :
       {std::string("\xc3\xa9"), std::string("\xe2\x82\xac"), std::string("\xf0\x9f\x98\x80")}) {
    for (std::size_t lead = 0; lead < 4; ++lead) {
      std::string name(lead, 'a');
      while (name.size() < 100)
        name += letter;
      const std::string exposed = exposed_name(server("files"), name);
      SCOPED_TRACE(exposed);
      EXPECT_EQ(exposed.size(), limits::exposed_name_bytes_max);
      std::string json;
      append_json_string(json, exposed);
      JsonDocument document;
      const Bytes bytes{std::string_view(json)};
      EXPECT_TRUE(document.read(bytes).has_value());
    }
  }
}

TEST(Naming, SplitsAtTheFirstUnderscore) {
  const struct {
    std::string_view exposed;
    std::string_view server;
    std::string_view name;
  } cases[] = {
      {"files_read", "files", "read"},
      {"files_read_text", "files", "read_text"},
      {"my-files_read", "my-files", "read"},
      {"files__read", "files", "_read"},
      {"files_", "files", ""},
      {"_read", "", "read"},
      {"read", "", ""},
      {"", "", ""},
      {"_", "", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.exposed);
    const auto [server_name, name] = split_exposed_name(c.exposed);
    EXPECT_EQ(server_name, c.server);
    EXPECT_EQ(name, c.name);
  }
}

TEST(Naming, FindsTheServerByItsPrefix) {
  std::map<std::string, ServerConfig, std::less<>> servers;
  servers.emplace("mail", server("mail"));
  servers.emplace("bare", server("bare", ServerConfig::Prefix::never));
  for (const auto& [name, shown] : {std::pair("os", "os_assistant"), {"bare-too", "bare_too"}}) {
    ServerConfig config = server(name);
    config.shown = shown;
    servers.emplace(name, std::move(config));
  }
  servers.at("bare-too").prefix = ServerConfig::Prefix::never;
  const struct {
    std::string_view exposed;
    std::string_view server;
    std::string_view name;
  } cases[] = {
      {"mail_send", "mail", "send"},
      {"mail_", "mail", ""},
      {"os_assistant_cpu_usage", "os", "cpu_usage"},
      {"os_assistant__x", "os", "_x"},
      {"os_assistant_", "os", ""},
      // Its own name stands in front of nothing.
      {"os_assistant", "", ""},
      {"os_cpu_usage", "", ""},
      {"os_assistants_x", "", ""},
      {"bare_read", "", ""},
      {"bare_too_read", "", ""},
      {"mail", "", ""},
      {"_", "", ""},
      {"", "", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.exposed);
    const PrefixedName found = find_prefixed(servers, c.exposed);
    EXPECT_EQ(found.server == nullptr ? "" : found.server->name, c.server);
    EXPECT_EQ(found.name, c.name);
  }
}

TEST(Naming, SplitsAUriThatNamesItsServer) {
  const struct {
    std::string_view uri;
    std::string_view server;
    std::string_view own;
  } cases[] = {
      {"bartizan://files/file:///a/b", "files", "file:///a/b"},
      {"bartizan://files/memo:a", "files", "memo:a"},
      {"bartizan://files//a", "files", "/a"},
      {"bartizan://files/memo://{x}", "files", "memo://{x}"},
      {"bartizan://files/bartizan://other/memo:a", "files", "bartizan://other/memo:a"},
      {"bartizan://files/", "", ""},
      {"bartizan://files", "", ""},
      {"bartizan:///memo:a", "", ""},
      {"bartizan:/files/memo:a", "", ""},
      {"Bartizan://files/memo:a", "", ""},
      {"file:///a", "", ""},
      {"", "", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.uri);
    const auto split = split_named_uri(c.uri);
    EXPECT_EQ(split.has_value(), !c.server.empty());
    if (!split.has_value()) continue;
    EXPECT_EQ(split->first, c.server);
    EXPECT_EQ(split->second, c.own);
    EXPECT_EQ(named_uri(split->first, split->second), c.uri);
  }
}

TEST(Naming, ASplitNameLeadsBack) {
  for (const std::string& tool : {std::string("read"), std::string("_"), std::string("a_b_c")}) {
    const std::string exposed = exposed_name(server("my-files"), tool);
    const auto [server_name, name] = split_exposed_name(exposed);
    EXPECT_EQ(server_name, "my-files");
    EXPECT_EQ(name, tool);
  }
}

}  // namespace
}  // namespace bartizan
