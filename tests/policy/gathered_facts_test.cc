// What a policy asks of the world outside, and what it makes of the answers.
#include "policy/gathered_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/check_arguments.h"
#include "policy/compile_policy.h"
#include "policy/value_predicate.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Reason;
using Ask = Question::Kind;
using Where = FoundPlace::Where;
using Kind = FoundPlace::Kind;

// Of "abc" and of nothing.
constexpr std::string_view kAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr std::string_view kEmpty =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

GatheredFact place(std::string name, FoundPlace found, std::string root = "/srv/data") {
  return {{.kind = Ask::place, .root = std::move(root), .name = std::move(name)}, std::move(found)};
}
GatheredFact file(std::string name) {
  return place(std::move(name), {.where = Where::inside, .kind = Kind::file});
}
GatheredFact content(std::string name, std::string_view sha256) {
  return {{.kind = Ask::content, .root = "/srv/data", .name = std::move(name)},
          FoundContent{std::string(sha256)}};
}
GatheredFact led(std::string name, std::vector<std::string> addresses) {
  return {{.kind = Ask::addresses, .name = std::move(name)}, FoundAddresses{std::move(addresses)}};
}
GatheredFact unknown(Ask kind, std::string root, std::string name) {
  return {{.kind = kind, .root = std::move(root), .name = std::move(name)}, NotFoundOut()};
}

PathConfig on_disk(PathConfig path = {}) {
  path.name = "docs";
  path.root = "/srv/data";
  path.resolve = PathConfig::Resolve::filesystem;
  return path;
}

/// What one predicate says of a string.
Reason judge(const Predicate& predicate, const PathConfig& path, std::string_view text,
             const std::vector<GatheredFact>& facts) {
  const auto compiled = compile_predicate(predicate, {{"docs", path}});
  std::string json;
  append_json_string(json, text);
  const Bytes bytes(json);
  JsonDocument document;
  ValueFacts values{.cwd = "/srv/data", .outside = {.facts = facts}};
  return judge_value(*compiled, document.read(bytes).value(), values);
}

