#include "gateway/approval/approval_webhook.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "tests/config/folder.h"

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'795'262'400;

ApprovalStep asked() {
  return {.request = {.id = "the-id",
                      .principal = "ann",
                      .server = "files",
                      .method = "tools/call",
                      .target = "write",
                      .rule = "writes",
                      .salt = "5a17",
                      .digest = "d16e57",
                      .params = "9a7a",
                      .shown = R"({"arguments":{"path":"/secret"}})",
                      .needed = 2,
                      .made_at = kNow,
                      .ends_at = kNow + 900},
          .by = {.principal = "ann", .call = "the-call"},
          .why = {}};
}

TEST(ApprovalWebhook, TellsWhatIsAskedAndNoArgument) {
  const auto event = webhook_event(asked(), "https://console.example.com");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->id, "the-id.pending");
  EXPECT_EQ(event->body,
            R"({"id":"the-id","state":"pending","principal":"ann","server":"files",)"
            R"("method":"tools/call","target":"write","rule":"writes","digest":"d16e57",)"
            R"("needed":2,"made_at":1795262400,"ends_at":1795263300,)"
            R"("url":"https://console.example.com/approvals/the-id"})");
}

TEST(ApprovalWebhook, TellsEachStepOnce) {
  using State = ApprovalState;
  const struct {
    std::string_view name;
    State state;
    std::string_view call;
    std::string_view want;
  } rows[] = {
      {"asked", State::pending, "the-call", "the-id.pending"},
      {"one of two has approved", State::pending, "", ""},
      {"approved", State::approved, "", "the-id.approved"},
      {"denied", State::denied, "", "the-id.denied"},
      {"used", State::used, "the-call", "the-id.used"},
      {"expired", State::expired, "", "the-id.expired"},
      {"withdrawn", State::withdrawn, "", "the-id.withdrawn"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    ApprovalStep step = asked();
    step.request.state = row.state;
    step.request.decided_at = kNow + 5;
    step.by.call = row.call;
    const auto event = webhook_event(step, "");
    EXPECT_EQ(event.has_value() ? event->id : "", row.want);
    if (!event.has_value()) continue;
    EXPECT_TRUE(event->body.contains(R"("decided_at":1795262405)"));
    EXPECT_FALSE(event->body.contains("url"));
    EXPECT_FALSE(event->body.contains("secret"));
  }
}

TEST(ApprovalWebhook, SignsTimeAndBody) {
  // HMAC-SHA-256 of "1795262400.{}" under "key", by `openssl dgst -hmac`.
  EXPECT_EQ(webhook_signature("key", "1795262400", "{}"),
            "v1=d64e8f9bc6de55c1ab8899ce0bdef8482ab85817eb20d9a79907e9d0ca1e52c8");
  EXPECT_NE(webhook_signature("key", "1795262401", "{}"),
            webhook_signature("key", "1795262400", "{}"));
  EXPECT_NE(webhook_signature("other", "1795262400", "{}"),
            webhook_signature("key", "1795262400", "{}"));
}

class WebhookTargetTest : public testing::Test {
 protected:
  WebhookTargetTest() {
    const std::string secret = folder_.write("hook", "a secret");
    std::filesystem::permissions(
        secret, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    config_.emplace(ApprovalWebhookConfig{.url = "http://127.0.0.1:9/hook",
                                          .secret = {SecretReference::Kind::file, secret, {}},
                                          .ca_file = {}});
  }

  Folder folder_;
  std::optional<ApprovalWebhookConfig> config_;
};

TEST_F(WebhookTargetTest, IsKeptAsLongAsNothingChanges) {
  const auto first = renew_webhook_target(config_, nullptr);
  ASSERT_TRUE(first.has_value()) << first.error().detail;
  EXPECT_EQ((*first)->secret.view(), "a secret");
  EXPECT_EQ((*first)->url.target, "/hook");
  EXPECT_EQ(renew_webhook_target(config_, *first).value(), *first);
  folder_.write("hook", "another secret");
  const auto second = renew_webhook_target(config_, *first);
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(*second, *first);
  config_->url = "http://127.0.0.1:9/other";
  EXPECT_NE(renew_webhook_target(config_, *second).value(), *second);
  EXPECT_EQ(renew_webhook_target(std::nullopt, *second).value(), nullptr);
}

TEST_F(WebhookTargetTest, IsNoneWithoutItsSecretAndAuthorities) {
  config_->ca_file = folder_.name("absent.pem");
  EXPECT_FALSE(renew_webhook_target(config_, nullptr).has_value());
  config_->ca_file.clear();
  config_->secret.name = folder_.name("absent");
  const auto refused = renew_webhook_target(config_, nullptr);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().detail.starts_with("[approvals.webhook]: "));
}

/// Announces that many steps to a receiver that nobody asks, since its loop does not run.
TEST_F(WebhookTargetTest, KeepsTheNewestOfTooMany) {
  Loop loop{0};
  ApprovalWebhook webhook(loop);
  webhook.announce(asked());
  const auto target = renew_webhook_target(config_, nullptr);
  ASSERT_TRUE(target.has_value());
  webhook.configure(*target, "");
  for (std::size_t i = 0; i < limits::webhook_events_max; ++i)
    webhook.announce(asked());
  EXPECT_EQ(webhook.counts()->dropped, 0U) << "what came before there was a receiver is nothing";
  for (int i = 0; i < 3; ++i)
    webhook.announce(asked());
  EXPECT_EQ(webhook.counts()->dropped, 3U);
  webhook.configure(nullptr, "");
  webhook.configure(*target, "");
  webhook.announce(asked());
  EXPECT_EQ(webhook.counts()->dropped, 3U) << "a receiver that went away takes all with it";
}

}  // namespace
}  // namespace bartizan
