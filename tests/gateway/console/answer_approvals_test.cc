// Who may see and answer calls that wait for people, in a browser and by a program.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/approval/approval_desk.h"
#include "gateway/console/approval_view.h"
#include "tests/gateway/console/console_fixture.h"

namespace bartizan {
namespace {

constexpr const char* kId = "019ad000-0000-7000-8000-000000000001";
constexpr const char* kOther = "019ad000-0000-7000-8000-000000000002";
constexpr std::string_view kShown =
    R"({"params":{"name":"write","arguments":{"path":"/srv/a"}},)"
    R"("readings":[{"pointer":"/path","kind":"path","reading":"/srv/a"}]})";

/// `ann` is an operator, `bob` calls, `cat` and `dan` approve `writes`, and `dan` is `don`, too.
Config config_of_approvals(std::string digest = "policy-1") {
  Config config = config_of_console();
  for (const std::string name : {"cat", "dan", "don", "eli"}) {
    config.principals[name] = {.id = name, .roles = {"boss"}};
    config.auth.api_keys.push_back(key_of(name + "-key", name, "the-key-of-" + name));
  }
  config.principals["dan"].identities = {"don"};
  config.principals["eli"].roles = {"caller"};
  config.roles["boss"] = {.name = "boss"};
  RuleConfig rule;
  rule.name = "writes";
  rule.effect = Effect::require_approval;
  rule.roles = {"caller"};
  rule.patterns = {"files/write"};
  rule.approval = {.approvers = {"boss"}, .principals = {"bob"}};
  config.rules["writes"] = rule;
  rule.name = "reads";
  rule.approval = {.approvers = {"nobody"}, .principals = {"cat"}};
  config.rules["reads"] = rule;
  config.digest = std::move(digest);
  return config;
}

ApprovalRequest request_of(std::string id, std::string principal, std::string rule) {
  const std::int64_t now = seconds_now();
  return {.id = std::move(id),
          .principal = std::move(principal),
          .server = "files",
          .method = "tools/call",
          .target = "write",
          .rule = std::move(rule),
          .policy = "policy-1",
          .salt = std::string(32, '0'),
          .digest = std::string(64, 'd'),
          .params = std::string(64, 'c'),
          .expires = now + 1500,
          .shown = std::string(kShown),
          .needed = 2,
          .made_at = now,
          .ends_at = now + 900,
          .valid_for = 600};
}

class AnswerApprovalsTest : public AnswerConsoleTest {
 protected:
  AnswerApprovalsTest() {
    use(config_of_approvals());
    gateway_->store = Store::open(path() + ".state").value();
    gateway_->approvals = std::make_shared<ApprovalDesk>(gateway_->store, *log_);
    add(request_of(kId, "bob", "writes"));
  }
  ~AnswerApprovalsTest() override { gateway_->store->close(); }

  void add(const ApprovalRequest& request) {
    run([](AnswerApprovalsTest& test, ApprovalRequest one) -> Task<void> {
      const auto added = co_await test.gateway_->approvals->add(test.worker().loop, std::move(one),
                                                                {.principal = "bob"});
      EXPECT_TRUE(added.has_value() && *added);
      test.worker().loop.stop();
    }(*this, request));
    worker().loop.io().restart();
  }

  static std::string api(std::string_view id = kId) { return "/api/approvals/" + std::string(id); }

  /// Asks as a program; an empty name shows no key.
  ConsoleAnswer get_as(std::string_view who, const std::string& target) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:9301\r\n" + bearer(who) + "\r\n");
  }
  ConsoleAnswer post_as(std::string_view who, const std::string& body,
                        const std::string& more = "If-Match: *\r\n", std::string_view id = kId) {
    return ask("POST " + api(id) + " HTTP/1.1\r\nHost: 127.0.0.1:9301\r\n" + bearer(who) + more +
                   "Content-Type: application/json\r\nContent-Length: " +
                   std::to_string(body.size()) + "\r\n\r\n",
               body);
  }
  static std::string bearer(std::string_view who) {
    return who.empty() ? "" : "Authorization: Bearer the-key-of-" + std::string(who) + "\r\n";
  }
  static std::string if_match(const ConsoleAnswer& seen) {
    return "If-Match: " + header(seen, "ETag") + "\r\n";
  }
  /// `STATUS reason` of a refusal of the API, which is a problem document.
  static std::string told(const ConsoleAnswer& answer) {
    std::string text = std::to_string(answer.status);
    if (answer.status != 200) EXPECT_EQ(answer.content_type, "application/problem+json");
    constexpr std::string_view kReason = R"("reason":")";
    const std::size_t at = answer.body.find(kReason);
    if (at == answer.body.npos) return text;
    const std::size_t begin = at + kReason.size();
    return text + " " + answer.body.substr(begin, answer.body.find('"', begin) - begin);
  }
};

