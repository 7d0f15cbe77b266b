#include "policy/redact/redactor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/load/load_config.h"
#include "policy/content/content_copies.h"
#include "schemas/json/json_text.h"
#include "tests/policy/fake_secrets.h"
#include "tests/policy/secret_carriers.h"

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;  // 2027-01-15

/// A configuration with two servers, one role, and what a row adds.
Config config_of(std::string_view toml) {
  std::string text = R"(version = 1
[audit]
file = "audit.jsonl"
[role.analyst]
trust = "verified"
[role.auditor]
trust = "verified"
[principal.ann]
roles = ["analyst"]
[server.reports]
command = ["/bin/true"]
[server.files]
command = ["/bin/true"]
)";
  LoadedConfig loaded = load_config_text(text.append(toml), "test.toml");
  EXPECT_TRUE(loaded.usable()) << text;
  for (const ConfigProblem& problem : loaded.problems)
    ADD_FAILURE() << bartizan::text(problem);
  for (const ConfigProblem& problem : find_redaction_problems(loaded.config))
    ADD_FAILURE() << bartizan::text(problem);
  return loaded.config;
}

class RedactorTest : public testing::Test {
 protected:
  /// `$1` … in a text stand for secrets, `$u` for a URL that one of them signs, each drawn once.
  std::string filled(std::string_view text) {
    std::string all(text);
    const std::vector<std::pair<std::string_view, std::string>> places = {
        {"$1", github_}, {"$2", key_}, {"$p", password_}, {"$u", url_}};
    for (const auto& [place, value] : places) {
      for (std::size_t at = all.find(place); at != std::string::npos; at = all.find(place)) {
        all.replace(at, place.size(), value);
      }
    }
    return all;
  }

  Redaction redact(const Config& config, RedactionScope scope, std::string_view json) {
    const Bytes bytes{json};
    JsonDocument document;
    const Result<JsonValue> root = document.read(bytes, kResponseLimits);
    EXPECT_TRUE(root.has_value()) << json;
    scope.now = kNow;
    return redactor_.redact(RedactionRules(config), scope, *root, *root);
  }

  std::string left_of(const Config& config, const RedactionScope& scope, std::string_view json) {
    const Redaction redaction = redact(config, scope, json);
    if (redaction.is_withheld) return "withheld";
    std::string left;
    append_redacted(left, json, redaction.edits);
    const Bytes bytes{std::string_view(left)};
    JsonDocument document;
    EXPECT_TRUE(document.read(bytes, kResponseLimits).has_value()) << left;
    return left;
  }

  FakeSecrets secrets_{7};
  std::string github_ = "ghp_" + secrets_.drawn("A-Za-z0-9", 36);
  std::string key_ = "AKIA" + secrets_.drawn("A-Z2-7", 16);
  std::string password_ = secrets_.password();
  std::string url_ =
      "https://acme.s3.eu-west-1.amazonaws.com/r/7.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256"
      "&X-Amz-Credential=" +
      key_ +
      "%2F20270115%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Signature=" + secrets_.drawn("a-f0-9", 64);
  Redactor redactor_{*compile_scan_database(), HashSeed{1, 2}};
};

constexpr std::string_view kMask = "[redacted:github.token]";

TEST_F(RedactorTest, MasksSecretsWhereverTheyStand) {
  const Config config = config_of("");
  const struct {
    std::string_view name;
    std::string_view json;
    std::string_view left;
  } rows[] = {
      {"nothing to find", R"({"content":[{"type":"text","text":"all is well"}]})",
       R"({"content":[{"type":"text","text":"all is well"}]})"},
      {"a text", R"({"content":[{"type":"text","text":"it is $1."}]})",
       R"({"content":[{"type":"text","text":"it is [redacted:github.token]."}]})"},
      {"twice in a text", R"({"t":"$1 and $1"})",
       R"({"t":"[redacted:github.token] and [redacted:github.token]"})"},
      {"behind escapes", R"({"t":"a\n\t\"\u00e9 $1\n"})",
       R"({"t":"a\n\t\"\u00e9 [redacted:github.token]\n"})"},
      {"two kinds", R"({"t":"$1 $2"})",
       R"({"t":"[redacted:github.token] [redacted:aws.access_key]"})"},
      {"structured", R"({"structuredContent":{"rows":[{"k":"$1"},{"k":"x"}]}})",
       R"({"structuredContent":{"rows":[{"k":"[redacted:github.token]"},{"k":"x"}]}})"},
      {"a name", R"({"$1":1,"b":2})", R"({"[redacted:github.token:0]":1,"b":2})"},
      {"two names", R"({"$1":1,"$2":2})",
       R"({"[redacted:github.token:0]":1,"[redacted:aws.access_key:1]":2})"},
      {"a name and its value", R"({"$1":"$1"})",
       R"({"[redacted:github.token:0]":"[redacted:github.token]"})"},
      {"spaces are kept", "{ \"t\" :\n \"$1\" , \"n\": 1.50 }",
       "{ \"t\" :\n \"[redacted:github.token]\" , \"n\": 1.50 }"},
      {"what a name says of its value", R"({"password":"$p"})",
       R"({"password":"[redacted:assignment]"})"},
      {"a token by its name and by its form", R"({"t":"api_token=$1"})",
       R"({"t":"api_token=[redacted:github.token]"})"},
      {"an almost-token", R"({"t":"ghp_short"})", R"({"t":"ghp_short"})"},
      {"a cursor of what is not a list", R"({"content":[],"nextCursor":"$1"})",
       R"({"content":[],"nextCursor":"[redacted:github.token]"})"},
      {"a state that nobody asks with", R"({"content":[],"requestState":"$1"})",
       R"({"content":[],"requestState":"[redacted:github.token]"})"},
      {"a task's id in a result", R"({"content":[],"taskId":"$1","_meta":{"progressToken":"$1"}})",
       R"({"content":[],"taskId":"[redacted:github.token]","_meta":{"progressToken":"[redacted:github.token]"}})"},
      {"no cursor further down", R"({"a":{"nextCursor":"$1"}})",
       R"({"a":{"nextCursor":"[redacted:github.token]"}})"},
      {"an image",
       R"({"content":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgoA$2AAA="}]})",
       R"({"content":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgoA$2AAA="}]})"},
      {"what does not begin as an image",
       R"({"content":[{"type":"image","mimeType":"image/png","data":"AAAA/$2/AA"}]})",
       R"({"content":[{"type":"image","mimeType":"image/png","data":"AAAA/[redacted:aws.access_key]/AA"}]})"},
      {"an image called a sound",
       R"({"content":[{"type":"audio","mimeType":"audio/wav","data":"iVBORw0KGgoA/$2/A"}]})",
       R"({"content":[{"type":"audio","mimeType":"audio/wav","data":"iVBORw0KGgoA/[redacted:aws.access_key]/A"}]})"},
      {"a picture of text",
       R"({"content":[{"type":"image","mimeType":"image/svg+xml","data":"AAAA/$2/AAA="}]})",
       R"({"content":[{"type":"image","mimeType":"image/svg+xml","data":"AAAA/[redacted:aws.access_key]/AAA="}]})"},
      {"an image that is none",
       R"({"content":[{"type":"image","mimeType":"image/png","data":"is $1"}]})",
       R"({"content":[{"type":"image","mimeType":"image/png","data":"is [redacted:github.token]"}]})"},
      {"data of something else", R"({"content":[{"type":"text","text":"","data":"$1"}]})",
       R"({"content":[{"type":"text","text":"","data":"[redacted:github.token]"}]})"},
      {"a blob of text", R"({"contents":[{"mimeType":"text/plain","blob":"$1"}]})",
       R"({"contents":[{"mimeType":"text/plain","blob":"[redacted:github.token]"}]})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(left_of(config, {.server = "files", .tool = "read"}, filled(row.json)),
              filled(row.left));
  }
}

/// The part of a message that says something.
JsonValue said_in(JsonValue message) {
  for (const std::string_view name : {"result", "error", "params"}) {
    if (const JsonValue said = message.find(name)) return said;
  }
  return message;
}