TEST(FactsOfPlaces, AreHeldToTheSameRules) {
  const PathConfig any = on_disk();
  const PathConfig only_files = on_disk({.kind = PathConfig::Kind::file, .extensions = {".md"}});
  const PathConfig typed = on_disk({.extensions = {".md"}});
  const PathConfig folders = on_disk({.kind = PathConfig::Kind::directory});
  const PathConfig hidden = on_disk({.refuse_hidden = true, .deny = {"private"}});
  const FoundPlace outside{.where = Where::outside};
  const FoundPlace absent{.where = Where::absent};
  const FoundPlace directory{.where = Where::inside, .kind = Kind::directory};
  const FoundPlace pipe{.where = Where::inside, .kind = Kind::other};
  const auto leads = [](std::string to, Kind kind = Kind::file) {
    return FoundPlace{.where = Where::inside, .kind = kind, .leads_to = std::move(to)};
  };
  const struct {
    std::string_view name;
    PathConfig path;
    std::string_view text;
    std::vector<GatheredFact> facts;
    Reason want;
  } cases[] = {
      {"a file inside", any, "/srv/data/a.md", {file("a.md")}, none},
      {"relative, from where the server runs", any, "a.md", {file("a.md")}, none},
      {"the root", any, "/srv/data", {place("", directory)}, none},
      {"a link to outside", any, "/srv/data/a.md", {place("a.md", outside)}, path_outside_root},
      {"a new file", any, "/srv/data/new.md", {place("new.md", absent)}, none},
      {"nobody has looked", any, "/srv/data/a.md", {}, argument_undecidable},
      {"somebody looked elsewhere", any, "/srv/data/a.md", {file("b.md")}, argument_undecidable},
      {"below another root",
       any,
       "/srv/data/a.md",
       {place("data/a.md", {.where = Where::inside, .kind = Kind::file}, "/srv")},
       argument_undecidable},
      {"below the top",
       any,
       "/srv/data/a.md",
       {place("srv/data/a.md", {.where = Where::inside, .kind = Kind::file}, "/")},
       argument_undecidable},
      {"as a person says",
       any,
       "/srv/data/a.md",
       {place("/srv/data/a.md", {.where = Where::inside, .kind = Kind::file}, "")},
       none},
      {"nobody could tell",
       any,
       "/srv/data/a.md",
       {unknown(Ask::place, "/srv/data", "a.md")},
       path_unresolved},
      {"the text alone is outside", any, "/etc/passwd", {}, path_outside_root},
      {"the text alone is malformed", any, "~/a", {}, path_malformed},
      {"a folder where a file is wanted",
       only_files,
       "/srv/data/a.md",
       {place("a.md", directory)},
       path_not_allowed},
      {"a file where a folder is wanted", folders, "/srv/data/a", {file("a")}, path_not_allowed},
      {"a pipe", any, "/srv/data/a", {place("a", pipe)}, path_not_allowed},
      {"a file without an extension",
       typed,
       "/srv/data/a",
       {file("a")},
       path_extension_not_allowed},
      {"a folder without an extension", typed, "/srv/data/a", {place("a", directory)}, none},
      {"a link to another kind of file",
       typed,
       "/srv/data/a.md",
       {place("a.md", leads("a.key"))},
       path_extension_not_allowed},
      {"a link to what is denied",
       hidden,
       "/srv/data/a.md",
       {place("a.md", leads("private/a.md"))},
       path_not_allowed},
      {"a link to what is hidden",
       hidden,
       "/srv/data/a.md",
       {place("a.md", leads(".git/config"))},
       path_not_allowed},
      {"a link to what is allowed",
       hidden,
       "/srv/data/a.md",
       {place("a.md", leads("b/a.md"))},
       none},
      {"a new file behind a link to what is denied",
       hidden,
       "/srv/data/l/new.md",
       {place("l/new.md", {.where = Where::absent, .leads_to = "private/new.md"})},
       path_not_allowed},
      // A program may take `l/..` off, or follow the link `l` first.
      {"a step back", any, "/srv/data/l/../a.md", {file("a.md"), file("l/../a.md")}, none},
      {"a step back, looked for in one way",
       any,
       "/srv/data/l/../a.md",
       {file("a.md")},
       argument_undecidable},
      {"a step back behind a link",
       any,
       "/srv/data/l/../a.md",
       {file("a.md"), place("l/../a.md", outside)},
       path_outside_root},
      {"a step back before the root", any, "/srv/x/../data/a.md", {file("a.md")}, path_malformed},
      // Each way in which programs read it leads somewhere.
      {"an escape", any, "/srv/data/a%20b", {file("a%20b"), file("a b")}, none},
      {"an escape, looked for in one way",
       any,
       "/srv/data/a%20b",
       {file("a%20b")},
       argument_undecidable},
      {"an escape whose text is a link",
       any,
       "/srv/data/a%20b",
       {file("a%20b"), place("a b", outside)},
       path_outside_root},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge(PathPredicate{"docs"}, c.path, c.text, c.facts), c.want);
  }
}

TEST(FactsOfPlaces, AreNotAskedForWherePathsAreText) {
  PathConfig path = on_disk();
  path.resolve = PathConfig::Resolve::lexical;
  EXPECT_EQ(judge(PathPredicate{"docs"}, path, "/srv/data/a.md", {}), none);
  EXPECT_EQ(judge(PathPredicate{"docs"}, path, "/srv/data/a.md",
                  {place("a.md", {.where = Where::outside})}),
            none);
}

TEST(FactsOfAddresses, LetPassWhatAllMayReach) {
  const auto ask = [](bool allow_private) {
    return UrlPredicate{.form = {.hosts = {"**"}, .allow_private = allow_private, .resolve = true}};
  };
  const struct {
    std::string_view name;
    bool allow_private;
    std::string_view url;
    std::vector<GatheredFact> facts;
    Reason want;
  } cases[] = {
      {"of the Internet",
       false,
       "https://a.example.com/",
       {led("a.example.com", {"1.1.1.1"})},
       none},
      {"of both kinds",
       false,
       "https://a.example.com/",
       {led("a.example.com", {"1.1.1.1", "2606:4700::1111"})},
       none},
      {"one of the machine itself",
       false,
       "https://a.example.com/",
       {led("a.example.com", {"1.1.1.1", "127.0.0.1"})},
       url_private},
      {"mapped",
       false,
       "https://a.example.com/",
       {led("a.example.com", {"::ffff:10.0.0.1"})},
       url_private},
      {"mapped, of the Internet",
       false,
       "https://a.example.com/",
       {led("a.example.com", {"::ffff:1.1.1.1"})},
       url_private},
      {"metadata",
       true,
       "https://a.example.com/",
       {led("a.example.com", {"169.254.169.254"})},
       url_private},
      {"private, and allowed",
       true,
       "https://a.example.com/",
       {led("a.example.com", {"10.0.0.1"})},
       none},
      {"in capitals", false, "https://A.Example.COM/", {led("a.example.com", {"1.1.1.1"})}, none},
      {"no address", false, "https://a.example.com/", {led("a.example.com", {})}, url_unresolved},
      {"no address that can be read",
       false,
       "https://a.example.com/",
       {led("a.example.com", {"fe80::1%eth0"})},
       url_private},
      {"nobody could tell",
       false,
       "https://a.example.com/",
       {unknown(Ask::addresses, "", "a.example.com")},
       url_unresolved},
      {"nobody has looked", false, "https://a.example.com/", {}, argument_undecidable},
      {"another name",
       false,
       "https://a.example.com/",
       {led("example.com", {"1.1.1.1"})},
       argument_undecidable},
      {"an address needs no answer", false, "https://1.1.1.1/", {}, none},
      {"an address that is private", false, "https://10.0.0.1/", {}, url_private},
      {"a name that is private by itself",
       false,
       "https://localhost/",
       {led("localhost", {"1.1.1.1"})},
       url_private},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge(ask(c.allow_private), {}, c.url, c.facts), c.want);
  }
}

