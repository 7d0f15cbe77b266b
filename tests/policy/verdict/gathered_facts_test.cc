// What a policy asks of the world outside, and what it makes of the answers.
#include "policy/verdict/gathered_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "policy/check/check_arguments.h"
#include "policy/check/compile_policy.h"
#include "policy/predicate/value_predicate.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Reason;
using Ask = FactQuery::Kind;
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
      {"a link that leads to nothing",
       any,
       "/srv/data/a.md",
       {{{.kind = Ask::place, .root = "/srv/data", .name = "a.md"},
         NotFoundOut{NotFoundOut::Why::leads_nowhere}}},
       path_unreachable},
      {"a folder that nobody may enter",
       any,
       "/srv/data/a.md",
       {{{.kind = Ask::place, .root = "/srv/data", .name = "a.md"},
         NotFoundOut{NotFoundOut::Why::not_reachable}}},
       path_unreachable},
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

GatheredFact begins(std::string name, bool is_text) {
  return {{.kind = Ask::text, .root = "/srv/data", .name = std::move(name)}, FoundText{is_text}};
}

// Of a file that is there; what is not there yet holds nothing.
TEST(FactsOfTexts, RefuseFilesThatAreNone) {
  const PathConfig text = on_disk({.content = PathConfig::Content::text});
  const PathConfig typed = on_disk({.extensions = {".md"}, .content = PathConfig::Content::text});
  const FoundPlace link{.where = Where::inside, .kind = Kind::file, .leads_to = "b.md"};
  const struct {
    std::string_view name;
    PathConfig path;
    std::string_view text;
    std::vector<GatheredFact> facts;
    Reason want;
  } cases[] = {
      {"text", text, "/srv/data/a.md", {file("a.md"), begins("a.md", true)}, none},
      {"a binary", text, "/srv/data/a.md", {file("a.md"), begins("a.md", false)}, path_not_text},
      {"nobody asks", on_disk(), "/srv/data/a.md", {file("a.md")}, none},
      {"nobody has looked", text, "/srv/data/a.md", {file("a.md")}, argument_undecidable},
      {"somebody looked elsewhere",
       text,
       "/srv/data/a.md",
       {file("a.md"), begins("b.md", true)},
       argument_undecidable},
      {"nobody could tell",
       text,
       "/srv/data/a.md",
       {file("a.md"), unknown(Ask::text, "/srv/data", "a.md")},
       path_unresolved},
      {"nobody may read it",
       text,
       "/srv/data/a.md",
       {file("a.md"),
        {{.kind = Ask::text, .root = "/srv/data", .name = "a.md"},
         NotFoundOut{NotFoundOut::Why::not_readable}}},
       path_unreachable},
      {"a new file", text, "/srv/data/a.md", {place("a.md", {.where = Where::absent})}, none},
      {"a folder",
       text,
       "/srv/data/a",
       {place("a", {.where = Where::inside, .kind = Kind::directory})},
       none},
      {"a link to text", text, "/srv/data/a.md", {place("a.md", link), begins("a.md", true)}, none},
      {"a link to a binary",
       text,
       "/srv/data/a.md",
       {place("a.md", link), begins("a.md", false)},
       path_not_text},
      {"its name is told first",
       typed,
       "/srv/data/a.exe",
       {file("a.exe"), begins("a.exe", false)},
       path_extension_not_allowed},
      // Each way in which programs read it leads to text.
      {"an escape",
       text,
       "/srv/data/a%20b",
       {file("a%20b"), file("a b"), begins("a%20b", true), begins("a b", true)},
       none},
      {"an escape, and a binary in one way",
       text,
       "/srv/data/a%20b",
       {file("a%20b"), file("a b"), begins("a%20b", true), begins("a b", false)},
       path_not_text},
      {"a step back, and a binary behind the link",
       text,
       "/srv/data/l/../a.md",
       {file("a.md"), file("l/../a.md"), begins("a.md", true), begins("l/../a.md", false)},
       path_not_text},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge(PathPredicate{"docs"}, c.path, c.text, c.facts), c.want);
  }
}