TEST_F(RedactorTest, LeavesAloneWhatTheProtocolHasThere) {
  using enum MethodId;
  const Answered none{};
  const auto legacy = [](MethodId method) { return Answered{method, Era::legacy}; };
  const auto modern = [](MethodId method) { return Answered{method, Era::modern}; };
  // In the order in which a row is read.
  const struct {  // NOLINT(clang-analyzer-optin.performance.Padding)
    std::string_view name;
    Answered answered;
    std::string_view json;
    bool is_left;
  } rows[] = {
      {"a cursor of tools", legacy(tools_list),
       R"({"id":1,"result":{"tools":[],"nextCursor":"$1"}})", true},
      {"of prompts", modern(prompts_list), R"({"id":1,"result":{"prompts":[],"nextCursor":"$1"}})",
       true},
      {"of resources", legacy(resources_list), R"({"id":1,"result":{"nextCursor":"$1"}})", true},
      {"of templates", legacy(resources_templates_list), R"({"id":1,"result":{"nextCursor":"$1"}})",
       true},
      {"a cursor of a call", legacy(tools_call),
       R"({"id":1,"result":{"content":[],"nextCursor":"$1"}})", false},
      {"a cursor of a call that looks like a page", legacy(tools_call),
       R"({"id":1,"result":{"content":[],"tools":[],"nextCursor":"$1"}})", false},
      {"a cursor of nobody knows what", none, R"({"id":1,"result":{"tools":[],"nextCursor":"$1"}})",
       false},
      {"a cursor of an error", legacy(tools_list),
       R"({"id":1,"error":{"code":1,"message":"m","nextCursor":"$1"}})", false},
      {"a cursor further down", legacy(tools_list),
       R"({"id":1,"result":{"tools":[{"nextCursor":"$1"}]}})", false},
      {"a cursor that a server asks with", none,
       R"({"id":1,"method":"roots/list","params":{"cursor":"$1"}})", false},
      {"a state", modern(tools_call),
       R"({"id":1,"result":{"resultType":"input_required","requestState":"$1"}})", true},
      {"a state of a prompt", modern(prompts_get),
       R"({"id":1,"result":{"resultType":"input_required","requestState":"$1"}})", true},
      {"a state before there were any", legacy(tools_call),
       R"({"id":1,"result":{"resultType":"input_required","requestState":"$1"}})", false},
      {"a state of what is complete", modern(tools_call),
       R"({"id":1,"result":{"resultType":"complete","content":[],"requestState":"$1"}})", false},
      {"a state without a type", modern(tools_call),
       R"({"id":1,"result":{"inputRequests":{},"requestState":"$1"}})", false},
      {"a state of a list", modern(tools_list),
       R"({"id":1,"result":{"resultType":"input_required","tools":[],"requestState":"$1"}})",
       false},
      {"a task's id", legacy(tasks_get), R"({"id":1,"result":{"taskId":"$1","status":"working"}})",
       true},
      {"a task's id of a call", legacy(tools_call),
       R"({"id":1,"result":{"taskId":"$1","status":"working","createdAt":"2026-11-22T00:00:00Z"}})",
       false},
      {"a task's id in its notification", none,
       R"({"method":"notifications/tasks/status","params":{"taskId":"$1"}})", true},
      {"in another notification", none,
       R"({"method":"notifications/message","params":{"taskId":"$1"}})", false},
      {"a token of progress", none,
       R"({"method":"notifications/progress","params":{"progressToken":"$1","progress":1}})", true},
      {"in another notification", none,
       R"({"method":"notifications/message","params":{"progressToken":"$1"}})", false},
      {"what is cancelled", none,
       R"({"method":"notifications/cancelled","params":{"requestId":"$1"}})", true},
      {"what a server wants to hear of", none,
       R"({"id":1,"method":"sampling/createMessage","params":{"_meta":{"progressToken":"$1"}}})",
       true},
      {"what an unknown method wants", none,
       R"({"id":1,"method":"x/y","params":{"_meta":{"progressToken":"$1"}}})", false},
      {"a request's id", none, R"({"id":"$1","method":"roots/list","params":{}})", true},
      {"the id of what is not a message", none, R"({"id":"$1","name":"a"})", false},
  };
  const Config config = config_of("");
  const Config off =
      config_of("[redact.secrets]\ndetectors = [\"secrets\"]\naction = \"observe\"\n");
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string json = filled(row.json);
    const Bytes bytes{std::string_view(json)};
    JsonDocument document;
    const JsonValue message = *document.read(bytes, kResponseLimits);
    const RedactionScope scope{.now = kNow, .answered = row.answered};
    const auto passes = [&](const Config& by) {
      return redactor_.redact(RedactionRules(by), scope, message, said_in(message)).passes();
    };
    EXPECT_EQ(passes(config), row.is_left);
    EXPECT_TRUE(passes(off));
  }
}

TEST_F(RedactorTest, LeavesAloneMediaThatAreWhatTheySay) {
  // How these files begin, to a whole group of base64.
  const std::string png(
      "\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\x06\0\0\0\x1F\x15\xC4\x89", 33);
  const std::string jpeg("\xFF\xD8\xFF\xE0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xFF", 21);
  const std::string wav("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0", 24);
  const std::string gif("GIF89a\1\0\1\0\x80\0", 12);
  const std::string text = "my token is " + github_ + " ";
  // Letters of a picture that look like a key.
  const auto file = [this](std::string_view begin) {
    return base64_of(begin) + "/" + key_ + "/AA";
  };
  const auto image = [](std::string_view mime, const std::string& data) {
    return R"({"content":[{"type":"image","mimeType":")" + std::string(mime) + R"(","data":")" +
           data + R"("}]})";
  };
  const auto audio = [](std::string_view mime, const std::string& data) {
    return R"({"content":[{"type":"audio","mimeType":")" + std::string(mime) + R"(","data":")" +
           data + R"("}]})";
  };
  const auto blob = [](std::string_view mime, const std::string& data) {
    return R"({"contents":[{"uri":"a:b","mimeType":")" + std::string(mime) + R"(","blob":")" +
           data + R"("}]})";
  };
  const struct {
    std::string_view name;
    std::string json;
    bool is_left;
  } rows[] = {
      {"a PNG", image("image/png", file(png)), true},
      {"a PNG with a parameter", image("image/PNG; a=b", file(png)), true},
      {"a JPEG", image("image/jpeg", file(jpeg)), true},
      {"a GIF", image("image/gif", file(gif)), true},
      {"a WAV", audio("audio/wav", file(wav)), true},
      {"a PNG as a blob", blob("image/png", file(png)), true},
      {"a JPEG called a PNG", image("image/png", file(jpeg)), false},
      {"a PNG called a sound", audio("audio/wav", file(png)), false},
      {"a PNG in a block of sound", audio("image/png", file(png)), false},
      {"a PNG called a text", blob("text/plain", file(png)), false},
      {"a PNG without a type", R"({"content":[{"type":"image","data":")" + file(png) + R"("}]})",
       false},
      {"a text called a PNG", image("image/png", base64_of(text)), false},
      {"a text called a BMP", image("image/bmp", base64_of("BM " + text)), false},
      {"a text called a GIF", image("image/gif", base64_of("GIF89a " + text)), false},
      {"a text called an MP3", audio("audio/mpeg", base64_of("ID3 " + text)), false},
      {"a text called an Ogg", audio("audio/ogg", base64_of("OggS " + text)), false},
      {"a text called a WAV", audio("audio/wav", base64_of("RIFF    WAVE " + text)), false},
      {"a text called an MP4", blob("video/mp4", base64_of("    ftyp " + text)), false},
      {"a text called a font", blob("font/woff", base64_of("wOFF " + text)), false},
      {"a text called a PDF", blob("application/pdf", base64_of("%PDF " + text)), false},
      {"a file of another type", blob("application/zip", file(std::string("PK\3\4\0\0", 6))),
       false},
      {"a file of another type with nothing in it",
       blob("application/zip", base64_of(std::string("PK\3\4\0\0", 6))), true},
  };
  const Config config = config_of("");
  const Config off =
      config_of("[redact.secrets]\ndetectors = [\"secrets\"]\naction = \"observe\"\n");
  const RedactionScope scope{.answered = {MethodId::tools_call, Era::legacy}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(redact(config, scope, row.json).passes(), row.is_left);
    EXPECT_TRUE(redact(off, scope, row.json).passes());
  }
}

