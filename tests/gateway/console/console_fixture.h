#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "audit/digest.h"
#include "gateway/console/answer_console.h"
#include "gateway/runtime/clock.h"
#include "tests/gateway/call/worker_test.h"
#include "tests/shifted_time.h"

namespace bartizan {

inline constexpr std::string_view kForm = "application/x-www-form-urlencoded";
inline constexpr std::string_view kTool =
    R"({"name":"read","description":"reads","inputSchema":{"type":"object"}})";

inline ApiKeyConfig key_of(const std::string& name, const std::string& principal,
                           std::string_view key) {
  const auto digits = hex_text(Digester().sha256(key));
  return {
      .name = name, .principal = principal, .sha256 = std::string(digits.data(), digits.size())};
}

inline Config config_of_console() {
  Config config;
  config.console = ConsoleConfig{.roles = {"operator"}};
  for (const std::string role : {"operator", "caller"})
    config.roles[role] = {.name = role};
  config.principals["ann"] = {.id = "ann", .roles = {"operator"}};
  config.principals["bob"] = {.id = "bob", .roles = {"caller"}};
  config.principals["eve"] = {.id = "eve", .roles = {"caller", "operator"}};
  config.auth.api_keys = {key_of("ann-key", "ann", "the-key-of-ann"),
                          key_of("bob-key", "bob", "the-key-of-bob"),
                          key_of("eve-key", "eve", "the-key-of-eve")};
  return config;
}

/// A browser as far as it matters: it keeps one cookie and says where its forms come from.
class AnswerConsoleTest : public WorkerTest {
 protected:
  AnswerConsoleTest() {
    begin(config_of_console(), {});
    use(config_of_console());
    auto directory = std::make_shared<Directory>();
    directory->probed = true;
    directory->servers["notes"].failure = "<b>exited</b> \x1b[31m";
    worker().directory = std::move(directory);
    console_.emplace(worker().loop, *gateway_);
  }

  /// From now on that configuration is in force.
  void use(Config config) {
    auto policy = compile_policy(config, {});
    Authenticator authenticator(config.auth, policy, principals_);
    worker().use(
        std::make_shared<const Snapshot>(Snapshot{.config = std::move(config),
                                                  .policy = std::move(policy),
                                                  .authenticator = std::move(authenticator)}));
  }

  /// Input: what happens between the head and the end of the body.
  ConsoleAnswer ask(
      std::string_view text, std::string body = "",
      const std::function<void()>& meanwhile = [] {}) {
    RequestHead head;
    EXPECT_TRUE(head.read(text).has_value()) << text;
    std::optional<ConsoleAnswer> answer;
    run([](AnswerConsoleTest& test, const RequestHead& its, std::string form,
           std::function<void()> event, std::optional<ConsoleAnswer>& out) -> Task<void> {
      ConsoleRequest request{.head = its,
                             .peer = "127.0.0.1:5000",
                             .address = "127.0.0.1",
                             .read_body = [form, event] {
                               event();
                               return Task<Result<std::string>>::ready(Result<std::string>(form));
                             }};
      out = co_await test.console_->answer(std::move(request));
      test.worker().loop.stop();
    }(*this, head, std::move(body), meanwhile, answer));
    worker().loop.io().restart();
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(ConsoleAnswer());
  }

  ConsoleAnswer get(std::string_view path, std::string_view method = "GET") {
    return ask(std::string(method) + " " + std::string(path) +
               " HTTP/1.1\r\nHost: 127.0.0.1:9301\r\n" + cookie_line() + "\r\n");
  }

  ConsoleAnswer post(
      std::string_view path, const std::string& form,
      std::string_view origin = "http://127.0.0.1:9301",
      const std::function<void()>& meanwhile = [] {}) {
    return ask("POST " + std::string(path) + " HTTP/1.1\r\nHost: 127.0.0.1:9301\r\nOrigin: " +
                   std::string(origin) + "\r\nContent-Type: " + std::string(kForm) +
                   "\r\nContent-Length: " + std::to_string(form.size()) + "\r\n" + cookie_line() +
                   "\r\n",
               form, meanwhile);
  }

  /// Signs in, and keeps the cookie.
  ConsoleAnswer sign_in(std::string_view key) {
    ConsoleAnswer answer = post("/sign-in", "key=" + std::string(key));
    const std::string set = header(answer, "Set-Cookie");
    if (!set.empty()) cookie_ = set.substr(0, set.find(';'));
    return answer;
  }

  static std::string header(const ConsoleAnswer& answer, std::string_view name) {
    const auto found =
        std::ranges::find(answer.headers, name, [](const auto& one) { return one.first; });
    return found == answer.headers.end() ? "" : found->second;
  }

  std::string cookie_line() const { return cookie_.empty() ? "" : "Cookie: " + cookie_ + "\r\n"; }

  /// The token in the forms of a page.
  std::string csrf() { return token_of(get("/").body); }
  static std::string token_of(const std::string& html) {
    constexpr std::string_view kField = "name=\"csrf\" value=\"";
    const std::size_t at = html.find(kField);
    return at == html.npos ? "" : html.substr(at + kField.size(), 64);
  }

  std::string records() const { return read(path()); }

  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
  }

  /// What became of the definition of `notes/read`, which its server lists now.
  ToolStanding list(std::string_view entry = kTool) {
    JsonDocument document;
    const Bytes bytes(entry);
    const Result<JsonValue> value = document.read(bytes, kResponseLimits);
    const Result<ToolDefinition> tool = read_tool_definition(*value);
    fingerprint_ = tool->fingerprint;
    const auto standing =
        gateway_->seen_tools.take({.name = "notes", .program = "p"}, *tool, *value);
    return standing == nullptr ? ToolStanding() : *standing;
  }
  bool is_released() { return list().released_over.has_value(); }

  std::string release_form(const std::string& token) const {
    return "csrf=" + token + "&server=notes&tool=read&fingerprint=" + fingerprint_;
  }

  ShiftedTime time_;
  LentTime lent_{time_};
  std::optional<Console> console_;
  std::string cookie_;
  std::string fingerprint_;
};

}  // namespace bartizan
