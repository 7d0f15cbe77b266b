#include "gateway/worker/list_changes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/control/apply_snapshot.h"
#include "gateway/message/received_message.h"
#include "gateway/worker/server_events.h"
#include "tests/audit/chain_fixture.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// Keeps what is sent to a session's stream.
class KeptStream final : public Exchange {
 public:
  void send(std::string message) override { sent.push_back(std::move(message)); }
  void finish(Answer /*answer*/) override {}
  void on_cancel(std::move_only_function<void()> /*cancelled*/) override {}
  std::vector<std::string> sent;
};

Config config_of(const std::vector<std::string>& servers) {
  Config config = sample_config();
  config.auth.mode = AuthConfig::Mode::none;
  config.auth.principal = "ann";
  config.servers.clear();
  for (const std::string& name : servers) {
    config.servers[name].name = name;
    config.servers[name].client_features = {ClientFeature::logging};
    config.rules[name] = {
        .name = name, .effect = Effect::permit, .roles = {"*"}, .patterns = {name + "/*"}};
    config.digest += name;
  }
  return config;
}

SnapshotPtr snapshot_of(const Config& config, std::uint64_t generation) {
  // Everybody is configured here, so nobody lives in it.
  static LivingPrincipals nobody;
  ServerDefinitions servers;
  for (const auto& [name, server] : config.servers) {
    servers.emplace(name, std::make_shared<const ServerDefinition>(
                              ServerDefinition{.config = server, .generation = generation}));
  }
  auto policy = compile_policy(config, {});
  return std::make_shared<const Snapshot>(
      Snapshot{.config = config,
               .policy = policy,
               .authenticator = Authenticator(config.auth, policy, nobody),
               .servers = std::move(servers)});
}

DirectoryPtr directory_of(const std::vector<std::string>& up) {
  auto directory = std::make_shared<Directory>();
  directory->probed = true;
  for (const std::string& name : up)
    directory->servers[name].legacy = ServerHandshake{.capabilities = R"({"tools":{}})"};
  return directory;
}

Task<void> begin(Worker& worker, SnapshotChange succession) {
  apply_snapshot(worker, succession);
  co_return;
}

/// An instance of that definition, ann's own, says something outside any call.
Task<void> say(Worker& worker, std::uint64_t generation) {
  constexpr std::string_view text =
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}})";
  Receipt said = receive_message(worker.loop, worker.gateway.memory, Bytes(text), {});
  EXPECT_TRUE(said.has_value());
  worker.upstream_events.message({.server = "files", .owner = "ann", .generation = generation},
                                 std::move(*said));
  co_return;
}

class ViewTest : public ChainTest {
 protected:
  ViewTest() {
    auto opened = AuditLog::open(path());
    EXPECT_TRUE(opened);
    log_.emplace(std::move(opened->log), AuditConfig());
    gateway_.emplace(memory_, *log_, limits_, counts_, digest_, refusals_, *launcher_);
    gateway_->scan_database = *compile_scan_database();
    gateway_->workers.push_back(
        std::make_unique<Worker>(*gateway_, 0, snapshot_of(config_of({"files"}), 1)));
    worker().upstreams.set_peers({&worker().upstreams});
  }

  Worker& worker() { return *gateway_->workers.front(); }

  /// A session of ann's that listens, and was told of tools when it began.
  std::shared_ptr<KeptStream> listen(Clock::time_point begun) {
    const Authenticated ann{.principal = worker().snapshot->policy->find_principal("ann"),
                            .proof = "configured"};
    const auto session = *worker().sessions.begin(ann, {}, {}, begun);
    session->offered.tools = true;
    auto stream = std::make_shared<KeptStream>();
    session->stream = stream;
    return stream;
  }

  void run(Task<void> task) {
    spawn(worker().loop, stop_after(std::move(task)));
    worker().loop.run();
    worker().loop.io().restart();
  }

  void tell() { run(tell_changed_lists(worker())); }