TEST_F(RedactorTest, KnowsValuesByTheNamesBesideThem) {
  const Config config = config_of("");
  const std::string mask = "[redacted:assignment]";
  const struct {
    std::string_view name, json, left;
  } rows[] = {
      {"a variable", R"({"name":"DB_PASSWORD","value":"$p"})",
       R"({"name":"DB_PASSWORD","value":"$m"})"},
      {"the other way round", R"({"value":"$p","name":"DB_PASSWORD"})",
       R"({"value":"$m","name":"DB_PASSWORD"})"},
      {"with others between them", R"({"Key":"password","type":"x","n":1, "Value":"$p"})",
       R"({"Key":"password","type":"x","n":1, "Value":"$m"})"},
      {"in a list of these", R"([{"name":"HOME","value":"$p"},{"name":"PASSWORD","value":"$p"}])",
       R"([{"name":"HOME","value":"$p"},{"name":"PASSWORD","value":"$m"}])"},
      {"an option", R"(["run","--password","$p","--verbose"])",
       R"(["run","--password","$m","--verbose"])"},
      {"two options", R"(["--password","--force","$p"])", R"(["--password","--force","$p"])"},
      {"an option of another list", R"([["--password"],["$p"]])", R"([["--password"],["$p"]])"},
      {"a name of another object", R"([{"name":"PASSWORD"},{"value":"$p"}])",
       R"([{"name":"PASSWORD"},{"value":"$p"}])"},
      {"with an object between them", R"({"name":"PASSWORD","x":{},"value":"$p"})",
       R"({"name":"PASSWORD","x":{},"value":"$p"})"},
      {"the name that is one of a secret",
       R"({"name":"DB_PASSWORD","id":"123e4567","label":"Database","value":"$p"})",
       R"({"name":"DB_PASSWORD","id":"123e4567","label":"Database","value":"$m"})"},
      {"of two values both", R"({"value":"$p","val":"$p","key":"DB_PASSWORD"})",
       R"({"value":"$m","val":"$m","key":"DB_PASSWORD"})"},
      {"parameters of a stack", R"({"ParameterKey":"DbPassword","ParameterValue":"$p"})",
       R"({"ParameterKey":"DbPassword","ParameterValue":"$m"})"},
      {"within an object of that name", R"({"password":{"sensitive":true,"value":"$p"}})",
       R"({"password":{"sensitive":true,"value":"$m"}})"},
      {"within an object of another name", R"({"comment":{"value":"$p"}})",
       R"({"comment":{"value":"$p"}})"},
      {"behind an object of that name", R"({"a":{"password":{}},"value":"$p"})",
       R"({"a":{"password":{}},"value":"$p"})"},
      {"deeper within", R"({"password":{"x":{"value":"$p"}}})",
       R"({"password":{"x":{"value":"$p"}}})"},
      {"in a text that is JSON",
       R"({"t":"{\"name\":\"DB_PASSWORD\",\"type\":\"x\",\"value\":\"$p\"}"})",
       R"({"t":"{\"name\":\"DB_PASSWORD\",\"type\":\"x\",\"value\":\"$m\"}"})"},
      {"in a text that is a list", R"({"t":"[\"--password\",\"$p\"]"})",
       R"({"t":"[\"--password\",\"$m\"]"})"},
      {"a number in a text that is JSON",
       R"({"t":"{\"value\":73912846,\"name\":\"DB_PASSWORD\"}"})",
       R"({"t":"{\"value\":\"$m\",\"name\":\"DB_PASSWORD\"}"})"},
      {"numbers about passwords",
       R"({"passwordLastUsed":1700000000,"secret_last_rotated":1719878400,"passwords_checked":1234567})",
       R"({"passwordLastUsed":1700000000,"secret_last_rotated":1719878400,"passwords_checked":1234567})"},
      {"another name", R"({"name":"user","value":"$p"})", R"({"name":"user","value":"$p"})"},
      {"a number", R"({"password":73912846})", R"({"password":"$m"})"},
      {"a number beside its name", R"({"name":"DB_PASSWORD","value":73912846})",
       R"({"name":"DB_PASSWORD","value":"$m"})"},
      {"a number of something", R"({"password_changed_at":1700000000,"count":73912846})",
       R"({"password_changed_at":1700000000,"count":73912846})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    std::string left = filled(row.left);
    for (std::size_t at = left.find("$m"); at != std::string::npos; at = left.find("$m"))
      left.replace(at, 2, mask);
    EXPECT_EQ(left_of(config, {}, filled(row.json)), left);
  }
}

// Whoever reads JSON out of a text can still do so.
TEST_F(RedactorTest, LeavesJsonOfTextsReadable) {
  const Config config = config_of("");
  const struct {
    std::string_view name, text, left;
  } rows[] = {
      {"a number", R"({"password": 73912846, "n": 1})",
       R"({"password": "[redacted:assignment]", "n": 1})"},
      {"the last one", R"({"n":1,"password":73912846})",
       R"({"n":1,"password":"[redacted:assignment]"})"},
      {"JSON in JSON", R"({"t":"{\"password\":73912846}"})",
       R"({"t":"{\"password\":\"[redacted:assignment]\"}"})"},
      {"no JSON", "password: 73912846", "password: [redacted:assignment]"},
      {"a string", R"({"password": "73912846"})", R"({"password": "[redacted:assignment]"})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string json = R"({"t":)" + json_string(row.text) + "}";
    EXPECT_EQ(left_of(config, {}, json), R"({"t":)" + json_string(row.left) + "}");
    const Redaction redaction =
        redactor_.redact(RedactionRules(config), {.carrier = Carrier::records}, row.text);
    std::string left;
    append_redacted(left, row.text, redaction.edits);
    EXPECT_EQ(left, row.left);
  }
}

TEST_F(RedactorTest, TellsWhatAnExceptionLetPass) {
  const std::string rule =
      "[redact.secrets]\ndetectors = [\"secrets\"]\n[redact.secrets.keep.link]\n"
      "because = \"the report\"\ndetectors = [\"url.presigned\"]\nexpires = 2027-03-31\n";
  const Redaction kept = redact(config_of(rule), {}, filled(R"(["$u"])"));
  std::vector<std::string> told;
  told.reserve(kept.redacted.size());
  for (const Redacted& one : kept.redacted)
    told.push_back(text(one));
  EXPECT_TRUE(kept.passes());
  EXPECT_EQ(told, (std::vector<std::string>{"url.presigned keep 2", "aws.access_key keep 1"}));
  EXPECT_TRUE(redact(config_of(rule), {}, R"(["fine"])").redacted.empty());

  // Another rule that only watches does not hide that an exception was used.
  const std::string watched =
      rule + "[redact.watch]\ndetectors = [\"url.*\"]\naction = \"observe\"\n";
  std::vector<std::string> of_url;
  for (const Redacted& one : redact(config_of(watched), {}, filled(R"(["$u"])")).redacted) {
    if (one.detector == "url.presigned") of_url.push_back(text(one));
  }
  EXPECT_EQ(of_url, (std::vector<std::string>{"url.presigned keep 2", "url.presigned observe 2"}));
}

TEST_F(RedactorTest, TellsWhichRuleWithholds) {
  const std::string config =
      "[redact.a]\ndetectors = [\"secrets\"]\n"
      "[redact.b]\ndetectors = [\"github.*\"]\naction = \"withhold\"\n"
      "[redact.c]\ndetectors = [\"secrets\"]\naction = \"withhold\"\nin = [\"errors\"]\n";
  const auto rule_of = [&](Carrier carrier, std::string_view json) {
    const auto redaction = redact(config_of(config), {.carrier = carrier}, filled(json));
    return redaction.redacted.empty() ? "nothing" : redaction.redacted.front().rule;
  };
  EXPECT_EQ(rule_of(Carrier::results, R"(["$1"])"), "b");
  EXPECT_EQ(rule_of(Carrier::errors, R"(["$1"])"), "b") << "of two, the first by name";
  EXPECT_EQ(rule_of(Carrier::errors, R"(["$2"])"), "c");
  EXPECT_EQ(rule_of(Carrier::results, R"(["$2"])"), "") << "it is masked";
  EXPECT_EQ(rule_of(Carrier::errors, R"(["fine"])"), "nothing");
}

