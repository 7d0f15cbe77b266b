// What operators block between the judgement of a subscription and its beginning, and after it.
#include "gateway/call/subscription.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/call/call_steps.h"
#include "gateway/call/resolve_target.h"
#include "gateway/identity/revocation_table.h"
#include "tests/gateway/call/worker_test.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

constexpr std::string_view kListen = R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",)"
                                     R"("params":{"notifications":{"toolsListChanged":true}}})";

/// Keeps the answer.
class KeptAnswer final : public Exchange {
 public:
  void send(std::string /*message*/) override {}
  void finish(Answer answer) override { message = std::move(answer.message); }
  void on_cancel(std::move_only_function<void()> /*cancelled*/) override {}
  std::string message;
};

Revocation block_of(std::int64_t id, std::string server) {
  return {.id = id, .kind = Revocation::Kind::block_server, .subject = std::move(server)};
}

class SubscriptionTest : public WorkerTest {
 protected:
  SubscriptionTest() {
    Config config = sample_config();
    config.servers.clear();
    Directory directory;
    directory.probed = true;
    for (const std::string name : {"files", "mail"}) {
      ServerConfig& server = config.servers[name];
      server.name = name;
      server.command = {"/bin/false"};
      add_rule(config, sample_rule(name, Effect::permit, {"*"}, {name + "/*"}));
      directory.servers[name].modern = ServerHandshake{};
    }
    add_rule(config, sample_rule("listeners", Effect::permit, {"*"}, {"subscriptions/listen"},
                                 RuleTarget::methods));
    begin(std::move(config), {});
    gateway_->revocations = table_;
    worker().show({worker().snapshot, std::make_shared<const Directory>(std::move(directory))});
  }

  std::unique_ptr<CallFrame> listening() {
    const SnapshotPtr& snapshot = worker().snapshot;
    Inbound inbound{.received = receive(kListen),
                    .era = Era::modern,
                    .version = kNewestModernVersion,
                    .snapshot = snapshot,
                    .caller = {.principal = snapshot->policy->find_principal("ann"),
                               .proof = "configured",
                               .credential = {.kind = CredentialKind::configured}}};
    auto call = std::make_unique<CallFrame>(worker(), std::make_unique<Inbound>(std::move(inbound)),
                                            answer_);
    call->pending = std::make_shared<PendingCall>(worker().loop);
    return call;
  }

  /// Judges, lets `between` happen, and answers what the client is then refused with.
  Task<void> relay(std::function<void()> between) {
    const auto call = listening();
    auto judged = judge_call(*call);
    EXPECT_TRUE(std::holds_alternative<std::vector<Outgoing>>(judged));
    between();
    co_await relay_answers(*call, std::get<std::vector<Outgoing>>(std::move(judged)));
    worker().loop.stop();
  }

  Task<void> look(const CallFrame& call, Subscription& subscription) {
    ends_ = (co_await subscription.look(call)).ends;
    worker().loop.stop();
  }

  std::shared_ptr<RevocationTable> table_ = std::make_shared<RevocationTable>(1);
  std::shared_ptr<KeptAnswer> answer_ = std::make_shared<KeptAnswer>();
  std::optional<bool> ends_;
};

TEST_F(SubscriptionTest, GoesToTheServersThatItWasJudgedForOrToNone) {
  const auto call = listening();
  const auto judged = judge_call(*call);
  const auto& outgoing = std::get<std::vector<Outgoing>>(judged);
  ASSERT_EQ(outgoing.size(), 2U);
  EXPECT_TRUE(has_same_recipients(*call, outgoing));
  table_->add(block_of(1, "mail"));
  EXPECT_FALSE(has_same_recipients(*call, outgoing)) << "one is blocked";
  const auto without = judge_call(*call);
  EXPECT_TRUE(has_same_recipients(*call, std::get<std::vector<Outgoing>>(without)));
  table_->remove(1);
  EXPECT_TRUE(has_same_recipients(*call, outgoing));
  EXPECT_FALSE(has_same_recipients(*call, std::get<std::vector<Outgoing>>(without)))
      << "one is there again";
}

TEST_F(SubscriptionTest, IsNotSentWhereOneOfItsServersWasBlockedMeanwhile) {
  run(relay([this] { table_->add(block_of(1, "mail")); }));
  EXPECT_TRUE(answer_->message.contains(R"("reason":"server_unavailable")")) << answer_->message;
}

TEST_F(SubscriptionTest, IsRefusedWhereAllOfThemWereBlockedMeanwhile) {
  run(relay([this] {
    table_->add(block_of(1, "mail"));
    table_->add(block_of(2, "files"));
  }));
  EXPECT_TRUE(answer_->message.contains(R"("reason":"blocked")")) << answer_->message;
}

TEST_F(SubscriptionTest, EndsWhenOneOfItsServersIsBlocked) {
  const auto call = listening();
  Subscription subscription(*call);
  run(look(*call, subscription));
  EXPECT_EQ(ends_, false);
  worker().loop.io().restart();
  table_->add(block_of(1, "mail"));
  run(look(*call, subscription));
  EXPECT_EQ(ends_, true);
}

}  // namespace
}  // namespace bartizan