TEST(Digest, IsOfTheValueOrOfItsFile) {
  const DigestPredicate of_value{.sha256 = {std::string(kEmpty), std::string(kAbc)}};
  const DigestPredicate of_file{.sha256 = {std::string(kAbc)}, .path = "docs"};
  const struct {
    std::string_view name;
    DigestPredicate digest;
    std::string_view text;
    std::vector<GatheredFact> facts;
    Reason want;
  } cases[] = {
      {"of the value", of_value, "abc", {}, none},
      {"of no text", of_value, "", {}, none},
      {"of another value", of_value, "abd", {}, argument_not_allowed},
      {"the digest itself", of_value, kAbc, {}, argument_not_allowed},
      {"of the file", of_file, "/srv/data/a", {file("a"), content("a", kAbc)}, none},
      {"of another file",
       of_file,
       "/srv/data/a",
       {file("a"), content("a", kEmpty)},
       argument_not_allowed},
      {"of no file, or of too large a one",
       of_file,
       "/srv/data/a",
       {file("a"), content("a", "")},
       path_not_allowed},
      {"nobody has read it", of_file, "/srv/data/a", {file("a")}, argument_undecidable},
      {"nobody could read it",
       of_file,
       "/srv/data/a",
       {file("a"), unknown(Ask::content, "/srv/data", "a")},
       path_unresolved},
      {"a path outside", of_file, "/etc/passwd", {content("a", kAbc)}, path_outside_root},
      {"a link to outside",
       of_file,
       "/srv/data/a",
       {place("a", {.where = Where::outside}), content("a", kAbc)},
       path_outside_root},
      {"a path that is read in two ways",
       of_file,
       "/srv/data/a%20b",
       {file("a%20b"), file("a b"), content("a%20b", kAbc), content("a b", kAbc)},
       path_unresolved},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge(c.digest, on_disk(), c.text, c.facts), c.want);
  }
  const auto compiled = compile_predicate(of_value, {});
  const Bytes number("7");
  JsonDocument document;
  ValueFacts values;
  EXPECT_EQ(judge_value(*compiled, document.read(number).value(), values), argument_wrong_type);
}

ArgumentPredicate asking(std::string pointer, Predicate predicate) {
  return {.pointer = std::move(pointer), .predicate = std::move(predicate), .optional = true};
}

/// Every caller may call, and two arguments ask.
Config asking_config() {
  Config config = sample_config();
  config.paths["docs"] = on_disk();
  config.tools = {
      {.pattern = "files/*",
       .arguments = {asking("/path", PathPredicate{"docs"}),
                     asking("/paths/*", PathPredicate{"docs"}),
                     asking("/url", UrlPredicate{.form = {.hosts = {"**"}, .resolve = true}})}}};
  add_rule(config, sample_rule("read", Effect::permit, {"analyst"}, {"files/*"}));
  return config;
}

std::vector<Question> questions(const Config& config, std::string_view arguments,
                                std::vector<GatheredFact> facts = {},
                                std::string_view principal = "ann") {
  const ToolDefinition definition =
      sample_tool(R"({"type":"object","properties":{"path":{},"to":{}}})");
  const auto policy = compile_policy(config, sample_names());
  const auto sample = sample_tool_call("files", "read_text", arguments);
  sample->call.principal = policy->find_principal(principal);
  sample->call.facts.tool = &definition;
  sample->call.facts.gathered = std::move(facts);
  return policy->questions(sample->call);
}