/// What the world outside has to do with a refusal of a string.
OutsideRefusal outside_of(const Predicate& predicate, const PathConfig& path,
                          const std::vector<GatheredFact>& facts) {
  const auto compiled = compile_predicate(predicate, {{"docs", path}});
  const Bytes bytes(std::holds_alternative<UrlPredicate>(predicate)
                        ? std::string_view("\"https://a.example.com/\"")
                        : std::string_view("\"/srv/data/a.md\""));
  JsonDocument document;
  ValueFacts values{
      .cwd = "/srv/data", .outside = {.facts = facts}, .refusal = OutsideRefusal::is_neither};
  static_cast<void>(judge_value(*compiled, document.read(bytes).value(), values));
  return values.refusal;
}

TEST(FactsOfPlaces, SayWhatTheyHaveAgainstIt) {
  using Said = OutsideRefusal;
  using Why = NotFoundOut::Why;
  const PathConfig any = on_disk();
  const PathConfig only_files = on_disk({.kind = PathConfig::Kind::file});
  const PathConfig folders = on_disk({.kind = PathConfig::Kind::directory});
  const PathConfig typed = on_disk({.extensions = {".md"}});
  const PathConfig hidden = on_disk({.refuse_hidden = true});
  const Predicate path = PathPredicate{"docs"};
  const Predicate digest = DigestPredicate{.sha256 = {std::string(kAbc)}, .path = "docs"};
  const Predicate url = UrlPredicate{.form = {.hosts = {"**"}, .resolve = true}};
  const auto lost = [](Why why) {
    return GatheredFact{{.kind = Ask::place, .root = "/srv/data", .name = "a.md"},
                        NotFoundOut{why}};
  };
  const auto is = [](FoundPlace found) { return place("a.md", std::move(found)); };
  const FoundPlace directory{.where = Where::inside, .kind = Kind::directory};
  constexpr std::uint64_t kMost = limits::digested_file_bytes_max;
  const struct {
    std::string_view name;
    Predicate predicate;
    PathConfig path;
    std::vector<GatheredFact> facts;
    Said want;
  } cases[] = {
      {"it passes", path, any, {file("a.md")}, Said::none},
      {"nobody looked", path, any, {}, Said::none},
      {"no answer in time", path, any, {lost(Why::unanswered)}, Said::none},
      {"a link out", path, any, {is({.where = Where::outside})}, Said::leads_out},
      {"a dangling link", path, any, {lost(Why::leads_nowhere)}, Said::leads_nowhere},
      {"no right to enter", path, any, {lost(Why::not_reachable)}, Said::not_reachable},
      {"links in a circle", path, any, {lost(Why::leads_in_circles)}, Said::leads_in_circles},
      {"no right to read", path, any, {lost(Why::not_readable)}, Said::not_readable},
      {"a name that is too long", path, any, {lost(Why::too_long)}, Said::too_long},
      {"a directory", path, only_files, {is(directory)}, Said::is_directory},
      {"a file", path, folders, {file("a.md")}, Said::is_file},
      {"a pipe", path, any, {is({.where = Where::inside, .kind = Kind::other})}, Said::is_neither},
      {"a binary",
       path,
       on_disk({.content = PathConfig::Content::text}),
       {file("a.md"), begins("a.md", false)},
       Said::is_binary},
      {"a link to another extension",
       path,
       typed,
       {is({.where = Where::inside, .kind = Kind::file, .leads_to = "a.key"})},
       Said::target_refused},
      {"a link to what is hidden",
       path,
       hidden,
       {is({.where = Where::inside, .kind = Kind::file, .leads_to = ".git/a"})},
       Said::target_refused},
      {"nothing to digest",
       digest,
       any,
       {is({.where = Where::absent}), content("a.md", "")},
       Said::is_missing},
      {"a directory to digest",
       digest,
       any,
       {is(directory), content("a.md", "")},
       Said::is_directory},
      {"too large to digest",
       digest,
       any,
       {is({.where = Where::inside, .kind = Kind::file, .bytes = kMost + 1}), content("a.md", "")},
       Said::is_too_large},
      {"as large as may be, and another when it was read",
       digest,
       any,
       {is({.where = Where::inside, .kind = Kind::file, .bytes = kMost}), content("a.md", "")},
       Said::none},
      {"another content",
       digest,
       any,
       {file("a.md"), content("a.md", kEmpty)},
       Said::has_other_digest},
      {"that content", digest, any, {file("a.md"), content("a.md", kAbc)}, Said::none},
      {"a private address", url, any, {led("a.example.com", {"10.0.0.1"})}, Said::address_refused},
      {"an address", url, any, {led("a.example.com", {"1.1.1.1"})}, Said::none},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(text(outside_of(c.predicate, c.path, c.facts)), text(c.want));
  }
  EXPECT_TRUE(retryable(path_unresolved));
  EXPECT_FALSE(retryable(path_unreachable));
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
       path_malformed},
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

