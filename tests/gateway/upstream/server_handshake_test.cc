#include "gateway/upstream/server_handshake.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gateway/runtime/version.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

ServerConfig server(std::vector<ClientFeature> features) {
  ServerConfig config;
  config.name = "files";
  config.client_features = std::move(features);
  return config;
}

/// JSON text, read.
class Json {
 public:
  explicit Json(std::string text) : bytes_(std::string_view(text)) {
    const auto read = document_.read(bytes_);
    EXPECT_TRUE(read.has_value()) << text;
    root = read.value_or(JsonValue());
  }
  JsonValue root;

 private:
  Bytes bytes_;
  JsonDocument document_;
};

// A server must never hear of a client feature that it may not use.
TEST(Introduce, DeclaresWhatTheServerMayAskFor) {
  using enum ClientFeature;
  const struct {
    std::string_view name;
    std::vector<ClientFeature> features;
    std::string_view capabilities;
  } cases[] = {
      {"nothing", {}, "{}"},
      {"sampling", {sampling}, R"({"sampling":{}})"},
      {"elicitation", {elicitation}, R"({"elicitation":{"form":{}}})"},
      {"roots", {roots}, R"({"roots":{}})"},
      {"all",
       {roots, elicitation, sampling},
       R"({"sampling":{},"elicitation":{"form":{}},"roots":{}})"},
      {"what servers say themselves", {logging, instructions}, "{}"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Json legacy(initialize_params(server(c.features)));
    EXPECT_EQ(legacy.root.find("capabilities").raw(), c.capabilities);
    const Json modern(modern_params(server(c.features)));
    EXPECT_EQ(modern.root.find("_meta").find(meta_key::client_capabilities).raw(), c.capabilities);
  }
}

TEST(Introduce, DeclaresUrlsWhereSomeMayBeVisited) {
  ServerConfig config = server({ClientFeature::elicitation});
  config.elicitation_urls = "logins";
  const Json legacy(initialize_params(config));
  EXPECT_EQ(legacy.root.at_pointer("/capabilities/elicitation").raw(), R"({"form":{},"url":{}})");
}

TEST(Introduce, NamesItselfAndItsRevision) {
  const Json legacy(initialize_params(server({})));
  EXPECT_EQ(legacy.root.find("protocolVersion").text(), "2025-11-25");
  EXPECT_EQ(legacy.root.at_pointer("/clientInfo/name").text(), "bartizan");
  EXPECT_EQ(legacy.root.at_pointer("/clientInfo/version").text(), kVersion);

  const Json list(modern_list_params(R"("cursor":"x")"));
  EXPECT_EQ(list.root.find("cursor").text(), "x");
  for (const std::string& params :
       {modern_params(server({})), modern_list_params(""), modern_list_params(R"("cursor":"x")")}) {
    const Json modern(params);
    const JsonValue meta = modern.root.find("_meta");
    EXPECT_EQ(meta.find(meta_key::protocol_version).text(), "2026-07-28");
    EXPECT_EQ(meta.find(meta_key::client_info).find("name").text(), "bartizan");
    EXPECT_TRUE(meta.find(meta_key::client_capabilities).is(JsonType::object));
  }
}

std::string answer(std::string_view result) {
  return R"({"jsonrpc":"2.0","id":1,"result":)" + std::string(result) + "}";
}

std::string error(std::string_view members) {
  return R"({"jsonrpc":"2.0","id":1,"error":{)" + std::string(members) + "}}";
}

TEST(Introduce, ReadsWhatAServerSays) {
  const struct {
    std::string_view name;
    Era asked;
    std::string message;
    std::string_view refused;  ///< A part of the reason; empty where it is accepted.
    ProtocolVersion version;
  } cases[] = {
      {"legacy", Era::legacy,
       answer(R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}}})"), "",
       ProtocolVersion::v2025_11_25},
      {"an older legacy one", Era::legacy,
       answer(R"({"protocolVersion":"2024-11-05","capabilities":{"tools":{}}})"), "",
       ProtocolVersion::v2024_11_05},
      {"a modern revision in a handshake",
       Era::legacy,
       answer(R"({"protocolVersion":"2026-07-28","capabilities":{"tools":{}}})"),
       "does not speak",
       {}},
      {"an unknown revision",
       Era::legacy,
       answer(R"({"protocolVersion":"1999-01-01","capabilities":{"tools":{}}})"),
       "does not speak",
       {}},
      {"no revision",
       Era::legacy,
       answer(R"({"capabilities":{"tools":{}}})"),
       "does not speak",
       {}},
      {"a revision that is a number",
       Era::legacy,
       answer(R"({"protocolVersion":20251125,"capabilities":{"tools":{}}})"),
       "does not speak",
       {}},
      {"no capabilities",
       Era::legacy,
       answer(R"({"protocolVersion":"2025-11-25"})"),
       "no capabilities",
       {}},
      {"capabilities that are null",
       Era::legacy,
       answer(R"({"protocolVersion":"2025-11-25","capabilities":null})"),
       "no capabilities",
       {}},
      {"capabilities that are a list",
       Era::modern,
       answer(R"({"supportedVersions":["2026-07-28"],"capabilities":[]})"),
       "no capabilities",
       {}},
      {"an error", Era::legacy, error(R"("code":-32601,"message":"no")"), "refused", {}},
      {"modern", Era::modern,
       answer(R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})"), "",
       ProtocolVersion::v2026_07_28},
      {"modern among others", Era::modern,
       answer(R"({"supportedVersions":["2099-01-01",7,"2026-07-28"],"capabilities":{"tools":{}}})"),
       "", ProtocolVersion::v2026_07_28},
      {"modern, but of the future",
       Era::modern,
       answer(R"({"supportedVersions":["2099-01-01"],"capabilities":{"tools":{}}})"),
       "no revision",
       {}},
      {"legacy versions in a modern answer",
       Era::modern,
       answer(R"({"supportedVersions":["2025-11-25"],"capabilities":{"tools":{}}})"),
       "no revision",
       {}},
      {"versions that are a string",
       Era::modern,
       answer(R"({"supportedVersions":"2026-07-28","capabilities":{"tools":{}}})"),
       "no revision",
       {}},
      {"no versions", Era::modern, answer(R"({"capabilities":{"tools":{}}})"), "no revision", {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const SampleCall sample(c.message, Direction::server_to_client);
    const auto introduction = read_introduction({}, c.asked, sample.call.message);
    ASSERT_EQ(introduction.has_value(), c.refused.empty());
    if (!introduction.has_value()) {
      EXPECT_EQ(error_text(introduction.error().code), error_text(ErrorCode::server_failed));
      EXPECT_EQ(introduction.error().fault, Fault::server);
      EXPECT_NE(introduction.error().detail.find(c.refused), std::string::npos)
          << introduction.error().detail;
      continue;
    }
    EXPECT_EQ(introduction->era, c.asked);
    EXPECT_EQ(text(introduction->version), text(c.version));
    EXPECT_EQ(introduction->capabilities, R"({"tools":{}})");
  }
}