TEST(Questions, AreThoseOfACallThatMayPass) {
  const Config config = asking_config();
  EXPECT_EQ(questions(config, R"({"path":"a","url":"https://b.example.com/"})"),
            (std::vector<Question>{{.kind = Ask::place, .root = "/srv/data", .name = "a"},
                                   {.kind = Ask::addresses, .name = "b.example.com"}}));
  EXPECT_EQ(questions(config, R"({"paths":["a","a","b"]})").size(), 2U) << "each once";
  EXPECT_TRUE(questions(config, R"({"path":"a"})", {file("a")}).empty()) << "it is known";
  EXPECT_TRUE(questions(config, "{}").empty());
  // Whatever is refused anyway makes nobody look.
  EXPECT_TRUE(questions(config, R"({"path":"a"})", {}, "dan").empty()) << "no rule";
  EXPECT_TRUE(questions(config, R"({"path":"a","url":"http://10.0.0.1/"})").empty());
  EXPECT_TRUE(
      questions(config, R"({"path":"/etc/passwd","url":"https://b.example.com/"})").empty());
  EXPECT_TRUE(questions(config, R"({"path":"a","other":1})").empty()) << "unguarded";
}

TEST(Questions, AreNoneWhereNothingAsks) {
  Config config = asking_config();
  config.paths["docs"].resolve = PathConfig::Resolve::lexical;
  config.tools[0].arguments.pop_back();
  EXPECT_TRUE(questions(config, R"({"path":"a"})").empty());
  config = asking_config();
  config.tools[0].pattern = "other/*";
  EXPECT_TRUE(questions(config, R"({"path":"a"})").empty());
}

TEST(Questions, AreNoMoreThanOneCallMayPose) {
  const auto paths = [](std::size_t count) {
    std::string json = R"({"paths":[)";
    for (std::size_t i = 0; i < count; ++i)
      json += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\"";
    return json + "]}";
  };
  const Config config = asking_config();
  EXPECT_EQ(questions(config, paths(limits::questions_max)).size(), limits::questions_max);
  EXPECT_TRUE(questions(config, paths(limits::questions_max + 1)).empty());
  std::vector<GatheredFact> known{file("x")};
  EXPECT_TRUE(questions(config, paths(limits::questions_max), known).empty()) << "one was answered";
}

Reason decide(const Config& config, std::string_view arguments, std::vector<GatheredFact> facts) {
  const ToolDefinition definition =
      sample_tool(R"({"type":"object","properties":{"path":{},"to":{}}})");
  const auto policy = compile_policy(config, sample_names());
  const auto sample = sample_tool_call("files", "read_text", arguments);
  sample->call.principal = policy->find_principal("ann");
  sample->call.facts.tool = &definition;
  sample->call.facts.gathered = std::move(facts);
  const Verdict verdict = policy->judge(sample->call);
  const auto* denial = std::get_if<Denial>(&verdict);
  return denial == nullptr ? none : denial->decision.reason;
}

Config with_rule(Effect effect, RuleConditions when) {
  Config config = sample_config();
  config.paths["docs"] = on_disk();
  if (effect != Effect::permit) {
    add_rule(config, sample_rule("all", Effect::permit, {"analyst"}, {"files/*"}));
  }
  RuleConfig rule = sample_rule("if", effect, {"analyst"}, {"files/*"});
  rule.when = std::move(when);
  add_rule(config, std::move(rule));
  return config;
}

// In a condition, too, what nobody has told decides nothing: a permit does not match, a forbid
// does.
TEST(FactsInRules, AreAskedForAndDecide) {
  const RuleConditions in_docs{
      .arguments = {{.pointer = "/path", .predicate = PathPredicate{"docs"}}}};
  const Config permit = with_rule(Effect::permit, in_docs);
  const Config forbid = with_rule(Effect::forbid, in_docs);
  constexpr std::string_view kCall = R"({"path":"a"})";
  EXPECT_EQ(decide(permit, kCall, {}), no_matching_rule);
  EXPECT_EQ(decide(permit, kCall, {file("a")}), none);
  EXPECT_EQ(decide(permit, kCall, {place("a", {.where = Where::outside})}), no_matching_rule);
  EXPECT_EQ(decide(forbid, kCall, {}), forbidden);
  EXPECT_EQ(decide(forbid, kCall, {file("a")}), forbidden);
  EXPECT_EQ(decide(forbid, kCall, {place("a", {.where = Where::outside})}), forbidden);
  // Outside by its text, and yet a link there may lead in.
  EXPECT_EQ(decide(forbid, R"({"path":"/tmp/a"})", {}), forbidden);
  EXPECT_EQ(decide(permit, R"({"path":"/tmp/a"})", {}), no_matching_rule);
  EXPECT_EQ(questions(permit, kCall).size(), 1U);
  EXPECT_EQ(questions(forbid, kCall).size(), 1U);
}

// Of what nobody has read it is not known that a forbid does not mean it.
TEST(FactsInRules, ForbidByADigestWhatNobodyHasRead) {
  const RuleConditions is_abc{
      .arguments = {
          {.pointer = "/path", .predicate = DigestPredicate{{std::string(kAbc)}, "docs"}}}};
  const struct {
    std::string_view name;
    std::vector<GatheredFact> facts;
    Reason of_forbid;
    Reason of_permit;
  } cases[] = {
      {"it is that file", {file("a"), content("a", kAbc)}, forbidden, none},
      {"it is another", {file("a"), content("a", kEmpty)}, none, no_matching_rule},
      {"too large, or no file", {file("a"), content("a", "")}, forbidden, no_matching_rule},
      {"nobody could read it",
       {file("a"), unknown(Ask::content, "/srv/data", "a")},
       forbidden,
       no_matching_rule},
      {"nobody has read it", {file("a")}, forbidden, no_matching_rule},
      {"it leads out",
       {place("a", {.where = Where::outside}), content("a", "")},
       forbidden,
       no_matching_rule},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    constexpr std::string_view kCall = R"({"path":"a"})";
    EXPECT_EQ(decide(with_rule(Effect::forbid, is_abc), kCall, c.facts), c.of_forbid);
    EXPECT_EQ(decide(with_rule(Effect::permit, is_abc), kCall, c.facts), c.of_permit);
  }
}

TEST(FactsInRules, LeadToMoreQuestions) {
  Config config = with_rule(
      Effect::permit, {.arguments = {{.pointer = "/path", .predicate = PathPredicate{"docs"}}}});
  RuleConfig second = sample_rule("then", Effect::permit, {"analyst"}, {"files/*"});
  second.when.arguments = {
      {.pointer = "/to", .predicate = DigestPredicate{{std::string(kAbc)}, "docs"}}};
  add_rule(config, std::move(second));
  constexpr std::string_view kCall = R"({"path":"a","to":"b"})";
  std::vector<GatheredFact> facts;
  std::size_t rounds = 0;
  for (auto open = questions(config, kCall); !open.empty();
       open = questions(config, kCall, facts)) {
    ASSERT_LT(++rounds, 4U);
    for (const Question& question : open) {
      const bool is_first = question.name == "a";
      if (question.kind == Ask::content) facts.push_back(content(question.name, kAbc));
      if (question.kind != Ask::place) continue;
      facts.push_back(is_first ? place("a", {.where = Where::outside}) : file(question.name));
    }
  }
  EXPECT_EQ(decide(config, kCall, facts), none);
}

TEST(FindFact, TellsRootsApart) {
  const std::vector<GatheredFact> facts{file("a"), place("/srv/data/b", {}, "")};
  EXPECT_NE(find_fact(facts, Ask::place, "/srv/data", "a"), nullptr);
  EXPECT_NE(find_fact(facts, Ask::place, "/srv/data", "b"), nullptr);
  EXPECT_NE(find_fact(facts, Ask::place, "/srv", "data/b"), nullptr);
  EXPECT_NE(find_fact(facts, Ask::place, "/", "srv/data/b"), nullptr);
  EXPECT_EQ(find_fact(facts, Ask::place, "/srv", "data/a"), nullptr);
  EXPECT_EQ(find_fact(facts, Ask::place, "/srv/dat", "a/b"), nullptr);
  EXPECT_EQ(find_fact(facts, Ask::content, "/srv/data", "a"), nullptr);
  EXPECT_EQ(find_fact(facts, Ask::place, "/srv/data", ""), nullptr);
}

TEST(Questions, HaveTheNamesThatDescriptionsUse) {
  EXPECT_EQ(text(Question{.kind = Ask::place, .root = "/srv", .name = "a\"b"}),
            R"(places "/srv/a\"b")");
  EXPECT_EQ(text(Question{.kind = Ask::content, .root = "/", .name = "a"}), R"(contents "/a")");
  EXPECT_EQ(text(Question{.kind = Ask::place, .root = "/srv", .name = ""}), R"(places "/srv")");
  EXPECT_EQ(text(Question{.kind = Ask::addresses, .name = "a.b"}), R"(addresses "a.b")");
}

}  // namespace
}  // namespace bartizan