TEST_F(RedactorTest, SplitsNoSecretBetweenLongTextsAndBatches) {
  const Config config = config_of("");
  for (const std::size_t before : {0U, 1000U, 1024U, 5000U, 70'000U}) {
    for (const std::size_t strings : {1U, 40U, 4000U}) {
      std::string json = "[\"" + std::string(before, 'x') + " ";
      std::string want = json;
      json += github_ + "\"";
      want += std::string(kMask) + "\"";
      for (std::size_t i = 0; i < strings; ++i) {
        json += ",{\"n\":\"" + github_ + "\"}";
        want += ",{\"n\":\"" + std::string(kMask) + "\"}";
      }
      EXPECT_EQ(left_of(config, {}, json + "]"), want + "]") << before << " " << strings;
    }
  }
}

TEST_F(RedactorTest, DoesWhatTheStrongestRuleWants) {
  const std::string observe = "[redact.secrets]\ndetectors = [\"secrets\"]\naction = \"observe\"\n";
  const std::string hash = "[redact.secrets]\ndetectors = [\"secrets\"]\naction = \"hash\"\n";
  const std::string withhold = "[redact.b]\ndetectors = [\"github.*\"]\naction = \"withhold\"\n";
  const struct {
    std::string_view name;
    std::string toml;
    RedactionScope scope;
    std::string_view left;
  } rows[] = {
      {"the default", "", {}, "[\"[redacted:github.token]\"]"},
      {"a table instead of the default", observe, {}, "[\"$1\"]"},
      {"another name beside the default",
       "[redact.a]\ndetectors = [\"secrets\"]\naction = "
       "\"observe\"\n",
       {},
       "[\"[redacted:github.token]\"]"},
      {"of several the strongest", observe + withhold, {}, "withheld"},
      {"another detector", observe + "[redact.b]\ndetectors = [\"aws.*\"]\n", {}, "[\"$1\"]"},
      {"in results only, and a result",
       "[redact.secrets]\ndetectors = [\"secrets\"]\nin = "
       "[\"results\"]\n",
       {},
       "[\"[redacted:github.token]\"]"},
      {"in results only, and an error",
       "[redact.secrets]\ndetectors = [\"secrets\"]\nin = "
       "[\"results\"]\n",
       {.carrier = Carrier::errors},
       "[\"$1\"]"},
      {"of a tool, and it is",
       observe +
           "[redact.b]\ndetectors = [\"secrets\"]\nin = [\"results\"]\ntools = [\"reports/*\"]\n",
       {.server = "reports", .tool = "export"},
       "[\"[redacted:github.token]\"]"},
      {"of a tool, and another server's",
       observe +
           "[redact.b]\ndetectors = [\"secrets\"]\nin = [\"results\"]\ntools = [\"reports/*\"]\n",
       {.server = "files", .tool = "export"},
       "[\"$1\"]"},
      {"of a tool, and a resource",
       observe +
           "[redact.b]\ndetectors = [\"secrets\"]\nin = [\"results\"]\ntools = [\"reports/*\"]\n",
       {.server = "reports"},
       "[\"$1\"]"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(left_of(config_of(row.toml), row.scope, filled("[\"$1\"]")), filled(row.left));
  }
  const std::string hashed = left_of(config_of(hash), {}, filled(R"(["$1","$1","$2"])"));
  EXPECT_TRUE(hashed.starts_with("[\"[redacted:github.token:")) << hashed;
  const std::size_t first = hashed.find(':', hashed.find("token"));
  EXPECT_EQ(hashed.substr(first, 18), hashed.substr(hashed.rfind("github.token:") + 12, 18));
}

TEST_F(RedactorTest, TellsRolesApart) {
  const Config config = config_of(
      "[redact.secrets]\ndetectors = [\"secrets\"]\nin = [\"results\"]\nroles = [\"analyst\"]\n");
  Principal ann{.id = "ann", .roles = {"analyst"}};
  Principal eve{.id = "eve", .roles = {"auditor"}};
  const std::string json = filled("[\"$1\"]");
  EXPECT_NE(left_of(config, {.principal = &ann}, json), json);
  EXPECT_EQ(left_of(config, {.principal = &eve}, json), json);
}

TEST_F(RedactorTest, KeepsWhatAnExceptionNamesAndNothingElse) {
  const auto keep = [](std::string_view lines) {
    return "[redact.secrets]\ndetectors = [\"secrets\"]\n[redact.secrets.keep.link]\n"
           "because = \"the report\"\n" +
           std::string(lines);
  };
  const std::string usual =
      "detectors = [\"url.presigned\"]\nexpires = 2027-03-31\n"
      "hosts = [\"acme.s3.eu-west-1.amazonaws.com\"]\n"
      "pointers = [\"/structuredContent/url\", \"/content/*/text\"]\ntools = "
      "[\"reports/export\"]\n";
  const RedactionScope scope{.server = "reports", .tool = "export"};
  const struct {
    std::string_view name;
    std::string lines;
    RedactionScope scope;
    std::string_view json;
    bool is_kept;
  } rows[] = {
      {"what it names", usual, scope, R"({"structuredContent":{"url":"$u"}})", true},
      {"in each text", usual, scope, R"({"content":[{"text":"a"},{"text":"see $u"}]})", true},
      {"elsewhere", usual, scope, R"({"structuredContent":{"link":"$u"}})", false},
      {"a name", usual, scope, R"({"structuredContent":{"url":{"$u":1}}})", false},
      {"another tool",
       usual,
       {.server = "reports", .tool = "list"},
       R"({"structuredContent":{"url":"$u"}})",
       false},
      {"another host",
       "detectors = [\"url.presigned\"]\nexpires = 2027-03-31\nhosts = [\"other.example.com\"]\n",
       scope, R"({"structuredContent":{"url":"$u"}})", false},
      {"hosts by a pattern",
       "detectors = [\"url.presigned\"]\nexpires = 2027-03-31\nhosts = [\"**.amazonaws.com\"]\n",
       scope, R"({"structuredContent":{"url":"$u"}})", true},
      {"over", "detectors = [\"url.presigned\"]\nexpires = 2027-01-15\n", scope,
       R"({"structuredContent":{"url":"$u"}})", false},
      {"not yet over", "detectors = [\"url.presigned\"]\nexpires = 2027-01-16\n", scope,
       R"({"structuredContent":{"url":"$u"}})", true},
      {"a key that signs nothing", usual, scope, R"({"structuredContent":{"url":"$2"}})", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string json = filled(row.json);
    EXPECT_EQ(left_of(config_of(keep(row.lines)), row.scope, json) == json, row.is_kept);
  }
  // The rest of the string is looked at all the same.
  EXPECT_EQ(left_of(config_of(keep(usual)), scope, filled(R"({"content":[{"text":"$u $1"}]})")),
            filled(R"({"content":[{"text":"$u [redacted:github.token]"}]})"));
  // It weakens its own rule alone.
  EXPECT_EQ(left_of(config_of(keep(usual) + "[redact.z]\ndetectors = [\"url.*\"]\n"
                                            "action = \"withhold\"\n"),
                    scope, filled(R"({"content":[{"text":"$u"}]})")),
            "withheld");
}

TEST_F(RedactorTest, KeepsWhatSeveralDetectorsFind) {
  const Config config = config_of(
      "[redact.secrets]\ndetectors = [\"secrets\"]\n[redact.secrets.keep.link]\n"
      "because = \"the report\"\ndetectors = [\"url.presigned\"]\nexpires = 2027-03-31\n");
  const std::string json =
      "[\"" + url_ + "&X-Amz-Security-Token=" + secrets_.drawn("A-Za-z0-9", 200) + "\"]";
  EXPECT_EQ(left_of(config, {}, json), json);
}

TEST_F(RedactorTest, SearchesWhatNobodyKnowsOfAMessage) {
  const std::string json =
      filled(R"({"jsonrpc":"2.0","id":"$1","result":{"tools":[],"nextCursor":"$1"},"x":"$1"})");
  const Bytes bytes{std::string_view(json)};
  JsonDocument document;
  const JsonValue message = *document.read(bytes, kResponseLimits);
  const Redaction redaction =
      redactor_.redact(RedactionRules(config_of("")), {.answered = {MethodId::tools_list}}, message,
                       message.find("result"));
  std::string left;
  append_redacted(left, json, redaction.edits);
  EXPECT_EQ(left,
            filled(R"({"jsonrpc":"2.0","id":"$1","result":{"tools":[],"nextCursor":"$1"},"x":")") +
                std::string(kMask) + "\"}");
}

/// A server writes what stands in a definition: a member `method` there names no method.
TEST_F(RedactorTest, LeavesNothingAloneInDefinitions) {
  for (const char* entry :
       {R"({"name":"a","method":"notifications/progress","progressToken":"$1"})",
        R"({"name":"a","method":"notifications/cancelled","requestId":"$1"})",
        R"({"method":"tools/call","id":1,"_meta":{"progressToken":"$1"}})",
        R"({"name":"a","method":"notifications/tasks/status","taskId":"$1"})"}) {
    const std::string json = filled(entry);
    const Bytes bytes{std::string_view(json)};
    JsonDocument document;
    const JsonValue value = *document.read(bytes, kResponseLimits);
    const Redaction redaction = redactor_.redact(RedactionRules(config_of("")), {}, value, value);
    std::string left;
    append_redacted(left, json, redaction.edits);
    EXPECT_FALSE(left.contains(filled("$1"))) << left;
  }
}

TEST_F(RedactorTest, JoinsTextsThatStandNextToEachOther) {
  const Config config = config_of("");
  const auto block = [](std::string_view text) {
    return R"({"type":"text","text":")" + std::string(text) + "\"}";
  };
  const std::string image = R"({"type":"image","mimeType":"image/png","data":"AAAA"})";
  for (std::size_t at = 1; at < github_.size(); ++at) {
    SCOPED_TRACE(at);
    const std::string head = github_.substr(0, at);
    const std::string tail = github_.substr(at);
    const std::vector<std::vector<std::string>> lists = {
        {block("see " + head), block(tail + " there")},
        {block("a"), block("see " + head), block(tail + " there"), block("b")},
        {R"({"text":")" + head + "\"}", R"({"uri":"a:b","text":")" + tail + "\"}"},
        {R"({"role":"user","content":)" + block(head) + "}",
         R"({"role":"user","content":)" + block(tail) + "}"},
        {"\"" + head + "\"", "\"" + tail + "\""},
        {block(head), image, image, block(tail)},
        {block(head), block(""), block(tail)},
        {block(head), R"({"type":"resource","resource":{"uri":"a:b","text":" c "}})", block(tail)},
        {block(std::string(20'000, 'x') + " " + head),
         block(tail + " " + std::string(20'000, 'y'))},
    };
    for (const std::vector<std::string>& list : lists) {
      std::string json = "{\"content\":[";
      for (const std::string& one : list)
        json += one + (&one == &list.back() ? "]}" : ",");
      std::string want = json;
      want.replace(want.find(head), head.size(), kMask);
      want.replace(want.rfind(tail), tail.size(), kMask);
      EXPECT_EQ(left_of(config, {}, json), want);
    }
    // A word between them keeps them apart for whoever reads.
    const std::string apart = "[" + block(head) + "," + block(" and ") + "," + block(tail) + "]";
    EXPECT_EQ(left_of(config, {}, apart), apart);
  }
  // In three, of which the middle one is of the secret alone.
  const std::string three = "[" + block(github_.substr(0, 10)) + "," +
                            block(github_.substr(10, 10)) + "," +
                            block(github_.substr(20) + " end") + "]";
  EXPECT_EQ(left_of(config, {}, three), "[" + block(kMask) + "," + block(kMask) + "," +
                                            block(std::string(kMask) + " end") + "]");
}

TEST_F(RedactorTest, TakesOutOfBothCopiesOfAStructuredResult) {
  const Config config = config_of("");
  const struct {
    std::string_view name, structured, left;
  } rows[] = {
      {"nothing", R"({"a":"b"})", R"({"a":"b"})"},
      {"a name beside its value", R"({"env":[{"name":"DB_PASSWORD","value":"$p"}],"a":"b"})",
       R"({"env":[{"name":"DB_PASSWORD","value":"[redacted:assignment]"}],"a":"b"})"},
      {"a number", R"({"password":12345678901,"port":1})",
       R"({"password":"[redacted:assignment]","port":1})"},
      {"a part of a string", R"({"a":"see $1.","b":true})",
       R"({"a":"see [redacted:github.token].","b":true})"},
      {"an option and its value", R"({"argv":["mysql","--password","$p"]})",
       R"({"argv":["mysql","--password","[redacted:assignment]"]})"},
      {"members in any order", R"({"b":[1,{"c":"$1"}],"a":null})",
       R"({"b":[1,{"c":"[redacted:github.token]"}],"a":null})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string structured = filled(row.structured);
    const std::string json =
        R"({"content":[{"type":"text","text":"no copy"},{"type":"text","text":)" +
        json_string(structured) + R"(}],"structuredContent":)" + structured + "}";
    const std::string left = left_of(config, {}, json);
    const Bytes bytes{std::string_view(left)};
    JsonDocument document;
    const Result<JsonValue> root = document.read(bytes, kResponseLimits);
    ASSERT_TRUE(root.has_value()) << left;
    EXPECT_EQ(root->find("structuredContent").raw(), filled(row.left));
    const std::string agreed = with_copies(*root, *root, {1}).value_or(left);
    EXPECT_EQ(agreed, R"({"content":[{"type":"text","text":"no copy"},{"type":"text","text":)" +
                          json_string(filled(row.left)) + R"(}],"structuredContent":)" +
                          filled(row.left) + "}");
  }
}

TEST(ContentCopies, AreTextsThatSayTheSame) {
  const struct {
    std::string_view name, result;
    std::vector<std::size_t> blocks;
  } rows[] = {
      {"no structured content", R"({"content":[{"type":"text","text":"{}"}]})", {}},
      {"the same, spelled otherwise",
       R"({"content":[{"type":"text","text":" { \"b\": 1.0, \"a\":[\"\\u0078\"]}"}],"structuredContent":{"a":["x"],"b":1}})",
       {0}},
      {"another value",
       R"({"content":[{"type":"text","text":"{\"a\":2}"}],"structuredContent":{"a":1}})",
       {}},
      {"the second of two",
       R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}})",
       {1}},
      {"a block of another type",
       R"({"content":[{"type":"image","text":"{\"a\":1}"}],"structuredContent":{"a":1}})",
       {}},
      {"no JSON",
       R"({"content":[{"type":"text","text":"{\"a\":"}],"structuredContent":{"a":1}})",
       {}},
  };
  // Very many members in another order are paired all the same.
  constexpr int kMany = 50'000;
  std::string upwards = "{";
  std::string downwards = "{";
  for (int i = 0; i < kMany; ++i) {
    upwards += "\"m" + std::to_string(i) + "\":" + std::to_string(i) + (i + 1 < kMany ? "," : "}");
    const int other = kMany - 1 - i;
    downwards +=
        "\"m" + std::to_string(other) + "\":" + std::to_string(other) + (i + 1 < kMany ? "," : "}");
  }
  const Bytes many(R"({"content":[{"type":"text","text":)" + json_string(downwards) +
                   R"(}],"structuredContent":)" + upwards + "}");
  JsonDocument large;
  const Result<JsonValue> of_many = large.read(many, kResponseLimits);
  ASSERT_TRUE(of_many.has_value());
  for (const ContentCopy& copy : find_copies(*of_many)) {
    const auto originals = copy.originals_of({0, 12});
    ASSERT_EQ(originals.size(), 1U);
    EXPECT_EQ(originals.front().raw(), "49999");
  }
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes bytes{row.result};
    JsonDocument document;
    const Result<JsonValue> root = document.read(bytes, kResponseLimits);
    ASSERT_TRUE(root.has_value());
    std::vector<std::size_t> blocks;
    for (const ContentCopy& copy : find_copies(*root))
      blocks.push_back(copy.block());
    EXPECT_EQ(blocks, row.blocks);
  }
}