TEST(Introduce, AsksOnceMoreForARevisionThatTheServerNames) {
  const auto refusal = [](std::string_view code, std::string_view data) {
    return error(R"("code":)" + std::string(code) + R"(,"message":"no","data":)" +
                 std::string(data));
  };
  const struct {
    std::string_view name;
    std::string message;
    bool asks;
  } cases[] = {
      {"the modern one", refusal("-32022", R"({"supported":["2026-07-28"]})"), true},
      {"it among others", refusal("-32022", R"({"supported":["2099-01-01","2026-07-28"]})"), true},
      {"a legacy one", refusal("-32022", R"({"supported":["2025-11-25"]})"), false},
      {"one of the future", refusal("-32022", R"({"supported":["2099-01-01"]})"), false},
      {"a text", refusal("-32022", R"({"supported":"2026-07-28"})"), false},
      {"no list", refusal("-32022", "{}"), false},
      {"another error", refusal("-32021", R"({"supported":["2026-07-28"]})"), false},
      {"no error", answer(R"({"supported":["2026-07-28"],"code":-32022})"), false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const SampleCall sample(c.message, Direction::server_to_client);
    EXPECT_EQ(asks_for_another_try(sample.call.message), c.asks);
  }
}

TEST(Introduce, KeepsTheInstructionsWhereTheyArePassedOn) {
  const SampleCall sample(
      answer(R"({"protocolVersion":"2025-11-25","capabilities":{},"instructions":"a\n\u00e9"})"),
      Direction::server_to_client);
  using enum ClientFeature;
  const auto read = [&](const ServerConfig& config) {
    return read_introduction(config, Era::legacy, sample.call.message).value();
  };
  EXPECT_EQ(read(server({instructions})).instructions, "a\n\xc3\xa9");
  EXPECT_EQ(read(server({sampling, logging})).instructions, "");
  EXPECT_TRUE(read(server({logging})).passes_logs);
  EXPECT_FALSE(read(server({instructions})).passes_logs);
}

}  // namespace
}  // namespace bartizan
