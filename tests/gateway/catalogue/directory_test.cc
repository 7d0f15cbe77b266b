#include "gateway/catalogue/directory.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {
namespace {

const ShownServers kShowsAll = [](std::string_view) { return true; };
const ShownServers kShowsA = [](std::string_view server) { return server == "a"; };

/// One server: what it said in each era, or nothing where it does not speak it.
struct Said {
  std::string_view name;
  std::optional<std::string> legacy;
  std::optional<std::string> modern;
};

std::optional<ServerHandshake> introduction(Era era, const std::optional<std::string>& json) {
  if (!json.has_value()) return std::nullopt;
  return ServerHandshake{.era = era, .capabilities = *json, .passes_logs = true};
}

Directory directory(const std::vector<Said>& servers) {
  Directory all;
  for (const Said& said : servers) {
    all.servers[std::string(said.name)] = {.legacy = introduction(Era::legacy, said.legacy),
                                           .modern = introduction(Era::modern, said.modern),
                                           .failure = {}};
  }
  return all;
}

TEST(Directory, AServerIsSpokenToInItsClientsEraWhereItCan) {
  using enum Era;
  const std::optional<std::string> yes = "{}";
  const std::optional<std::string> no;
  const struct {
    std::string_view name;
    Said server;
    Era for_legacy;
    Era for_modern;
    bool is_up;
  } cases[] = {
      {"down: its clients'", {"a", no, no}, legacy, modern, false},
      {"of both eras", {"a", yes, yes}, legacy, modern, true},
      {"legacy", {"a", yes, no}, legacy, legacy, true},
      {"modern", {"a", no, yes}, modern, modern, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Directory all = directory({c.server});
    const ServerState& state = *all.find("a");
    EXPECT_EQ(state.spoken_for(legacy), c.for_legacy);
    EXPECT_EQ(state.spoken_for(modern), c.for_modern);
    EXPECT_EQ(state.said_for(legacy).has_value(), c.is_up);
    EXPECT_EQ(all.answers(kShowsAll), c.is_up);
    // Down, and down for longer, it is spoken to as before.
    ServerState down, still_down;
    down.remember(state);
    still_down.remember(down);
    for (const ServerState& gone : {down, still_down}) {
      EXPECT_EQ(gone.spoken_for(legacy), c.for_legacy);
      EXPECT_EQ(gone.spoken_for(modern), c.for_modern);
      EXPECT_FALSE(gone.said_for(legacy).has_value());
    }
  }
  EXPECT_FALSE(directory({}).answers(kShowsAll));
}

TEST(Directory, LeavesOutWhatIsNotShown) {
  const Directory all =
      directory({{"a", std::nullopt, R"({"tools":{}})"}, {"b", R"({"prompts":{}})", std::nullopt}});
  EXPECT_TRUE(all.answers(kShowsAll));
  EXPECT_TRUE(all.answers(kShowsA));
  EXPECT_FALSE(directory({{"b", "{}", "{}"}}).answers(kShowsA));
  const std::map<std::string, ServerConfig, std::less<>> configured{{"a", {}}, {"c", {}}};
  EXPECT_TRUE(offered_by(all, configured, Era::modern, kShowsAll).prompts) << "those of b";
  EXPECT_FALSE(offered_by(all, configured, Era::modern, kShowsA).prompts);
  Directory speaking = directory({{"a", "{}", "{}"}, {"b", "{}", "{}"}});
  speaking.servers["a"].legacy->instructions = "Be kind.";
  speaking.servers["b"].legacy->instructions = "Be brief.";
  EXPECT_EQ(merged_instructions(speaking, Era::legacy, kShowsA), "Be kind.");
}

TEST(Directory, FindsByName) {
  const Directory all = directory({{"a", "{}", std::nullopt}});
  ASSERT_NE(all.find("a"), nullptr);
  EXPECT_TRUE(all.find("a")->is_up());
  EXPECT_EQ(all.find("A"), nullptr);
  EXPECT_EQ(all.find(""), nullptr);
}

std::string declared(const Directory& directory, Era era,
                     const std::map<std::string, ServerConfig, std::less<>>& configured = {}) {
  return merged_capabilities(offered_by(directory, configured, era, kShowsAll));
}

TEST(Directory, OffersWhatServersMayHaveThatStart) {
  constexpr std::string_view kLists =
      R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},)"
      R"("resources":{"listChanged":true})";
  const std::string lists = std::string(kLists) + "}";
  const std::map<std::string, ServerConfig, std::less<>> one{{"a", {}}};
  Directory down = directory({{"a", std::nullopt, std::nullopt}});
  EXPECT_EQ(declared({}, Era::legacy, one), lists) << "not asked yet";
  EXPECT_EQ(declared(down, Era::legacy, one), lists) << "down";
  const Directory up = directory({{"a", R"({"tools":{}})", std::nullopt}});
  EXPECT_EQ(declared(up, Era::legacy, one), R"({"tools":{"listChanged":true}})") << "up";
  EXPECT_EQ(declared(up, Era::modern, one), R"({"tools":{"listChanged":true}})")
      << "up, in another era";
  std::map<std::string, ServerConfig, std::less<>> talking = one;
  talking["a"].client_features = {ClientFeature::logging};
  EXPECT_EQ(declared({}, Era::legacy, talking), std::string(kLists) + R"(,"logging":{}})");
}