TEST_F(RedactorTest, SeesThroughWhatIsHidden) {
  const Config config = config_of("");
  const std::string head = github_.substr(0, 8);
  const std::string tail = github_.substr(8);
  const auto text = [&](std::string_view between) {
    return R"({"t":"see )" + head + std::string(between) + tail + R"( there"})";
  };
  const std::string masked = R"({"t":"see [redacted:github.token] there"})";
  const struct {
    std::string_view name, between;
    Hiding hiding;
    bool is_found;
  } rows[] = {
      {"no width", "\\u200b", Hiding::characters, true},
      {"no width, as it is", "\u200b", Hiding::characters, true},
      {"a soft hyphen", "\\u00ad", Hiding::characters, true},
      {"a colour", "\\u001b[31m", Hiding::characters, true},
      {"a tag", "\\udb40\\udc41", Hiding::characters, true},
      {"a control", "\\u0007", Hiding::characters, true},
      {"a blank", " ", Hiding::characters, false},
      {"a NUL, which ends a text", "\\u0000", Hiding::characters, false},
      {"what was written out", "[U+200B]", Hiding::marks, true},
      {"twice", "[U+200B][U+E0041]", Hiding::marks, true},
      {"what nobody wrote out", "[U+200B]", Hiding::characters, false},
      {"what is not a mark", "[U+20]", Hiding::marks, false},
      {"what was looked at already", "\\u200b", Hiding::none, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string json = text(row.between);
    EXPECT_EQ(left_of(config, {.hiding = row.hiding}, json), row.is_found ? masked : json);
  }
  // What else is hidden stays where it was.
  EXPECT_EQ(left_of(config, {}, R"({"t":"a\u200bb )" + head + R"(\u200b)" + tail + R"(\u200b c"})"),
            R"({"t":"a\u200bb [redacted:github.token]\u200b c"})");
}

TEST_F(RedactorTest, LeavesNoTailAtAnySplit) {
  const Config config = config_of("");
  const Config off =
      config_of("[redact.secrets]\ndetectors = [\"secrets\"]\naction = \"observe\"\n");
  const std::string signature = secrets_.drawn("0-9a-f", 64);
  const std::string url = "https://acme.s3.amazonaws.com/k?X-Amz-Credential=a&X-Amz-Signature=";
  const struct {
    std::string_view name;
    std::string before, secret;
  } rows[] = {
      {"an assignment", "DB_PASSWORD=", secrets_.drawn("A-Za-z0-9", 16)},
      {"a token of JSON", "", secrets_.json_token()},
      {"a signature", url, signature},
      {"a bearer", "Authorization: Bearer ", secrets_.drawn("A-Za-z0-9", 32)},
      {"a cookie", "Cookie: session=", secrets_.drawn("A-Za-z0-9", 32)},
      {"a connection", "Server=db;Password=", secrets_.drawn("A-Za-z0-9", 16)},
      {"a provider's token", "", github_},
  };
  for (const auto& row : rows) {
    const std::string all = row.before + row.secret;
    for (std::size_t at = row.before.size() + 1; at < all.size(); ++at) {
      SCOPED_TRACE(std::string(row.name) + " at " + std::to_string(at));
      const std::string tail = all.substr(at);
      const std::string json = R"({"content":[{"type":"text","text":"see )" + all.substr(0, at) +
                               R"("},{"type":"text","text":")" + tail + R"( there"}]})";
      EXPECT_FALSE(left_of(config, {}, json).contains("\"" + tail + " there"));
      const std::string list = R"({"structuredContent":{"a":["see )" + all.substr(0, at) +
                               R"(",")" + tail + R"( there"]}})";
      EXPECT_FALSE(left_of(config, {}, list).contains("\"" + tail + " there"));
      EXPECT_EQ(left_of(off, {}, list), list);
    }
  }
}