std::vector<FactQuery> questions(const Config& config, std::string_view arguments,
                                 std::vector<GatheredFact> facts = {},
                                 std::string_view principal = "ann") {
  const ToolDefinition definition =
      sample_tool(R"({"type":"object","properties":{"path":{},"to":{}}})");
  const auto policy = compile_policy(config, sample_names());
  const auto sample = sample_tool_call("files", "read_text", arguments);
  sample->call.principal = policy->find_principal(principal).get();
  sample->call.facts.tool = &definition;
  sample->call.facts.gathered = std::move(facts);
  return policy->questions(sample->call);
}

TEST(Questions, AreThoseOfACallThatMayPass) {
  const Config config = asking_config();
  EXPECT_EQ(questions(config, R"({"path":"a","url":"https://b.example.com/"})"),
            (std::vector<FactQuery>{{.kind = Ask::place, .root = "/srv/data", .name = "a"},
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
  sample->call.principal = policy->find_principal("ann").get();
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

constexpr std::string_view kAnySchema = R"({"type":"object","properties":{"path":{},"to":{}}})";

/// The refusal of a call; `none` for a permit. Without a schema there is no such tool.
std::string told(const Config& config, std::string_view arguments,
                 std::vector<GatheredFact> facts = {}, std::string_view schema = kAnySchema) {
  const ToolDefinition definition = sample_tool(schema.empty() ? kAnySchema : schema);
  const auto policy = compile_policy(config, sample_names());
  const auto sample = sample_tool_call("files", "read_text", arguments);
  sample->call.principal = policy->find_principal("ann").get();
  if (!schema.empty()) sample->call.facts.tool = &definition;
  sample->call.facts.gathered = std::move(facts);
  const std::vector<CheckAnswer> answers = policy->answers(sample->call);
  const Verdict verdict = policy->judge(sample->call);
  const auto* denial = std::get_if<Denial>(&verdict);
  if (denial == nullptr) return "none";
  EXPECT_EQ(answers.back().check, denial->check) << "explain says what judges";
  EXPECT_EQ(answers.back().decision.pointer, denial->decision.pointer);
  EXPECT_EQ(answers.back().decision.reason, denial->decision.reason);
  return std::string(text(denial->decision.reason)) + " " + denial->decision.pointer;
}

// Nobody looks for a call that is lost, and what nobody looked for is not what is wrong with it.
TEST(Refusals, AreToldByWhatIsCertain) {
  const Config config = asking_config();
  Config turned = config;
  std::ranges::reverse(turned.tools[0].arguments);
  const GatheredFact out = place("a", {.where = Where::outside});
  const struct {
    std::string_view name;
    std::string_view arguments;
    std::vector<GatheredFact> facts;
    std::string_view want;
  } cases[] = {
      {"nothing is wrong", R"({"path":"a"})", {file("a")}, "none"},
      {"asked first, another certainly wrong",
       R"({"path":"a","url":"https://10.0.0.1/"})",
       {},
       "url_private /url"},
      {"certainly wrong first, another asked",
       R"({"path":"/etc/passwd","url":"https://b.example.com/"})",
       {},
       "path_outside_root /path"},
      {"an element behind one that was asked for",
       R"({"paths":["a","/etc/passwd"]})",
       {},
       "path_outside_root /paths/1"},
      {"unguarded beside one that was asked for",
       R"({"path":"a","other":1})",
       {},
       "argument_unguarded /other"},
      {"of another type beside it", R"({"path":"a","url":7})", {}, "argument_wrong_type /url"},
      {"answered, and wrong",
       R"({"path":"a","url":"https://b.example.com/"})",
       {out},
       "path_outside_root /path"},
      {"only one is unanswered", R"({"path":"a"})", {}, "argument_undecidable /path"},
      {"an answer to one of two",
       R"({"path":"a","url":"https://b.example.com/"})",
       {file("a")},
       "argument_undecidable /url"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(told(config, c.arguments, c.facts), c.want);
    EXPECT_EQ(told(turned, c.arguments, c.facts), c.want) << "whatever the order";
  }
  constexpr std::string_view kTwo = R"({"path":"a","url":"https://b.example.com/"})";
  EXPECT_EQ(told(config, kTwo), "argument_undecidable /path");
  EXPECT_EQ(told(turned, kTwo), "argument_undecidable /path") << "the first by its pointer";
}

TEST(Refusals, OfRulesAreToldByWhatIsCertain) {
  const RuleConditions in_docs{
      .arguments = {{.pointer = "/path", .predicate = PathPredicate{"docs"}}}};
  const auto with_number = [](Config config) {
    config.tools = {{.pattern = "files/*",
                     .arguments = {asking("/path", TextPredicate{.max_length = 99}),
                                   asking("/to", NumberPredicate{.max = "9"})}}};
    return config;
  };
  const Config permit = with_number(with_rule(Effect::permit, in_docs));
  Config forbid = with_number(with_rule(Effect::forbid, in_docs));
  EXPECT_EQ(told(permit, R"({"path":"a","to":10})"), "argument_not_allowed /to");
  EXPECT_EQ(told(forbid, R"({"path":"a","to":10})"), "argument_not_allowed /to");
  EXPECT_EQ(told(permit, R"({"path":"a","to":9})"), "no_matching_rule ");
  EXPECT_EQ(told(forbid, R"({"path":"a","to":9})"), "forbidden ");
  EXPECT_EQ(told(permit, R"({"path":"a","to":9})", {file("a")}), "none");
  // What would be hidden stays so.
  forbid.rules.at("if").hide = true;
  EXPECT_EQ(told(forbid, R"({"path":"a","to":10})"), "forbidden ");
}

// Who perhaps may not call is told nothing of what there is to call.
TEST(Refusals, OfRulesTellNothingOfWhatExists) {
  const RuleConditions in_docs{
      .arguments = {{.pointer = "/path", .predicate = PathPredicate{"docs"}}}};
  constexpr std::string_view kMisfit =
      R"({"type":"object","properties":{"path":{}},"required":["no"]})";
  constexpr std::string_view kCall = R"({"path":"a","to":9})";
  for (const Effect effect : {Effect::permit, Effect::forbid}) {
    Config config = with_rule(effect, in_docs);
    config.tools = {{.pattern = "files/*",
                     .arguments = {asking("/path", TextPredicate{.max_length = 99}),
                                   asking("/to", NumberPredicate{.max = "9"})}}};
    const std::string refusal = effect == Effect::permit ? "no_matching_rule " : "forbidden ";
    for (const std::string_view schema : {kAnySchema, kMisfit, std::string_view()}) {
      SCOPED_TRACE(schema);
      EXPECT_EQ(told(config, kCall, {}, schema), refusal);
      EXPECT_EQ(told(config, R"({"path":"a","to":10})", {}, schema), "argument_not_allowed /to");
    }
    const std::vector<GatheredFact> known{
        effect == Effect::permit ? file("a") : place("a", {.where = Where::outside})};
    EXPECT_EQ(told(config, R"({"path":"b"})", known, {}), refusal) << "another was looked for";
  }
  const Config permit = with_rule(Effect::permit, in_docs);
  EXPECT_EQ(told(permit, R"({"path":"a"})", {file("a")}, {}), "tool_unknown ") << "who may call";
  EXPECT_EQ(told(permit, R"({"path":"a"})", {place("a", {.where = Where::outside})}, {}),
            "no_matching_rule ");
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
    for (const FactQuery& question : open) {
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
  EXPECT_EQ(text(FactQuery{.kind = Ask::place, .root = "/srv", .name = "a\"b"}),
            R"(places "/srv/a\"b")");
  EXPECT_EQ(text(FactQuery{.kind = Ask::content, .root = "/", .name = "a"}), R"(contents "/a")");
  EXPECT_EQ(text(FactQuery{.kind = Ask::place, .root = "/srv", .name = ""}), R"(places "/srv")");
  EXPECT_EQ(text(FactQuery{.kind = Ask::addresses, .name = "a.b"}), R"(addresses "a.b")");
}

}  // namespace
}  // namespace bartizan
