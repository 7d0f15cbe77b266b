#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/call/call_frame.h"
#include "gateway/worker/worker.h"
#include "tests/audit/chain_fixture.h"

namespace bartizan {

/// A gateway with one worker and a record of its own. Everybody is `ann`.
class WorkerTest : public ChainTest {
 protected:
  explicit WorkerTest(AnswerQuestion answer = look_outside) {
    auto opened = AuditLog::open(path());
    EXPECT_TRUE(opened);
    log_.emplace(std::move(opened->log), AuditConfig());
    gateway_.reset(new Gateway{.memory = memory_,
                               .log = *log_,
                               .limits = limits_,
                               .sessions = counts_,
                               .digest = digest_,
                               .refusals = refusals_,
                               .launcher = *launcher_,
                               .facts = FactGatherer(std::move(answer))});
    gateway_->learned = [](const std::string&, ListKind, const std::vector<std::string>&) {};
    gateway_->scan_database = *compile_scan_database();
  }
  ~WorkerTest() override {
    if (!gateway_->workers.empty()) worker().upstreams.stop();
    gateway_.reset();
  }

  /// Lets the worker begin, by that configuration and with tools of these names.
  void begin(Config config, const KnownNames& names) {
    config.auth.mode = AuthConfig::Mode::none;
    config.auth.principal = "ann";
    ServerDefinitions servers;
    for (const auto& [name, one] : config.servers) {
      servers.emplace(name, std::make_shared<const ServerDefinition>(
                                ServerDefinition{.config = one, .generation = 1}));
    }
    auto policy = compile_policy(config, names, {}, gateway_->scan_database);
    Authenticator authenticator(config.auth, policy, principals_);
    auto snapshot =
        std::make_shared<const Snapshot>(Snapshot{.config = std::move(config),
                                                  .policy = std::move(policy),
                                                  .authenticator = std::move(authenticator),
                                                  .servers = std::move(servers)});
    gateway_->workers.push_back(std::make_unique<Worker>(*gateway_, 0, std::move(snapshot)));
    worker().upstreams.set_peers({&worker().upstreams});
    worker().upstreams.serve(
        {.definitions = worker().snapshot->servers, .revision = 1, .others_end = {}});
  }

  Worker& worker() { return *gateway_->workers.front(); }

  ReceivedMessage receive(std::string_view text) {
    return receive_message(worker().loop, memory_, Bytes(text), {}).value();
  }

  /// What `ann` sends, as a call.
  std::unique_ptr<CallFrame> frame(std::string_view text) {
    const SnapshotPtr& snapshot = worker().snapshot;
    Inbound inbound{
        .received = receive(text),
        .snapshot = snapshot,
        .caller = {.principal = snapshot->policy->find_principal("ann"),
                   .proof = "configured",
                   .credential = {.kind = CredentialKind::configured}},
        .transport = Transport::http,
    };
    return std::make_unique<CallFrame>(worker(), std::make_unique<Inbound>(std::move(inbound)),
                                       nullptr);
  }

  /// Runs a task that stops the worker's loop at its end.
  void run(Task<void> task) {
    spawn(worker().loop, std::move(task));
    worker().loop.run();
  }

  std::optional<SharedLog> log_;
  MemoryBudget memory_{std::uint64_t{64} << 20};
  SharedLimits limits_;
  SessionCounts counts_;
  LivingPrincipals principals_;
  KeyedDigest digest_{"key"};
  RefusalQuota refusals_;
  Result<Launcher> launcher_ = Launcher::start();
  std::unique_ptr<Gateway> gateway_;
};

}  // namespace bartizan