/// Windows of a secret's bytes that a text still has; they are of its body, and chance has none.
std::size_t windows_left(std::string_view secret, std::string_view text) {
  constexpr std::size_t kWindow = 8;
  std::size_t left = 0;
  for (std::size_t at = 0; at + kWindow <= secret.size(); ++at)
    left += text.contains(secret.substr(at, kWindow)) ? 1 : 0;
  return left;
}

TEST_F(RedactorTest, LeavesNothingAtAnySplitOfAnyCarrier) {
  const Config config = config_of("");
  const auto result = [](std::string_view head, std::string_view tail) {
    return R"({"content":[{"type":"text","text":)" + json_string(head) +
           R"(},{"type":"text","text":)" + json_string(tail) + "}]}";
  };
  const auto list = [](std::string_view head, std::string_view tail) {
    return R"({"structuredContent":{"rows":[[)" + json_string(head) + "," + json_string(tail) +
           "]]}}";
  };
  const auto said = [](std::string_view text) {
    return R"({"progressToken":1,"progress":2,"message":)" + json_string(text) + "}";
  };
  const auto last = [](std::string_view text) {
    return R"({"content":[{"type":"text","text":)" + json_string(text) +
           R"(}],"structuredContent":{"rest":)" + json_string(text) + "}}";
  };
  for (const std::string& secret : {github_, secrets_.json_token()}) {
    for (const CarriedSecret& carried : texts_with(secret, secrets_)) {
      const std::string_view text = carried.text;
      for (std::size_t at = carried.begin; at <= carried.end; ++at) {
        SCOPED_TRACE(std::string(carried.carrier) + " at " + std::to_string(at - carried.begin));
        const std::string_view head = text.substr(0, at);
        const std::string_view tail = text.substr(at);
        const std::string_view secret_tail = text.substr(at, carried.end - at);
        EXPECT_EQ(windows_left(text.substr(carried.begin, carried.end - carried.begin),
                               left_of(config, {}, result(head, tail))),
                  0U);
        EXPECT_EQ(windows_left(text.substr(carried.begin, carried.end - carried.begin),
                               left_of(config, {}, list(head, tail))),
                  0U);
        const std::string first = said(head);
        const Bytes bytes{std::string_view(first)};
        JsonDocument document;
        const std::string words = last_words(*document.read(bytes), "");
        const RedactionScope then{.carrier = Carrier::notifications, .before = {words}};
        EXPECT_EQ(windows_left(secret_tail, left_of(config, then, said(tail))), 0U);
        const RedactionScope at_last{.carrier = Carrier::results, .before = {words}};
        EXPECT_EQ(windows_left(secret_tail, left_of(config, at_last, last(tail))), 0U);
      }
    }
  }
}

