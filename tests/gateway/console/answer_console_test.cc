// What the console answers, from sign-in to release, with and without the right to it.
#include "gateway/console/answer_console.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tests/gateway/console/console_fixture.h"

namespace bartizan {
namespace {

TEST_F(AnswerConsoleTest, ShowsNothingButTheSignInToStrangers) {
  for (const std::string_view path : {"/", "/quarantine"}) {
    const ConsoleAnswer answer = get(path);
    EXPECT_EQ(answer.status, 303);
    EXPECT_EQ(header(answer, "Location"), "/sign-in");
    EXPECT_EQ(answer.body, "");
  }
  EXPECT_TRUE(has(get("/sign-in").body, "name=\"key\""));
  EXPECT_EQ(get("/console.css").content_type, "text/css; charset=utf-8");
  EXPECT_EQ(records(), "") << "pages that are looked at are on no record";
}

TEST_F(AnswerConsoleTest, SignsInByKeyAndRole) {
  const struct {
    std::string_view name, form;
    int status;
    std::string_view reason;
  } cases[] = {
      {"an operator", "key=the-key-of-ann", 303, ""},
      {"one with a further role", "key=the-key-of-eve", 303, ""},
      {"a caller", "key=the-key-of-bob", 403, "role_missing"},
      {"another key", "key=the-key-of-anna", 403, "credentials_invalid"},
      {"the key in capitals", "key=THE-KEY-OF-ANN", 403, "credentials_invalid"},
      {"a key and more", "key=the-key-of-ann+x", 403, "credentials_invalid"},
      {"its digest", "key=8d5b", 403, "credentials_invalid"},
      {"an empty key", "key=", 403, "credentials_invalid"},
      {"no key", "", 403, "credentials_invalid"},
      {"another field", "Key=the-key-of-ann", 403, "credentials_invalid"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::size_t before = records().size();
    const ConsoleAnswer answer = post("/sign-in", std::string(c.form));
    EXPECT_EQ(answer.status, c.status);
    EXPECT_EQ(header(answer, "Set-Cookie").empty(), c.status != 303);
    const std::string news = records().substr(before);
    if (c.status == 303) {
      EXPECT_TRUE(has(news, R"("kind":"sign_in")") && has(news, R"("transport":"console")"))
          << news;
    } else {
      EXPECT_TRUE(has(news, R"("reason":")" + std::string(c.reason) + "\"")) << news;
      EXPECT_TRUE(has(answer.body, "role=\"alert\""));
    }
    EXPECT_FALSE(has(news, "the-key-of") || has(answer.body, "the-key-of")) << news;
  }
}

/// A client of MCP got it for calls, and whoever has it is not its user.
TEST_F(AnswerConsoleTest, TakesNoAccessTokens) {
  constexpr std::string_view kToken = "eyJhbGciOiJub25lIn0.e30.x";
  const int status = sign_in(kToken).status;
  EXPECT_TRUE(has(records(), "the key is not known"))
      << "the control: without an issuer it is a key";
  Config config = config_of_console();
  config.auth.issuers = {
      {.name = "corp", .issuer = "http://127.0.0.1:1/corp", .audiences = {"gateway"}}};
  use(std::move(config));
  EXPECT_EQ(sign_in(kToken).status, status);
  EXPECT_TRUE(cookie_.empty());
  EXPECT_TRUE(has(records(), "the console takes API keys only"));
  sign_in("the-key-of-ann");
  EXPECT_FALSE(cookie_.empty()) << "keys work as before";
}

TEST_F(AnswerConsoleTest, GivesACookieThatScriptsAndOtherSitesDoNotGet) {
  const std::string set = header(sign_in("the-key-of-ann"), "Set-Cookie");
  EXPECT_TRUE(set.starts_with("bartizan=")) << set;
  EXPECT_TRUE(set.ends_with("; Path=/; HttpOnly; SameSite=Strict")) << set;
  Config config = config_of_console();
  config.console->allowed_origins = {"https://console.example"};
  use(config);
  EXPECT_TRUE(
      has(header(post("/sign-in", "key=the-key-of-ann", "https://console.example"), "Set-Cookie"),
          "; Secure"));
}

TEST_F(AnswerConsoleTest, BeginsASessionOfItsOwnAtEachSignIn) {
  // A cookie that somebody else put into the browser becomes no session.
  const std::string planted = "bartizan=" + std::string(64, 'a');
  cookie_ = planted;
  sign_in("the-key-of-ann");
  const std::string first = cookie_;
  EXPECT_NE(first, planted);
  cookie_ = planted;
  EXPECT_EQ(get("/").status, 303);
  cookie_ = first;
  EXPECT_EQ(get("/").status, 200);
  sign_in("the-key-of-ann");
  EXPECT_NE(cookie_, first);
  EXPECT_EQ(get("/").status, 200);
  cookie_ = first;
  EXPECT_EQ(get("/").status, 303) << "the session before has ended";
}

TEST_F(AnswerConsoleTest, ShowsWhatServersWordAsText) {
  sign_in("the-key-of-ann");
  const std::string html = get("/").body;
  EXPECT_TRUE(has(html, "&lt;b&gt;exited&lt;/b&gt; <span class=\"mark\">[U+001B][31m</span>"))
      << html;
  EXPECT_FALSE(has(html, "<script") || has(html, "style=") || has(html, " onclick"));
  EXPECT_EQ(get("/", "HEAD").status, 200);
}

TEST_F(AnswerConsoleTest, ReleasesExactlyWhatTheFormNamesAndSaysWho) {
  list();
  sign_in("the-key-of-ann");
  const std::size_t before = records().size();
  const ConsoleAnswer answer = post("/release", release_form(csrf()));
  EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(header(answer, "Location"), "/quarantine");
  EXPECT_TRUE(is_released());
  const std::string news = records().substr(before);
  for (const std::string_view part :
       {R"("kind":"release")", R"("source":"127.0.0.1:5000")", R"("transport":"console")",
        R"("principal":"ann")", R"("roles":["operator"])", R"("proof":"api_key:ann-key")",
        R"("server":"notes")", R"("target":"read")"})
    EXPECT_TRUE(has(news, part)) << part << " in " << news;
  EXPECT_TRUE(has(get("/quarantine").body, "released notes/read, definition " + fingerprint_));
  EXPECT_TRUE(has(get("/quarantine").body, "released notes/read")) << "a GET removes nothing";
}

// Whoever sends the last byte later is judged by what holds then.
TEST_F(AnswerConsoleTest, ReleasesNothingForAKeyThatIsRevokedBeforeTheBodyEnds) {
  list();
  sign_in("the-key-of-ann");
  const std::string form = release_form(csrf());
  const ConsoleAnswer refused = post("/release", form, "http://127.0.0.1:9301", [this] {
    Config changed = config_of_console();
    changed.auth.api_keys.erase(changed.auth.api_keys.begin());
    use(std::move(changed));
  });
  EXPECT_EQ(refused.status, 403);
  EXPECT_FALSE(is_released());
}

TEST_F(AnswerConsoleTest, ReleasesNothingThatWasNotListed) {
  list();
  sign_in("the-key-of-ann");
  const std::string token = csrf();
  fingerprint_ = std::string(64, '0');
  EXPECT_EQ(post("/release", release_form(token)).status, 303);
  EXPECT_TRUE(has(get("/quarantine").body, "was not released: the server never listed"));
  EXPECT_EQ(post("/release", "csrf=" + token + "&server=notes&tool=a%2Fb&fingerprint=0").status,
            400);
  EXPECT_EQ(post("/release", "csrf=" + token).status, 400);
  EXPECT_FALSE(is_released());
}

TEST_F(AnswerConsoleTest, DoesNothingForWhoMayNot) {
  list();
  sign_in("the-key-of-eve");
  const std::string of_eve = csrf();
  const std::string cookie_of_eve = cookie_;
  cookie_.clear();
  sign_in("the-key-of-ann");
  const std::string of_ann = csrf();
  const std::string cookie_of_ann = cookie_;
  ASSERT_NE(of_ann, of_eve);
  const struct {
    std::string_view name;
    std::string cookie, csrf;
    std::string_view origin, reason;
  } cases[] = {
      {"no cookie", "", of_ann, "http://127.0.0.1:9301", "unauthenticated"},
      {"a cookie that was made up", "bartizan=" + std::string(64, 'b'), of_ann,
       "http://127.0.0.1:9301", "unauthenticated"},
      {"no token", cookie_of_ann, "", "http://127.0.0.1:9301", "csrf_token_invalid"},
      {"the token of another session", cookie_of_ann, of_eve, "http://127.0.0.1:9301",
       "csrf_token_invalid"},
      {"the session of another token", cookie_of_eve, of_ann, "http://127.0.0.1:9301",
       "csrf_token_invalid"},
      {"half a token", cookie_of_ann, of_ann.substr(0, 63), "http://127.0.0.1:9301",
       "csrf_token_invalid"},
      {"another port of the host", cookie_of_ann, of_ann, "http://127.0.0.1:3000",
       "origin_not_allowed"},
      {"no site", cookie_of_ann, of_ann, "null", "origin_not_allowed"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    cookie_ = c.cookie;
    const std::size_t before = records().size();
    const ConsoleAnswer answer = post("/release", release_form(c.csrf), c.origin);
    EXPECT_EQ(answer.status, 403);
    const std::string news = records().substr(before);
    EXPECT_TRUE(has(news, R"("reason":")" + std::string(c.reason) + "\"")) << news;
    EXPECT_FALSE(has(news, R"("kind":"release")")) << news;
    EXPECT_FALSE(is_released());
  }
  cookie_ = cookie_of_ann;
  for (const std::string_view method : {"GET", "HEAD"}) {
    EXPECT_EQ(get("/release?" + release_form(of_ann), method).status, 405);
    EXPECT_FALSE(is_released());
  }
  // The control: the same with all of it.
  EXPECT_EQ(post("/release", release_form(of_ann)).status, 303);
  EXPECT_TRUE(is_released());
}

TEST_F(AnswerConsoleTest, EndsSessionsWithWhatTheyRestOn) {
  const struct {
    std::string_view name;
    void (*change)(Config&);
  } cases[] = {
      {"the key is revoked",
       [](Config& config) { config.auth.api_keys.erase(config.auth.api_keys.begin()); }},
      {"the key has expired", [](Config& config) { config.auth.api_keys[0].expires = 1; }},
      {"the key is another's", [](Config& config) { config.auth.api_keys[0].principal = "eve"; }},
      {"the principal has lost the role",
       [](Config& config) { config.principals["ann"].roles = {"caller"}; }},
      {"the principal is gone", [](Config& config) { config.principals.erase("ann"); }},
      {"the role may no longer", [](Config& config) { config.console->roles = {"caller"}; }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    use(config_of_console());
    cookie_.clear();
    sign_in("the-key-of-ann");
    ASSERT_EQ(get("/").status, 200);
    Config changed = config_of_console();
    c.change(changed);
    use(changed);
    EXPECT_EQ(get("/").status, 303);
    use(config_of_console());
    EXPECT_EQ(get("/").status, 303) << "a session that has ended does not come back";
  }
}

TEST_F(AnswerConsoleTest, EndsSessionsInTime) {
  sign_in("the-key-of-ann");
  time_.pass(std::chrono::minutes(14));
  EXPECT_EQ(get("/").status, 200);
  time_.pass(std::chrono::minutes(15));
  EXPECT_EQ(get("/").status, 303);
}

TEST_F(AnswerConsoleTest, SignsOut) {
  sign_in("the-key-of-ann");
  const std::string cookie = cookie_;
  EXPECT_EQ(post("/sign-out", "csrf=" + std::string(64, '0')).status, 403);
  EXPECT_EQ(get("/").status, 200);
  const ConsoleAnswer answer = post("/sign-out", "csrf=" + csrf());
  EXPECT_EQ(header(answer, "Location"), "/sign-in");
  EXPECT_TRUE(has(header(answer, "Set-Cookie"), "bartizan=; ")) << header(answer, "Set-Cookie");
  cookie_ = cookie;
  EXPECT_EQ(get("/").status, 303) << "whoever kept the cookie has nothing";
  EXPECT_TRUE(has(records(), R"("kind":"sign_out")"));
}

TEST_F(AnswerConsoleTest, LooksAtFewWrongKeysAMinute) {
  for (std::uint32_t i = 0; i < limits::failed_sign_ins_per_address_max; ++i)
    EXPECT_EQ(sign_in("wrong").status, 403);
  const ConsoleAnswer limited = sign_in("the-key-of-ann");
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(header(limited, "Retry-After"), "60");
  time_.pass(std::chrono::seconds(60));
  EXPECT_EQ(sign_in("the-key-of-ann").status, 303);
}

TEST_F(AnswerConsoleTest, TakesNoKeyFromALink) {
  EXPECT_EQ(get("/sign-in?key=the-key-of-ann").status, 200);
  EXPECT_EQ(post("/sign-in?key=the-key-of-ann", "").status, 403);
  EXPECT_TRUE(has(post("/sign-in", "key=a&key=b").body, "a form with a field twice"));
}

}  // namespace
}  // namespace bartizan