TEST(Directory, MergesCapabilities) {
  const std::optional<std::string> no;
  const struct {
    std::string_view name;
    std::vector<Said> servers;
    std::string_view legacy;
  } cases[] = {
      {"no servers", {}, "{}"},
      {"none", {{"a", "{}", no}}, "{}"},
      {"tools", {{"a", R"({"tools":{}})", no}}, R"({"tools":{"listChanged":true}})"},
      {"tools of two",
       {{"a", R"({"tools":{"listChanged":true}})", no}, {"b", R"({"tools":{}})", no}},
       R"({"tools":{"listChanged":true}})"},
      {"resources",
       {{"a", R"({"resources":{"subscribe":false}})", no}},
       R"({"resources":{"listChanged":true}})"},
      {"resources, and another's subscriptions",
       {{"a", R"({"resources":{}})", no}, {"b", R"({"resources":{"subscribe":true}})", no}},
       R"({"resources":{"subscribe":true,"listChanged":true}})"},
      {"a union",
       {{"a", R"({"prompts":{},"logging":{}})", no}, {"b", R"({"tools":{},"completions":{}})", no}},
       R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},)"
       R"("completions":{},"logging":{}})"},
      {"what clients are not told",
       {{"a", R"({"tasks":{},"experimental":{"x":{}},"extensions":{"y":{}}})", no}},
       "{}"},
      {"another era's", {{"a", no, R"({"tools":{}})"}}, R"({"tools":{"listChanged":true}})"},
      {"no JSON",
       {{"a", R"({"tools":)", no}, {"b", R"({"prompts":{}})", no}},
       R"({"prompts":{"listChanged":true}})"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(declared(directory(c.servers), Era::legacy), c.legacy);
  }
  const Directory modern = directory({{"a", R"({"tools":{}})", R"({"prompts":{}})"}});
  EXPECT_EQ(declared(modern, Era::modern), R"({"prompts":{"listChanged":true}})");
}

TEST(Directory, DeclaresSkillsToModernClients) {
  const auto with = [](std::string_view skills) {
    return R"({"resources":{},"extensions":{"io.modelcontextprotocol/skills":)" +
           std::string(skills) + "}}";
  };
  constexpr std::string_view kPlain = R"("extensions":{"io.modelcontextprotocol/skills":{}}})";
  constexpr std::string_view kDirectories =
      R"("extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}})";
  const std::string resources = R"({"resources":{"listChanged":true})";
  const std::optional<std::string> no;
  const struct {
    std::string_view name;
    std::vector<Said> servers;
    std::string modern;
  } cases[] = {
      {"skills", {{"a", no, with("{}")}}, resources + "," + std::string(kPlain)},
      {"with directories",
       {{"a", no, with(R"({"directoryRead":true})")}},
       resources + "," + std::string(kDirectories)},
      {"of two",
       {{"a", no, with("{}")}, {"b", no, with(R"({"directoryRead":true})")}},
       resources + "," + std::string(kDirectories)},
      {"no object", {{"a", no, with("true")}}, resources + "}"},
      {"of a legacy server", {{"a", with("{}"), no}}, resources + "}"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Directory all = directory(c.servers);
    EXPECT_EQ(declared(all, Era::modern), c.modern);
    EXPECT_EQ(declared(all, Era::legacy), resources + "}");
    EXPECT_EQ(serves_skills(all, "a"), c.modern.contains("extensions"));
  }
  EXPECT_FALSE(serves_skills({}, "a"));
}

TEST(Directory, DeclaresLogsWhereTheyArePassedOn) {
  Directory quiet = directory({{"a", R"({"logging":{}})", std::nullopt}});
  EXPECT_EQ(declared(quiet, Era::legacy), R"({"logging":{}})");
  quiet.servers["a"].legacy->passes_logs = false;
  EXPECT_EQ(declared(quiet, Era::legacy), "{}");
}

TEST(Directory, DeclaresNoNewsWhereThereAreAnswersOnly) {
  const Directory all = directory(
      {{"a",
        R"({"tools":{},"prompts":{},"resources":{"subscribe":true},"completions":{},"logging":{}})",
        std::nullopt}});
  EXPECT_EQ(
      merged_capabilities(offered_by(all, {}, Era::legacy, kShowsAll), Announced::answers_only),
      R"({"tools":{},"prompts":{},"resources":{},"completions":{}})");
}

TEST(Directory, MergesInstructionsUnderTheirServers) {
  Directory all = directory({{"a", "{}", "{}"}, {"b", "{}", std::nullopt}, {"c", "{}", "{}"}});
  EXPECT_EQ(merged_instructions(all, Era::legacy, kShowsAll), "");
  all.servers["b"].legacy->instructions = "Be brief.";
  EXPECT_EQ(merged_instructions(all, Era::legacy, kShowsAll), "Be brief.");
  all.servers["a"].legacy->instructions = "Be kind.";
  EXPECT_EQ(merged_instructions(all, Era::legacy, kShowsAll), "a:\nBe kind.\n\nb:\nBe brief.");
  EXPECT_EQ(merged_instructions(all, Era::modern, kShowsAll), "Be brief.")
      << "b speaks the legacy era alone, and serves clients of both";
}

}  // namespace
}  // namespace bartizan