TEST_F(RedactorTest, EndsWhatIsWholeByItself) {
  const Config config = config_of("");
  const std::string begin = "-----BEGIN PRIVATE KEY-----";
  const std::string half = secrets_.drawn("A-Za-z0-9", 200);
  const std::string assigned = "DB_PASSWORD=" + password_;
  const struct {
    std::string_view name;
    std::string json;
    std::string left;
  } rows[] = {
      {"a list of variables", "[\"" + assigned + "\",\"HOME\"]",
       R"(["DB_PASSWORD=[redacted:assignment]","HOME"])"},
      {"a text behind an assignment", R"([{"text":")" + assigned + R"("},{"text":" Hello"}])",
       R"([{"text":"DB_PASSWORD=[redacted:assignment]"},{"text":" Hello"}])"},
      // It may be the rest of it: nobody can tell.
      {"a word right behind an assignment", R"([{"text":")" + assigned + R"("},{"text":"Hello"}])",
       R"([{"text":"DB_PASSWORD=[redacted:assignment]"},{"text":"[redacted:assignment]"}])"},
      {"lines of a key", "[\"" + begin + half + "\",\"" + half + "-----END PRIVATE KEY-----\"]",
       R"(["[redacted:private_key]","[redacted:private_key]"])"},
      {"elements of structured content",
       R"({"structuredContent":{"a":[")" + assigned + R"(","x1"]}})",
       R"({"structuredContent":{"a":["DB_PASSWORD=[redacted:assignment]","[redacted:assignment]"]}})"},
      {"the rest of a list",
       R"({"structuredContent":{"a":[")" + assigned + R"(","x1","x2","x3"]}})",
       R"({"structuredContent":{"a":["DB_PASSWORD=[redacted:assignment]","[redacted:assignment]","x2","x3"]}})"},
      {"variables of structured content",
       R"({"structuredContent":{"env":[")" + assigned + R"(","HOME=/root","LANG=C"]}})",
       R"({"structuredContent":{"env":["DB_PASSWORD=[redacted:assignment]","HOME=/root","LANG=C"]}})"},
      {"a rest before a variable",
       R"({"structuredContent":{"env":[")" + assigned + R"(","x1","HOME=/root"]}})",
       R"({"structuredContent":{"env":["DB_PASSWORD=[redacted:assignment]","[redacted:assignment]","HOME=/root"]}})"},
      {"options of structured content",
       R"({"structuredContent":{"argv":["--env",")" + assigned + R"(","--all"]}})",
       R"({"structuredContent":{"argv":["--env","DB_PASSWORD=[redacted:assignment]","--all"]}})"},
      {"the padding of a secret", R"({"structuredContent":{"a":[")" + assigned + R"(","xy=="]}})",
       R"({"structuredContent":{"a":["DB_PASSWORD=[redacted:assignment]","[redacted:assignment]"]}})"},
      {"elements that are values each", "[\"" + github_ + "\",\"" + github_ + "\"]",
       R"(["[redacted:github.token]","[redacted:github.token]"])"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(left_of(config, {}, row.json), row.left);
  }
}

TEST_F(RedactorTest, MapsWhatIsSplitOverElementsBack) {
  const Config config = config_of("");
  const Config off =
      config_of("[redact.secrets]\ndetectors = [\"secrets\"]\naction = \"observe\"\n");
  const std::string mask(kMask);
  for (std::size_t at = 1; at < github_.size(); ++at) {
    SCOPED_TRACE(at);
    const std::string head = github_.substr(0, at);
    const std::string tail = github_.substr(at);
    const auto list = [](const std::string& one, const std::string& other) {
      return fmt::format(R"({{"structuredContent":{{"a":["x","see {}","{} there","y"],"n":1}}}})",
                         one, other);
    };
    const std::string json = list(head, tail);
    EXPECT_EQ(left_of(config, {}, json), list(mask, mask));
    EXPECT_EQ(left_of(off, {}, json), json);
    // A value of another list is no neighbour.
    const std::string apart =
        fmt::format(R"({{"structuredContent":{{"a":["see {}"],"b":["{}"]}}}})", head, tail);
    EXPECT_EQ(left_of(config, {}, apart), apart);
  }
}

TEST_F(RedactorTest, ReadsOnBehindTheLastNotification) {
  const Config config = config_of("");
  const auto said = [](std::string_view text) {
    return R"({"progressToken":1,"progress":2,"message":")" + std::string(text) + "\"}";
  };
  for (std::size_t at = 1; at < github_.size(); ++at) {
    SCOPED_TRACE(at);
    const std::string first = said("see " + github_.substr(0, at));
    const Bytes bytes{std::string_view(first)};
    JsonDocument document;
    const std::string words = last_words(*document.read(bytes), "");
    EXPECT_TRUE(words.ends_with(github_.substr(0, at)));
    const RedactionScope scope{.carrier = Carrier::notifications, .before = {words}};
    EXPECT_EQ(left_of(config, scope, said(github_.substr(at) + " there")),
              said(std::string(kMask) + " there"));
  }
  const RedactionScope scope{.carrier = Carrier::notifications, .before = {"ghp_"}};
  EXPECT_EQ(left_of(config, scope, said("nothing")), said("nothing"));
  const std::string assigned = "DB_PASSWORD=" + password_;
  const RedactionScope behind{.carrier = Carrier::notifications, .before = {assigned}};
  EXPECT_EQ(left_of(config, behind, said(" Hello")), said(" Hello"))
      << "an assignment that ended with what was said before";
  EXPECT_EQ(left_of(config, behind, said("Hello")), said("[redacted:assignment]"))
      << "what may be the rest of it";
  const std::string log = R"({"level":"info","data":{"a":"one","b":["two"]}})";
  const Bytes bytes{std::string_view(log)};
  JsonDocument document;
  EXPECT_EQ(last_words(*document.read(bytes), "zero "), "two");
  const std::string long_one = said(std::string(5000, 'y'));
  const Bytes long_bytes{std::string_view(long_one)};
  EXPECT_EQ(last_words(*document.read(long_bytes), std::string(5000, 'x')).size(),
            StringScanner::kJoinedBytes);
}

TEST_F(RedactorTest, TakesOutOfSomePlacesOnly) {
  const std::string none = "[redact.secrets]\ndetectors = [\"secrets\"]\naction = \"observe\"\n";
  const std::string rule = none + "[redact.a]\ndetectors = [\"secrets\"]\nin = [\"results\"]\n";
  const Principal ann{.id = "ann", .roles = {"analyst"}};
  const Principal eve{.id = "eve", .roles = {"auditor"}};
  const struct {
    std::string_view name;
    std::string toml;
    const Principal* principal;
    std::string_view json;
    std::string_view left;
  } rows[] = {
      {"where the pointer leads", "pointers = [\"/a\"]\n", nullptr, R"({"a":"$1","b":"$1"})",
       R"({"a":"[redacted:github.token]","b":"$1"})"},
      {"and all below", "pointers = [\"/a\"]\n", nullptr, R"({"a":[{"c":"$1"}],"b":"$1"})",
       R"({"a":[{"c":"[redacted:github.token]"}],"b":"$1"})"},
      {"in every element", "pointers = [\"/*/a\"]\n", nullptr,
       R"([{"a":"$1"},{"b":"$1"},{"a":"$1"}])",
       R"([{"a":"[redacted:github.token]"},{"b":"$1"},{"a":"[redacted:github.token]"}])"},
      {"of one within another", "pointers = [\"/a/b\", \"/a\"]\n", nullptr,
       R"({"a":{"b":"$1","c":"$1"}})",
       R"({"a":{"b":"[redacted:github.token]","c":"[redacted:github.token]"}})"},
      {"nowhere", "pointers = [\"/z\"]\n", nullptr, R"({"a":"$1"})", R"({"a":"$1"})"},
      {"for a principal", "principals = [\"ann\"]\n", &ann, R"(["$1"])",
       R"(["[redacted:github.token]"])"},
      {"for another principal", "principals = [\"ann\"]\n", &eve, R"(["$1"])", R"(["$1"])"},
      {"by name or by role", "principals = [\"ann\"]\nroles = [\"auditor\"]\n", &eve, R"(["$1"])",
       R"(["[redacted:github.token]"])"},
      {"for nobody", "principals = [\"ann\"]\n", nullptr, R"(["$1"])", R"(["$1"])"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(left_of(config_of(rule + row.toml), {.principal = row.principal}, filled(row.json)),
              filled(row.left));
  }
}

TEST_F(RedactorTest, Drops) {
  const Config config = config_of("[redact.a]\ndetectors = [\"github.*\"]\naction = \"drop\"\n");
  const struct {
    std::string_view name, json, left;
  } rows[] = {
      {"the whole string", R"({"t":"it is $1 there","u":"kept"})", R"({"t":"","u":"kept"})"},
      {"with what else is in it", R"({"t":"$2 then $1 then $2"})", R"({"t":""})"},
      {"a string of its own only", R"({"t":"$2","u":"$1"})",
       R"({"t":"[redacted:aws.access_key]","u":""})"},
      {"no name", R"({"$1":1})", R"({"[redacted:github.token:0]":1})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(left_of(config, {}, filled(row.json)), filled(row.left));
  }
}

TEST_F(RedactorTest, MakesTokensThatComeBack) {
  const Config config =
      config_of("[redact.secrets]\ndetectors = [\"secrets\"]\naction = \"tokenise\"\n");
  const Principal ann{.id = "ann"};
  const Principal bob{.id = "bob"};
  const RedactionScope scope{.server = "files", .principal = &ann};
  const std::string json = filled(R"({"a":"is $1","b":"$1","$1":"$2"})");
  const Redaction redaction = redact(config, scope, json);
  ASSERT_EQ(redaction.tokens.size(), 2U) << "each value once";
  EXPECT_EQ(redaction.tokens[0].value, github_);
  EXPECT_EQ(redaction.tokens[1].value, key_);
  const std::string token = redaction.tokens[0].text;
  EXPECT_TRUE(token.starts_with("[redacted:github.token:")) << token;
  const std::string left = left_of(config, scope, json);
  EXPECT_EQ(left, R"({"a":"is )" + token + R"(","b":")" + token +
                      R"(","[redacted:github.token:2]":")" + redaction.tokens[1].text + "\"}");
  EXPECT_TRUE(redact(config, scope, left).passes()) << "a token is not a secret";

  // Another caller's, or another server's, is another; whom it could not come back from gets none.
  const std::string one = filled(R"(["$1"])");
  EXPECT_NE(left_of(config, {.server = "files", .principal = &bob}, one),
            left_of(config, scope, one));
  EXPECT_NE(left_of(config, {.server = "reports", .principal = &ann}, one),
            left_of(config, scope, one));
  const std::string masked = "[\"" + std::string(kMask) + "\"]";
  EXPECT_EQ(left_of(config, {.server = "files"}, one), masked);
  EXPECT_EQ(left_of(config, {.principal = &ann}, one), masked);
}

TEST_F(RedactorTest, LooksIntoArgumentsWhereItIsAskedTo) {
  const std::string json = filled(R"({"id":"$1","cursor":"$1","body":"$1"})");
  const RedactionScope scope{.carrier = Carrier::arguments, .server = "files", .tool = "write"};
  EXPECT_EQ(left_of(config_of(""), scope, json), json);
  const Config config = config_of(
      "[redact.out]\ndetectors = [\"secrets\"]\nin = [\"arguments\"]\ntools = [\"files/*\"]\n");
  const std::string mask(kMask);
  EXPECT_EQ(left_of(config, scope, json),
            R"({"id":")" + mask + R"(","cursor":")" + mask + R"(","body":")" + mask + "\"}");
}