constexpr const char* kYes = R"({"decision":"approve","why":"fine"})";
constexpr const char* kNo = R"({"decision":"deny"})";

TEST_F(AnswerApprovalsTest, ShowRequestsToWhomTheyConcern) {
  add(request_of(kOther, "eli", "reads"));
  const struct {
    std::string_view name, who;
    std::string want, other, listed;
  } cases[] = {
      {"an operator", "ann", "200", "200", "both"},
      {"an approver of the one", "dan", "200", "404", "one"},
      {"an approver of both, one by name", "cat", "200", "200", "both"},
      {"the caller, who may approve something", "bob", "200", "404", "one"},
      {"another caller", "eli", "403 role_missing", "403 role_missing", ""},
      {"nobody", "", "401 unauthenticated", "401 unauthenticated", ""},
      {"a wrong key", "zoe", "401 credentials_invalid", "401 credentials_invalid", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(told(get_as(c.who, api())), c.want);
    EXPECT_EQ(told(get_as(c.who, api(kOther))), c.other);
    const std::string list = get_as(c.who, "/api/approvals").body;
    EXPECT_EQ(has(list, kId), c.listed == "one" || c.listed == "both");
    EXPECT_EQ(has(list, kOther), c.listed == "both");
    EXPECT_FALSE(has(list, "/srv/a")) << "a list has no arguments";
  }
  const std::string whole = get_as("dan", api()).body;
  EXPECT_TRUE(has(whole, R"("call":)" + std::string(kShown))) << whole;
  EXPECT_TRUE(has(whole, R"("approved_by":0,"answers":[],"may_answer":true)")) << whole;
  EXPECT_EQ(told(get_as("dan", api("019ad000-0000-7000-8000-00000000000f"))), "404");
}

TEST_F(AnswerApprovalsTest, TakeAnswersOfWhoMayGiveThem) {
  const struct {
    std::string_view name, who;
    const char* body;
    std::string want;
  } cases[] = {
      {"nobody", "", kYes, "401 unauthenticated"},
      {"a wrong key", "zoe", kYes, "401 credentials_invalid"},
      {"a caller", "eli", kYes, "403 role_missing"},
      {"an operator who is not an approver", "ann", kYes, "403 role_missing"},
      {"the caller itself, whom the rule names", "bob", kYes, "403 role_missing"},
      {"… who cannot deny either", "bob", kNo, "403 role_missing"},
      {"no decision", "cat", "{}", "400"},
      {"another decision", "cat", R"({"decision":"Approve"})", "400"},
      {"a decision of another type", "cat", R"({"decision":true})", "400"},
      {"a member that is not known", "cat", R"({"decision":"deny","wy":"x"})", "400"},
      {"twice", "cat", R"({"decision":"deny","decision":"approve"})", "400"},
      {"no object", "cat", R"(["approve"])", "400"},
      {"no JSON", "cat", "approve", "400"},
      {"an approver", "cat", kYes, "200"},
      {"… who says it again", "cat", kYes, "200"},
      {"… and then the contrary", "cat", kNo, "409"},
      {"another one", "dan", kYes, "200"},
      {"the same person by another name, who said it already", "don", kYes, "200"},
      {"one too late", "cat", kNo, "409"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(told(post_as(c.who, c.body)), c.want);
  }
  const std::string whole = get_as("cat", api()).body;
  EXPECT_TRUE(has(whole, R"("state":"approved")") && has(whole, R"("approved_by":2)")) << whole;
  EXPECT_TRUE(has(whole, R"("why_not":"it is approved already")")) << whole;
  EXPECT_TRUE(has(whole, R"("call":null)")) << "what was asked is not kept: " << whole;
  for (const std::string_view part :
       {R"("kind":"approval")", R"("principal":"cat")", R"("proof":"api_key:cat-key")",
        R"("transport":"console")", R"("decision":"permit")", R"("approval":"approved")"})
    EXPECT_TRUE(has(records(), part)) << part;
  EXPECT_FALSE(has(records(), "/srv/a")) << "arguments are on no record";
}

TEST_F(AnswerApprovalsTest, OneNoBeatsAll) {
  EXPECT_EQ(told(post_as("cat", kYes)), "200");
  EXPECT_EQ(told(post_as("dan", kNo)), "200");
  EXPECT_TRUE(has(get_as("cat", api()).body, R"("state":"denied")"));
  EXPECT_EQ(told(post_as("dan", kNo)), "200") << "again";
  EXPECT_EQ(told(post_as("dan", kYes)), "409");
  EXPECT_EQ(told(get_as("cat", "/api/approvals")), "200");
  EXPECT_FALSE(has(get_as("cat", "/api/approvals").body, kId));
}

TEST_F(AnswerApprovalsTest, AnswerWhatWasSeenOnly) {
  const ConsoleAnswer seen = get_as("cat", api());
  const std::string tag = header(seen, "ETag");
  EXPECT_EQ(tag, "\"pending-0-dddddddddddddddd\"");
  const struct {
    std::string_view name, more;
    std::string want;
  } cases[] = {
      {"without saying what was seen", "", "428"},
      {"an empty one", "If-Match: \r\n", "412"},
      {"another state", "If-Match: \"pending-1-dddddddddddddddd\"\r\n", "412"},
      {"another request", "If-Match: \"pending-0-eeeeeeeeeeeeeeee\"\r\n", "412"},
      {"without its quotes", "If-Match: pending-0-dddddddddddddddd\r\n", "412"},
      {"a weak one", "If-Match: W/\"pending-0-dddddddddddddddd\"\r\n", "412"},
      {"two headers", "If-Match: *\r\nIf-Match: *\r\n", "428"},
      {"one of several", "If-Match: \"a\" , \"pending-0-dddddddddddddddd\"\r\n", "200"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(told(post_as("cat", kYes, std::string(c.more))), c.want);
  }
  EXPECT_EQ(told(post_as("cat", kYes, if_match(seen))), "200") << "again, as it was seen before";
  EXPECT_EQ(told(post_as("dan", kYes, if_match(seen))), "412") << "somebody approved meanwhile";
  EXPECT_EQ(told(post_as("dan", kYes, if_match(get_as("dan", api())))), "200");
}

TEST_F(AnswerApprovalsTest, AreOverWhenTheirTimeIs) {
  EXPECT_EQ(told(post_as("cat", kYes)), "200");
  time_.pass(std::chrono::seconds(901));
  const std::string whole = get_as("dan", api()).body;
  EXPECT_TRUE(has(whole, R"("state":"expired")") && has(whole, R"("may_answer":false)")) << whole;
  EXPECT_EQ(told(post_as("dan", kYes)), "409");
}

TEST_F(AnswerApprovalsTest, AreVoidUnderAnotherPolicy) {
  use(config_of_approvals("policy-2"));
  EXPECT_EQ(told(post_as("cat", kYes)), "409");
  EXPECT_TRUE(has(get_as("cat", api()).body, "the policy has changed since"));
}

TEST_F(AnswerApprovalsTest, CountCookiesOfNobodyAtTheApi) {
  sign_in("the-key-of-cat");
  ASSERT_FALSE(cookie_.empty());
  EXPECT_EQ(get("/approvals").status, 200);
  EXPECT_EQ(told(get(api())), "401 unauthenticated");
}

/// Takes what it proves for a credential that a client of MCP was given.
class TokenVerifier : public Verifier {
 public:
  CredentialKind kind() const override { return CredentialKind::front_door; }
  bool is_shown(const Credentials& credentials) const override {
    return credentials.authorization == "Bearer the-token-of-cat";
  }
  Task<Verification> verify(Loop& /*loop*/, Credentials /*credentials*/,
                            std::int64_t /*now*/) const override {
    return Task<Verification>::ready(
        Proved{"cat", nullptr, "token", {.kind = CredentialKind::front_door}});
  }
  std::expected<void, AuthenticationFailure> review(const Credential& /*credential*/,
                                                    std::string_view /*principal*/,
                                                    std::int64_t /*now*/) const override {
    return {};
  }
};

TEST_F(AnswerApprovalsTest, TakeNoTokensOfClients) {
  Config config = config_of_approvals();
  auto policy = compile_policy(config, {});
  std::vector<VerifierPtr> verifiers;
  verifiers.push_back(std::make_unique<TokenVerifier>());
  Authenticator authenticator(std::move(verifiers), policy, principals_);
  worker().use(
      std::make_shared<const Snapshot>(Snapshot{.config = std::move(config),
                                                .policy = std::move(policy),
                                                .authenticator = std::move(authenticator)}));
  const std::string token = "Authorization: Bearer the-token-of-cat\r\n";
  const std::string body = kYes;
  const ConsoleAnswer answer =
      ask("POST " + api() + " HTTP/1.1\r\nHost: 127.0.0.1:9301\r\nIf-Match: *\r\n" + token +
              "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n",
          body);
  EXPECT_EQ(told(answer), "401 credentials_invalid");
  EXPECT_TRUE(has(answer.body, "the console takes API keys only")) << answer.body;
  EXPECT_EQ(post("/sign-in", "key=the-token-of-cat").status, 403);
}

TEST_F(AnswerApprovalsTest, LetApproversSeeNothingElse) {
  EXPECT_EQ(header(sign_in("the-key-of-cat"), "Location"), "/approvals");
  const std::string list = get("/approvals").body;
  EXPECT_TRUE(has(list, "href=\"/approvals/" + std::string(kId) + "\"")) << list;
  EXPECT_FALSE(has(list, "/quarantine") || has(list, "/revocations")) << list;
  EXPECT_TRUE(has(list, "<meta http-equiv=\"refresh\"")) << "it is live";
  EXPECT_FALSE(has(get("/approvals?live=off").body, "<meta http-equiv=\"refresh\""));
  for (const std::string_view path : {"/", "/quarantine", "/revocations"}) {
    const ConsoleAnswer answer = get(path);
    EXPECT_EQ(answer.status, 403) << path;
    EXPECT_TRUE(has(answer.body, "href=\"/approvals\"")) << path;
  }
  const std::string token = token_of(list);
  for (const std::string_view path : {"/release", "/revoke", "/lift"})
    EXPECT_EQ(post(path, "csrf=" + token + "&kind=principal&name=bob&why=x&number=1").status, 403)
        << path;
  EXPECT_EQ(post("/sign-out", "csrf=" + token).status, 303);
  EXPECT_EQ(header(sign_in("the-key-of-ann"), "Location"), "/");
  EXPECT_TRUE(has(get("/").body, "href=\"/approvals\""));
  EXPECT_EQ(sign_in("the-key-of-eli").status, 403);
}

TEST_F(AnswerApprovalsTest, TakeTheFormOfThePage) {
  sign_in("the-key-of-cat");
  const std::string page = "/approvals/" + std::string(kId);
  const std::string html = get(page).body;
  EXPECT_LT(html.find("value=\"deny\""), html.find("value=\"approve\"")) << "no is the default";
  EXPECT_FALSE(has(html, "<meta http-equiv=\"refresh\"")) << "nobody loses what they type";
  const std::string token = token_of(html);
  const std::string match = "&match=pending-0-dddddddddddddddd";
  EXPECT_EQ(get(page + "?decision=approve").status, 200) << "GET changes nothing";
  EXPECT_EQ(post(page, "decision=approve" + match).status, 403) << "without the token";
  EXPECT_EQ(post(page, "csrf=" + token + match).status, 400) << "no button";
  EXPECT_EQ(post(page, "csrf=" + token + "&decision=approve").status, 428);
  EXPECT_EQ(post(page, "csrf=" + token + "&decision=approve&match=pending-1-d").status, 412);
  EXPECT_TRUE(has(get_as("cat", api()).body, R"("answers":[])"));
  const ConsoleAnswer answer =
      post(page, "csrf=" + token + "&decision=approve&why=looks+right" + match);
  EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(header(answer, "Location"), page);
  const std::string after = get(page).body;
  EXPECT_TRUE(has(after, "looks right")) << after;
  EXPECT_TRUE(has(after, "You cannot answer: <bdi>cat has approved it already</bdi>")) << after;
  EXPECT_TRUE(has(after, "<meta http-equiv=\"refresh\"")) << "it waits for others, and is live";
}

TEST_F(AnswerApprovalsTest, KeepNobodySignedInByThemselves) {
  const auto by_itself = [this] { return get("/approvals?live=on").status; };
  sign_in("the-key-of-cat");
  EXPECT_TRUE(has(get("/approvals").body, "content=\"5; url=/approvals?live=on\""));
  time_.pass(std::chrono::minutes(14));
  EXPECT_EQ(by_itself(), 200);
  time_.pass(std::chrono::minutes(2));
  EXPECT_EQ(by_itself(), 303) << "nobody was there for 16 minutes";
  sign_in("the-key-of-cat");
  time_.pass(std::chrono::minutes(14));
  EXPECT_EQ(get("/approvals").status, 200);
  time_.pass(std::chrono::minutes(2));
  EXPECT_EQ(by_itself(), 200) << "the control: somebody was";
}

TEST_F(AnswerApprovalsTest, LeadBackAfterSignIn) {
  const std::string page = "/approvals/" + std::string(kId);
  EXPECT_EQ(header(get(page), "Location"), "/sign-in?then=" + page);
  EXPECT_TRUE(has(get("/sign-in?then=" + page).body,
                  "<input type=\"hidden\" name=\"then\" value=\"" + page + "\">"));
  const ConsoleAnswer from_elsewhere = ask(
      "GET " + page + " HTTP/1.1\r\nHost: 127.0.0.1:9301\r\nSec-Fetch-Site: cross-site\r\n\r\n");
  EXPECT_EQ(from_elsewhere.status, 200) << "the cookie comes along the next time";
  EXPECT_TRUE(has(from_elsewhere.body, "content=\"0; url=" + page + "\""));
  const struct {
    std::string_view name, then;
    std::string want;
  } cases[] = {
      {"the page", page, page},
      {"the list", "/approvals", "/approvals"},
      {"another page", "/revocations", "/approvals"},
      {"another site", "https%3A%2F%2Fevil.example%2Fapprovals", "/approvals"},
      {"another host", "%2F%2Fevil.example", "/approvals"},
      {"a host behind a backslash", "%2F%5Cevil.example", "/approvals"},
      {"a page and a query", "/approvals%3Fx", "/approvals"},
      {"a page below", "/approvals/..%2F..%2Fx", "/approvals"},
      {"an address for programs", "/api/approvals", "/approvals"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string form = "key=the-key-of-cat&then=";
    for (const char letter : c.then)
      form += letter == '/' ? "%2F" : std::string(1, letter);
    EXPECT_EQ(header(post("/sign-in", form), "Location"), c.want);
    EXPECT_EQ(has(get("/sign-in?then=" + std::string(c.then)).body, "name=\"then\""),
              c.then == page || c.then == "/approvals");
  }
  const ConsoleAnswer wrong = post("/sign-in", "key=x&then=%2Fapprovals");
  EXPECT_TRUE(has(wrong.body, "name=\"then\" value=\"/approvals\"")) << "kept for the next try";
}

TEST_F(AnswerApprovalsTest, EndWithTheirCredential) {
  sign_in("the-key-of-cat");
  const std::string token = token_of(get("/approvals").body);
  Config config = config_of_approvals();
  config.principals["cat"].roles = {"caller"};
  config.rules["reads"].approval.principals = {};
  use(std::move(config));
  EXPECT_EQ(get("/approvals").status, 303);
  EXPECT_EQ(told(post_as("cat", kYes)), "403 role_missing");
}

TEST_F(AnswerApprovalsTest, AreNowhereWithoutAStateFile) {
  gateway_->approvals = nullptr;
  EXPECT_EQ(told(get_as("cat", api())), "409");
  EXPECT_EQ(told(post_as("cat", kYes)), "409");
  sign_in("the-key-of-cat");
  const std::string html = get("/approvals").body;
  EXPECT_TRUE(has(html, "[state] file")) << html;
}

TEST(ApprovalView, MatchesTags) {
  const struct {
    std::string_view name, if_match;
    bool want;
  } cases[] = {
      {"the tag", "\"a-1\"", true},
      {"any", "*", true},
      {"blanks", " \"a-1\" ", true},
      {"a list", "\"b\",\"a-1\"", true},
      {"nothing", "", false},
      {"another", "\"a-2\"", false},
      {"no quotes", "a-1", false},
      {"weak", "W/\"a-1\"", false},
      {"a part of it", "\"a-1", false},
      {"commas", ",,", false},
      {"within another", "\"xa-1\"", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(is_match(c.if_match, "a-1"), c.want) << c.name;
}

}  // namespace
}  // namespace bartizan
