#include "policy/check/registered_tools.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/check/check_pin.h"
#include "policy/check/compile_policy.h"
#include "policy/check/read_registration.h"
#include "policy/check/tool_profiles.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

std::string registration(std::string_view metadata, std::string_view profile,
                         std::string_view schema, std::string_view more = "") {
  return R"({"tool_metadata":{)" + std::string(metadata) + R"(},"security_profile":{)" +
         std::string(profile) + R"(},"schema":{)" + std::string(schema) + "}" + std::string(more) +
         "}";
}

constexpr std::string_view kMetadata = R"("name":"list","version":"1.0.0")";
constexpr std::string_view kSchema = R"("input":{"type":"object"})";

TEST(ReadRegistration, TakesWhatTheDocumentHasAndNothingElse) {
  const struct {
    std::string_view name;
    std::string text;
    std::string_view pointer;  ///< Where the fault is; "ok" for none.
  } rows[] = {
      {"the least", registration(kMetadata, "", kSchema), "ok"},
      {"all of it",
       registration(
           R"("name":"list","version":"1","description":"d","author":"a","categories":["x"])",
           R"("permissions":["read:filesystem"],"sandbox_level":"container","resource_limits":{"max_execution_time":30,"max_memory":268435456})",
           R"("input":{},"output":{"type":"object"})", R"(,"security_context":{"user_id":"u"})"),
       "ok"},
      {"no object", "[]", ""},
      {"no metadata", R"({"security_profile":{},"schema":{"input":{}}})", "/tool_metadata"},
      {"no profile", R"({"tool_metadata":{"name":"a","version":"1"},"schema":{"input":{}}})",
       "/security_profile"},
      {"no schema", R"({"tool_metadata":{"name":"a","version":"1"},"security_profile":{}})",
       "/schema"},
      {"no name", registration(R"("version":"1")", "", kSchema), "/tool_metadata/name"},
      {"an empty name", registration(R"("name":"","version":"1")", "", kSchema),
       "/tool_metadata/name"},
      {"no version", registration(R"("name":"a")", "", kSchema), "/tool_metadata/version"},
      {"a version with a line end", registration(R"("name":"a","version":"1\n")", "", kSchema),
       "/tool_metadata/version"},
      {"a command", registration(kMetadata, "", kSchema, R"(,"command":["sh"])"), "/command"},
      {"a URL of the tool",
       registration(R"("name":"a","version":"1","url":"http://x")", "", kSchema),
       "/tool_metadata/url"},
      {"another limit", registration(kMetadata, R"("resource_limits":{"max_cpu":1})", kSchema),
       "/security_profile/resource_limits/max_cpu"},
      {"a permission with a star", registration(kMetadata, R"("permissions":["*"])", kSchema),
       "/security_profile/permissions"},
      {"a level that is none", registration(kMetadata, R"("sandbox_level":"vm")", kSchema),
       "/security_profile/sandbox_level"},
      {"no time", registration(kMetadata, R"("resource_limits":{"max_execution_time":0})", kSchema),
       "/security_profile/resource_limits/max_execution_time"},
      {"the least time",
       registration(kMetadata, R"("resource_limits":{"max_execution_time":0.001})", kSchema), "ok"},
      {"less than a millisecond",
       registration(kMetadata, R"("resource_limits":{"max_execution_time":0.0009})", kSchema),
       "/security_profile/resource_limits/max_execution_time"},
      {"more than a day",
       registration(kMetadata, R"("resource_limits":{"max_execution_time":86401})", kSchema),
       "/security_profile/resource_limits/max_execution_time"},
      {"memory below nothing",
       registration(kMetadata, R"("resource_limits":{"max_memory":-1})", kSchema),
       "/security_profile/resource_limits/max_memory"},
      {"no input schema", registration(kMetadata, "", R"("output":{})"), "/schema/input"},
      {"a schema of no type that there is",
       registration(kMetadata, "", R"("input":{"type":"thing"})"), "/schema/input/type"},
      {"a schema of elsewhere",
       registration(kMetadata, "", R"("input":{"$ref":"https://example.com/s.json"})"),
       "/schema/input/$ref"},
      {"an output schema that is none",
       registration(kMetadata, "", R"("input":{},"output":{"minimum":"1"})"),
       "/schema/output/minimum"},
  };
  for (const auto& row : rows) {
    const Bytes bytes{std::string_view(row.text)};
    JsonDocument document;
    const auto read = read_registration(document.read(bytes).value());
    ASSERT_EQ(read.has_value(), row.pointer == "ok") << row.name;
    if (read.has_value()) continue;
    EXPECT_EQ(read.error().reason, Reason::invalid_params) << row.name;
    EXPECT_EQ(read.error().pointer, row.pointer) << row.name;
    ASSERT_EQ(read.error().violations.size(), 1U) << row.name;
    EXPECT_FALSE(read.error().violations.front().expected.empty()) << row.name;
  }
}

TEST(ReadRegistration, ReadsWhatItSays) {
  const std::string text = registration(
      R"("name":"list","version":"1.2","categories":["b","a","b"])",
      R"("permissions":["x:y","a:b"],"sandbox_level":"process","resource_limits":{"max_execution_time":1.5,"max_memory":9})",
      R"("input":{"type":"object"})");
  const Bytes bytes{std::string_view(text)};
  JsonDocument document;
  const auto read = read_registration(document.read(bytes).value());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->name, "list");
  const ToolRegistration want{.version = "1.2",
                              .categories = {"a", "b"},
                              .permissions = {"a:b", "x:y"},
                              .sandbox_level = SandboxConfig::Level::process,
                              .max_execution_time = std::chrono::milliseconds(1500),
                              .max_memory = 9,
                              .input_schema = R"({"type":"object"})"};
  EXPECT_EQ(read->registration, want);
}

ToolRegistration made(std::int64_t number, std::string version, bool is_approved) {
  return {.number = number,
          .server = "files",
          .tool = "read_text",
          .version = std::move(version),
          .categories = {"new"},
          .permissions = {"write:files"},
          .max_execution_time = std::chrono::seconds(5),
          .input_schema = R"({"required":["path"]})",
          .output_schema = R"({"required":["entries"]})",
          .is_approved = is_approved};
}

Config with(std::vector<ToolRegistration> registrations) {
  Config config;
  config.servers["files"] = {.name = "files"};
  config.tools.push_back({.pattern = "files/*",
                          .permissions = {"read:files"},
                          .categories = {"old"},
                          .timeout = std::chrono::seconds(2)});
  config.registrations = std::move(registrations);
  return config;
}

TEST(RegisteredTools, AddToProfilesAndTakeNothingFromThem) {
  const ToolProfiles profiles(with({made(1, "1.0.0", true)}), {});
  const auto profile = profiles.find("files", "read_text");
  EXPECT_EQ(profile->permissions, (std::vector<std::string>{"read:files", "write:files"}));
  EXPECT_EQ(profile->categories, (std::vector<std::string>{"new", "old"}));
  EXPECT_EQ(profile->timeout, std::chrono::seconds(2)) << "the shorter one";
  EXPECT_EQ(profile->overlays.size(), 1U);
  EXPECT_NE(profile->result_overlay, nullptr);
  ASSERT_NE(profile->registration, nullptr);
  EXPECT_EQ(profile->registration->version, "1.0.0");
  EXPECT_EQ(profiles.find("files", "other")->registration, nullptr);
}

TEST(RegisteredTools, QuarantineTheToolUntilAPersonApproves) {
  const struct {
    std::string_view name;
    std::vector<ToolRegistration> registrations;
    std::string_view version;  ///< That is in force; empty for none.
    std::string_view flaw;
  } rows[] = {
      {"none", {}, "", ""},
      {"one that waits",
       {made(1, "1.0.0", false)},
       "",
       "the registration 1 of version 1.0.0 waits for a person"},
      {"one that is approved", {made(1, "1.0.0", true)}, "1.0.0", ""},
      {"a new one that waits",
       {made(1, "1.0.0", true), made(2, "2.0.0", false)},
       "1.0.0",
       "the registration 2 of version 2.0.0 waits for a person"},
      {"two that are approved", {made(1, "1.0.0", true), made(2, "2.0.0", true)}, "2.0.0", ""},
  };
  for (const auto& row : rows) {
    for (const auto mode : {PinsConfig::Mode::off, PinsConfig::Mode::trust_on_first_use}) {
      Config config = with(row.registrations);
      config.pins.mode = mode;
      const ToolProfiles profiles(config, {});
      EXPECT_EQ(profiles.registration_flaw("files", "read_text"), row.flaw) << row.name;
      EXPECT_EQ(profiles.registration_flaw("files", "other"), "") << row.name;
      EXPECT_EQ(keeps_pin(profiles, "files", sample_tool()), row.flaw.empty()) << row.name;
      const auto profile = profiles.find("files", "read_text");
      EXPECT_EQ(profile->registration == nullptr ? "" : profile->registration->version, row.version)
          << row.name;
    }
  }
}

TEST(RegisteredTools, QuarantineAToolWhoseServerDoesNotKeepTheProfile) {
  using Level = SandboxConfig::Level;
  const struct {
    std::string_view name;
    SandboxConfig sandbox;
    Level level;
    std::optional<std::uint64_t> memory;
    std::string_view flaw;  ///< What is in it; empty for none.
  } rows[] = {
      {"nothing asked for", {}, Level::none, {}, ""},
      {"the level that it has", {.level = Level::process}, Level::process, {}, ""},
      {"a lower one", {.level = Level::container}, Level::process, {}, ""},
      {"a higher one",
       {.level = Level::process},
       Level::container,
       {},
       "write [server.files.sandbox] level = \"container\""},
      {"memory without a bound", {}, Level::none, 100, "total_memory"},
      {"memory within it", {.total_memory = 100}, Level::none, 100, ""},
      {"a byte more", {.total_memory = 101}, Level::none, 100, "total_memory"},
  };
  for (const auto& row : rows) {
    ToolRegistration registration = made(1, "1", true);
    registration.sandbox_level = row.level;
    registration.max_memory = row.memory;
    Config config = with({registration});
    config.servers["files"].sandbox = row.sandbox;
    const std::string flaw = find_registration_flaw(registration, config.servers);
    EXPECT_EQ(flaw.empty(), row.flaw.empty()) << row.name;
    EXPECT_TRUE(flaw.contains(row.flaw)) << row.name << ": " << flaw;
    EXPECT_EQ(ToolProfiles(config, {}).registration_flaw("files", "read_text"), flaw) << row.name;
  }
  EXPECT_EQ(find_registration_flaw(made(1, "1", true), {}), "there is no [server.files]");
}

// Whoever registered the tool knew the argument as it is listed, or as the server reads it.
TEST(RegisteredTools, HoldForArgumentsUnderTheNamesThatAreSent) {
  const struct {
    std::string_view name, schema, arguments;
    bool fits;
  } rows[] = {
      {"the listed name", R"({"properties":{"path":{"maxLength":2}},"required":["path"]})",
       R"({"file":"ab"})", true},
      {"too long", R"({"properties":{"path":{"maxLength":2}}})", R"({"file":"abc"})", false},
      {"missing", R"({"required":["path"]})", "{}", false},
      {"the sent name", R"({"properties":{"file":{"maxLength":2}}})", R"({"file":"abc"})", false},
      {"in a part", R"({"allOf":[{"properties":{"path":{"maxLength":2}}}]})", R"({"file":"abc"})",
       false},
      {"both names", R"({"properties":{"path":{},"file":{}}})", R"({"file":"a"})", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    ToolRegistration registration = made(1, "1", true);
    registration.input_schema = row.schema;
    Config config = with({registration});
    config.tools.push_back(
        {.pattern = "files/read_text", .renames = {{.listed = "/path", .sent = "/file"}}});
    const ToolProfiles profiles(config, {});
    const auto profile = profiles.find("files", "read_text");
    ASSERT_EQ(profile->overlays.size(), 1U);
    const Bytes bytes(row.arguments);
    JsonDocument document;
    EXPECT_EQ(profile->overlays[0]->accepts(document.read(bytes).value()), row.fits);
    const std::string_view flaw = profiles.registration_flaw("files", "read_text");
    EXPECT_EQ(flaw.contains("has both names"), row.name == "both names") << flaw;
  }
}

TEST(RegisteredTools, AreInTheDigestOfThePolicy) {
  const auto digest_of = [](std::vector<ToolRegistration> registrations) {
    Config config = with(std::move(registrations));
    config.digest = "d";
    return compile_policy(config, {}, {}, nullptr)->digest();
  };
  EXPECT_EQ(digest_of({}), "d");
  EXPECT_EQ(digest_of({made(1, "1", false)}), digest_of({})) << "it ends no approval";
  EXPECT_NE(digest_of({made(1, "1", false)}), digest_of({made(1, "1", true)}));
  EXPECT_NE(digest_of({made(1, "1", true)}), digest_of({made(2, "1", true)}));
}

}  // namespace
}  // namespace bartizan