TEST_F(RedactorTest, CutsNoCharacter) {
  const std::string json = R"({"password":"é$p"})";
  const Config config = config_of("");
  const std::string left = left_of(config, {}, filled(json));
  EXPECT_EQ(left, R"({"password":"[redacted:assignment]"})");
}

TEST_F(RedactorTest, TellsWhatItDid) {
  const Config config = config_of("");
  const Redaction redaction = redact(config, {}, filled(R"(["$1","$1 $2"])"));
  std::vector<std::string> told;
  told.reserve(redaction.redacted.size());
  for (const Redacted& one : redaction.redacted)
    told.push_back(text(one));
  EXPECT_EQ(told, (std::vector<std::string>{"github.token mask 2", "aws.access_key mask 1"}));
  EXPECT_FALSE(redaction.passes());
  EXPECT_TRUE(redact(config, {}, R"(["fine"])").passes());
}

TEST_F(RedactorTest, LetsNothingPassOfAListOfSecrets) {
  std::string json = "[";
  for (std::size_t i = 0; i <= StringScanner::kFoundMax; ++i)
    json += (i == 0 ? "\"" : ",\"") + github_ + "\"";
  EXPECT_EQ(left_of(config_of(""), {}, json + "]"), "withheld");
}

TEST_F(RedactorTest, RedactsTexts) {
  const Config config = config_of("");
  const std::string said = filled("starting with $1");
  const Redaction redaction =
      redactor_.redact(RedactionRules(config), {.carrier = Carrier::records, .now = kNow}, said);
  std::string left;
  append_redacted(left, said, redaction.edits);
  EXPECT_EQ(left, "starting with [redacted:github.token]");
  EXPECT_TRUE(redactor_.finds_in(RedactionRules(config), said));
  EXPECT_FALSE(redactor_.finds_in(RedactionRules(config), "starting"));
}

TEST(RedactionProblems, NameWhatIsWrong) {
  const struct {
    std::string_view name;
    std::string_view toml;
    std::string_view problem;  ///< A part of it.
  } rows[] = {
      {"no such detector", "[redact.a]\ndetectors = [\"githb.token\"]\n",
       "error: there is no detector \"githb.token\"; did you mean \"github.token\"?"},
      {"a provider without its star", "[redact.a]\ndetectors = [\"aws\"]\n",
       "error: there is no detector \"aws\"; write \"aws.*\" for all of that provider"},
      {"no such family", "[redact.a]\ndetectors = [\"everything\"]\n",
       "error: there is no detector \"everything\""},
      {"no such detector of one's own", "[redact.a]\ndetectors = [\"custom.ticket\"]\n",
       "error: there is no detector \"custom.ticket\"; define it as [detector.NAME]"},
      {"a detector that nobody names", "[detector.ticket]\nwords = [\"falcon\"]\n",
       "warning: no redaction names the detector \"ticket\"; write \"custom.ticket\""},
      {"an exception's detector",
       "[redact.a]\ndetectors = [\"secrets\"]\n[redact.a.keep.b]\ndetectors = [\"x\"]\n"
       "expires = 2030-01-01\nbecause = \"b\"\n",
       "error: there is no detector \"x\""},
      {"a host",
       "[redact.a]\ndetectors = [\"secrets\"]\n[redact.a.keep.b]\n"
       "detectors = [\"url.presigned\"]\nhosts = [\"HTTPS://x\"]\nexpires = 2030-01-01\n"
       "because = \"b\"\n",
       "is not a pattern of hosts"},
      {"a pointer that begins too far out",
       "[redact.a]\ndetectors = [\"secrets\"]\nin = [\"arguments\"]\npointers = "
       "[\"/arguments/text\"]\n",
       "warning: the pointer \"/arguments/text\" leads into the result, the error, the parameters "
       "or "
       "the arguments themselves"},
      {"an exception of nothing",
       "[redact.a]\ndetectors = [\"github.*\"]\n[redact.a.keep.b]\n"
       "detectors = [\"aws.access_key\"]\nexpires = 2030-01-01\nbecause = \"b\"\n",
       "warning: the exception \"b\" has no effect"},
      {"a rule for some that would keep secrets out of the record",
       "[role.r]\ntrust = \"verified\"\n[redact.secrets]\ndetectors = [\"secrets\"]\n"
       "roles = [\"r\"]\n",
       "warning: the redaction \"secrets\" does not apply to records and the log: it is for some "
       "callers only"},
      {"hosts of what is not a URL",
       "[redact.a]\ndetectors = [\"github.*\"]\n[redact.a.keep.b]\n"
       "detectors = [\"github.token\"]\nhosts = [\"x.example.com\"]\nexpires = 2030-01-01\n"
       "because = \"b\"\n",
       "warning: \"hosts\" has no effect"},
      {"an exception of other tools",
       "[server.x]\ncommand = [\"/bin/true\"]\n[redact.a]\n"
       "detectors = [\"github.*\"]\nin = [\"results\"]\ntools = "
       "[\"x/a*\"]\n[redact.a.keep.b]\ntools = [\"x/b\"]\n"
       "detectors = [\"github.token\"]\nexpires = 2030-01-01\nbecause = \"b\"\n",
       "is about none of its tools"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const LoadedConfig loaded = load_config_text(
        "version = 1\n[audit]\nfile = \"a\"\n" + std::string(row.toml), "test.toml");
    EXPECT_TRUE(loaded.usable());
    const std::vector<ConfigProblem> problems = find_redaction_problems(loaded.config);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(text(problems.front()).find(row.problem), std::string::npos)
        << text(problems.front());
  }
}

}  // namespace
}  // namespace bartizan