  Task<void> stop_after(Task<void> task) {
    co_await task;
    worker().loop.stop();
  }

  std::optional<SharedLog> log_;
  MemoryBudget memory_{std::uint64_t{64} << 20};
  SharedLimits limits_;
  SessionCounts counts_;
  KeyedDigest digest_{"key"};
  RefusalQuota refusals_;
  Result<Launcher> launcher_ = Launcher::start();
  std::optional<Gateway> gateway_;
};

const auto kLongAgo = Clock::now() - std::chrono::minutes(1);

TEST_F(ViewTest, TellsOfAServerThatCameUp) {
  const auto stream = listen(kLongAgo);
  tell();
  EXPECT_TRUE(stream->sent.empty());
  worker().show({worker().snapshot, directory_of({"files"})});
  tell();
  ASSERT_EQ(stream->sent.size(), 1U);
  EXPECT_NE(stream->sent.front().find("tools/list_changed"), std::string::npos);
  tell();
  EXPECT_EQ(stream->sent.size(), 1U) << "once";
  worker().show({worker().snapshot, directory_of({})});
  tell();
  EXPECT_EQ(stream->sent.size(), 2U) << "and of one that went";
}

// A server came up, and before anybody was told, a configuration takes over that changes nothing.
TEST_F(ViewTest, TellsWhatWasNotToldBeforeAnotherConfiguration) {
  const auto stream = listen(kLongAgo);
  worker().show({worker().snapshot, directory_of({"files"})});
  run(begin(worker(), {.snapshot = snapshot_of(config_of({"files"}), 1), .revision = 2}));
  tell();
  EXPECT_EQ(stream->sent.size(), 1U);
}

TEST_F(ViewTest, TellsNobodyWhoBeganAfterIt) {
  worker().show({worker().snapshot, directory_of({"files"})});
  const auto stream = listen(Clock::now());
  tell();
  EXPECT_TRUE(stream->sent.empty());
}

TEST_F(ViewTest, ComparesNothingThatBothSayAlike) {
  const auto stream = listen(kLongAgo);
  worker().show({worker().snapshot, directory_of({"files"})});
  tell();
  Config other = config_of({"files"});
  other.log.level = LogConfig::Level::debug;
  other.digest = "other";
  worker().show({snapshot_of(other, 1), worker().directory});
  tell();
  EXPECT_EQ(stream->sent.size(), 1U);
}

TEST_F(ViewTest, KnowsAReplacedInstance) {
  const struct {
    std::string_view name;
    std::string server;
    std::uint64_t generation;
    bool is_replaced;
  } cases[] = {
      {"of the present definition", "files", 3, false},
      {"of the one before", "files", 2, true},
      {"of one that this worker will be told of", "files", 4, false},
      {"of a server that is gone", "mail", 3, true},
  };
  worker().show({snapshot_of(config_of({"files"}), 3), worker().directory});
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const InstanceKey key{.server = c.server, .owner = "ann", .generation = c.generation};
    EXPECT_EQ(is_replaced(worker(), key), c.is_replaced);
  }
}

TEST_F(ViewTest, PassesNothingOnThatAReplacedInstanceSays) {
  const auto stream = listen(kLongAgo);
  worker().show({snapshot_of(config_of({"files"}), 3), directory_of({"files"})});
  run(say(worker(), 2));
  EXPECT_TRUE(stream->sent.empty());
  run(say(worker(), 3));
  EXPECT_EQ(stream->sent.size(), 1U);
}

TEST(Probe, IsKnownByItsOwner) {
  EXPECT_TRUE(is_probe({.server = "files", .owner = "(probe)"}));
  EXPECT_TRUE(is_probe({.server = "files", .owner = "(probe)files"})) << "of first use";
  EXPECT_FALSE(is_probe({.server = "files", .owner = "ann"}));
  EXPECT_FALSE(is_probe({.server = "files", .owner = ""}));
}

}  // namespace
}  // namespace bartizan
