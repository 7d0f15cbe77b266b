#include "policy/check/check_arguments.h"

#include <gtest/gtest.h>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

enum class Optional : std::uint8_t { no, yes };

ToolProfile profile(std::string pattern, std::vector<std::pair<std::string, Optional>> pointers,
                    const std::string& path = "docs") {
  ToolProfile profile;
  profile.pattern = std::move(pattern);
  for (const auto& [pointer, optional] : pointers) {
    ArgumentPredicate predicate;
    predicate.pointer = pointer;
    predicate.predicate = PathPredicate{path};
    predicate.optional = optional == Optional::yes;
    profile.arguments.push_back(std::move(predicate));
  }
  return profile;
}

Decision check(const Config& config, std::string_view arguments,
               std::string_view tool = "read_text", Unguarded unguarded = Unguarded::refuse) {
  const ToolProfiles profiles(config, sample_names());
  const auto sample = sample_tool_call("files", tool, arguments);
  return check_arguments(profiles, config.servers, unguarded, sample->call);
}

TEST(CheckArguments, PredicatesHoldForEveryValue) {
  using enum Optional;
  const auto path = profile("files/*", {{"/path", no}});
  const auto maybe = profile("files/*", {{"/path", yes}});
  const auto paths = profile("files/*", {{"/paths/*", no}});
  const auto maybe_paths = profile("files/*", {{"/paths/*", yes}});
  const auto deep = profile("files/*", {{"/items/*/path", no}});
  const auto first = profile("files/*", {{"/paths/0", no}});
  const auto escaped = profile("files/*", {{"/a~1b~0c", no}});
  using enum Reason;
  const struct {
    std::string_view name;
    std::vector<ToolProfile> profiles;
    std::string_view arguments;
    Reason want;
    std::string_view pointer;
  } cases[] = {
      {"no profile asks for nothing", {}, R"({"path":"/etc/passwd"})", none, ""},
      {"another tool's profile",
       {profile("files/write", {{"/path", no}})},
       R"({"path":"/etc"})",
       none,
       ""},
      {"inside", {path}, R"({"path":"/srv/data/a"})", none, ""},
      {"outside", {path}, R"({"path":"/etc/passwd"})", path_outside_root, "/path"},
      {"almost inside", {path}, R"({"path":"/srv/data2/a"})", path_outside_root, "/path"},
      {"escaped in JSON", {path}, R"({"path":"\u002e\u002e/a"})", path_outside_root, "/path"},
      {"malformed", {path}, R"({"path":"~/a"})", path_malformed, "/path"},
      {"relative", {path}, R"({"path":"a"})", none, ""},
      {"missing", {path}, "{}", argument_missing, "/path"},
      {"missing altogether", {path}, "", argument_missing, "/path"},
      {"optional and missing", {maybe}, "{}", none, ""},
      {"optional and missing altogether", {maybe}, "", none, ""},
      {"optional and outside", {maybe}, R"({"path":"/etc"})", path_outside_root, "/path"},
      {"optional does not excuse null", {maybe}, R"({"path":null})", argument_wrong_type, "/path"},
      {"optional does not excuse a number", {maybe}, R"({"path":1})", argument_wrong_type, "/path"},
      {"optional does not excuse an array",
       {maybe},
       R"({"path":["/srv/data/a"]})",
       argument_wrong_type,
       "/path"},
      {"optional only if every profile says so", {path, maybe}, "{}", argument_missing, "/path"},
      {"every element", {paths}, R"({"paths":["/srv/data/a","b"]})", none, ""},
      {"one element outside",
       {paths},
       R"({"paths":["a","b","/etc"]})",
       path_outside_root,
       "/paths/2"},
      {"a mixture of types", {paths}, R"({"paths":["a",1]})", argument_wrong_type, "/paths/1"},
      {"a nested array", {paths}, R"({"paths":[["a"]]})", argument_wrong_type, "/paths/0"},
      {"an empty array selects nothing", {paths}, R"({"paths":[]})", argument_missing, "/paths/*"},
      {"an empty array where optional", {maybe_paths}, R"({"paths":[]})", none, ""},
      {"elements of no array", {maybe_paths}, R"({"paths":"a"})", argument_wrong_type, "/paths"},
      {"a star selects no members",
       {maybe_paths},
       R"({"paths":{"a":"b"}})",
       argument_wrong_type,
       "/paths"},
      {"below elements", {deep}, R"({"items":[{"path":"a"},{"path":"b"}]})", none, ""},
      {"one element without",
       {deep},
       R"({"items":[{"path":"a"},{}]})",
       argument_missing,
       "/items/1/path"},
      {"an index", {first}, R"({"paths":["a"]})", none, ""},
      {"an index guards no other",
       {first},
       R"({"paths":["a","/etc"]})",
       argument_unguarded,
       "/paths/1"},
      {"an index that is not there", {first}, R"({"paths":[]})", argument_missing, "/paths/0"},
      {"escapes of the pointer", {escaped}, R"({"a/b~c":"/etc"})", path_outside_root, "/a~1b~0c"},
      {"an argument that nobody names",
       {path},
       R"({"path":"a","head":1})",
       argument_unguarded,
       "/head"},
      {"null that nobody names", {path}, R"({"path":"a","x":null})", argument_unguarded, "/x"},
      {"an empty object that nobody names",
       {path},
       R"({"path":"a","x":{}})",
       argument_unguarded,
       "/x"},
      {"an empty array holds nothing", {path}, R"({"path":"a","x":[]})", none, ""},
      {"deep below", {path}, R"({"path":"a","x":[{"y":[true]}]})", argument_unguarded, "/x/0/y/0"},
      {"a name with an escape", {path}, R"({"path":"a","x/y":1})", argument_unguarded, "/x~1y"},
      {"another profile's pointer guards too",
       {path, profile("files/r*", {{"/other", yes}})},
       R"({"path":"a","other":"b"})",
       none,
       ""},
      {"and holds too",
       {path, profile("files/r*", {{"/other", yes}})},
       R"({"path":"a","other":"/etc"})",
       path_outside_root,
       "/other"},
      {"both roots of two profiles",
       {path, profile("files/r*", {{"/path", no}}, "sub")},
       R"({"path":"/srv/data/sub/a"})",
       none,
       ""},
      {"the narrower of two roots",
       {path, profile("files/r*", {{"/path", no}}, "sub")},
       R"({"path":"/srv/data/a"})",
       path_outside_root,
       "/path"},
      {"a path that nobody defined",
       {profile("files/*", {{"/path", no}}, "ghost")},
       R"({"path":"/srv/data/a"})",
       path_outside_root,
       "/path"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Config config = sample_config();
    config.paths["sub"] = {.name = "sub", .root = "/srv/data/sub", .where = {}};
    config.tools = c.profiles;
    const Decision decision = check(config, c.arguments);
    EXPECT_EQ(decision.reason, c.want);
    EXPECT_EQ(decision.denies(), c.want != none);
    EXPECT_EQ(decision.pointer, c.pointer);
    // A tool that no server had listed when the policy was compiled is judged alike.
    const Decision unlisted = check(config, c.arguments, "read_text_new");
    if (c.name != "another tool's profile") EXPECT_EQ(unlisted.reason, c.want);
  }
}

TEST(CheckArguments, UnguardedMayBeAllowed) {
  Config config = sample_config();
  config.tools = {profile("files/*", {{"/path", Optional::no}})};
  constexpr std::string_view kArguments = R"({"path":"a","head":1})";
  EXPECT_EQ(check(config, kArguments).reason, Reason::argument_unguarded);
  EXPECT_EQ(check(config, kArguments, "read_text", Unguarded::allow).reason, Reason::none);
  EXPECT_EQ(check(config, R"({"path":"/etc","head":1})", "read_text", Unguarded::allow).reason,
            Reason::path_outside_root);
}

// What a server says of its own tool counts where a person has approved that definition.
TEST(CheckArguments, WritableNamesBindToolsThatAreNotApprovedAsReading) {
  Config config = sample_config();
  config.tools = {profile("files/*", {{"/path", Optional::no}})};
  config.paths["docs"].writable = {{"out/*"}};
  const auto judge = [&](const ToolDefinition* tool) {
    const auto sample = sample_tool_call("files", "read_text", R"({"path":"a"})");
    sample->call.facts.tool = tool;
    return check_arguments(ToolProfiles(config, sample_names()), config.servers, Unguarded::refuse,
                           sample->call)
        .reason;
  };
  ToolDefinition listed;
  listed.fingerprint = "f1";
  EXPECT_EQ(judge(&listed), Reason::path_not_allowed) << "nobody has approved it";
  PinnedTool& pinned = config.pins.tools["files"]["read_text"];
  pinned = {.fingerprint = "f1", .hints = {.read_only = true}, .is_approved = true};
  EXPECT_EQ(judge(&listed), Reason::none);
  pinned.hints.read_only = false;
  EXPECT_EQ(judge(&listed), Reason::path_not_allowed) << "it may write";
  pinned.hints.read_only = true;
  pinned.is_approved = false;
  EXPECT_EQ(judge(&listed), Reason::path_not_allowed) << "it was the first that came";
  pinned.is_approved = true;
  listed.fingerprint = "f2";
  EXPECT_EQ(judge(&listed), Reason::path_not_allowed) << "another definition is listed";
}

TEST(CheckArguments, RelativePathsNeedAWorkingDirectory) {
  Config config = sample_config();
  config.tools = {profile("files/*", {{"/path", Optional::no}})};
  config.servers["files"].cwd.clear();
  EXPECT_EQ(check(config, R"({"path":"a"})").reason, Reason::path_relative);
  EXPECT_EQ(check(config, R"({"path":"/srv/data/a"})").reason, Reason::none);
}

// The names in a pointer are the client's, and a pointer is written into answers and records.
TEST(CheckArguments, PointersAreBounded) {
  Config config = sample_config();
  config.tools = {profile("files/*", {{"/path", Optional::no}})};
  const std::string name(5000, 'x');
  const Decision wide = check(config, R"({"path":"a",")" + name + R"(":1})");
  EXPECT_EQ(wide.reason, Reason::argument_unguarded);
  EXPECT_EQ(wide.pointer, "");
  const Decision deep = check(config, R"({"path":"a","b":{")" + name + R"(":1}})");
  EXPECT_EQ(deep.pointer, "/b");
}

TEST(CheckArguments, OtherMethodsHaveNone) {
  Config config = sample_config();
  config.tools = {profile("**", {{"/path", Optional::no}})};
  const ToolProfiles profiles(config, {});
  const auto list = sample_request("tools/list");
  EXPECT_EQ(check_arguments(profiles, config.servers, Unguarded::refuse, list->call).reason,
            Reason::none);
}

TEST(ParsePointer, CutsAndUnescapes) {
  const auto segments = parse_pointer("/a~1b/*/~0/");
  ASSERT_EQ(segments.size(), 4U);
  EXPECT_EQ(segments[0].name, "a/b");
  EXPECT_TRUE(segments[1].every_element);
  EXPECT_EQ(segments[2].name, "~");
  EXPECT_EQ(segments[3].name, "");
  EXPECT_FALSE(segments[3].every_element);
  EXPECT_TRUE(parse_pointer("").empty());
}

}  // namespace
}  // namespace bartizan
