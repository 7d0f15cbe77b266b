// What an exporter sends, and what it does where a sink fails, refuses, hangs, or is another one.
#include "gateway/export/exporter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "audit/audit_log.h"
#include "audit/encode_record.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/sha256.h"
#include "tests/audit/chain_fixture.h"
#include "tests/fast_time.h"

namespace bartizan {
namespace {

using std::chrono::milliseconds;

/// A store that knows identities. Threads: any.
struct Store {
  std::mutex mutex;
  std::map<std::uint64_t, std::string> hashes;
  std::vector<std::uint64_t> order;
  std::vector<std::string> heads;
  std::set<std::uint64_t> poison;  ///< That it refuses, with all that is sent beside.
  int failures = 0;                ///< So many times it takes nothing.
  /// Until then it takes nothing.
  std::chrono::steady_clock::time_point away_until = {};
  int sends = 0;
  std::size_t tail = 0;

  std::size_t size() {
    const std::lock_guard lock(mutex);
    return hashes.size();
  }
};

class StoreSink : public Sink {
 public:
  explicit StoreSink(Store& store) : store_(store) {}

  Task<Delivery> send(const RecordOrigin&, std::span<const ExportedRecord> records) override {
    const std::lock_guard lock(store_.mutex);
    ++store_.sends;
    if (store_.failures > 0 || steady_now() < store_.away_until) {
      store_.failures = std::max(0, store_.failures - 1);
      co_return Delivery{.kind = Delivery::Kind::failed, .why = "the store is away"};
    }
    const bool is_poisoned = std::ranges::any_of(records, [this](const ExportedRecord& one) {
      return store_.poison.contains(one.sequence);
    });
    if (is_poisoned) co_return Delivery{.kind = Delivery::Kind::refused, .why = "status 400"};
    Delivery delivery;
    for (const ExportedRecord& one : records) {
      const auto [found, is_new] = store_.hashes.emplace(one.sequence, std::string(one.hash));
      if (is_new) store_.order.push_back(one.sequence);
      if (found->second != one.hash) {
        delivery.conflict = "another record " + std::to_string(one.sequence);
      }
    }
    co_return delivery;
  }
  Task<Delivery> send_head(const RecordOrigin&, std::string_view jws) override {
    const std::lock_guard lock(store_.mutex);
    store_.heads.emplace_back(jws);
    co_return Delivery{};
  }
  std::size_t tail() const override { return store_.tail; }

 private:
  Store& store_;
};

class ExporterTest : public ChainTest {
 protected:
  ExporterTest() { config_.name = "store"; }

  AuditLog& log() {
    if (!log_.has_value()) log_.emplace(std::move(AuditLog::open(path())->log));
    return *log_;
  }
  AuditHead append(Record made = {.decision = "permit"}) {
    made.kind = RecordKind::decision;
    made.time = system_now();
    const EncodedRecord one = encode_record(made);
    const auto head = log().append({&one, 1});
    EXPECT_TRUE(head.has_value());
    return head.value_or(AuditHead{});
  }
  void append(int count) {
    for (int i = 0; i < count; ++i)
      append();
  }
  std::shared_ptr<Exporter> start() {
    ExporterOptions options = options_of(config_);
    options.begins_at_end = begins_at_end_;
    auto opened = Exporter::open(std::move(options), path(), "gw-1", [this](Loop&) {
      return Result<std::unique_ptr<Sink>>(std::make_unique<StoreSink>(store_));
    });
    EXPECT_TRUE(opened.has_value()) << opened.error().detail;
    (*opened)->start();
    return *opened;
  }
  /// Whether the store has so many within ten seconds.
  bool gets(std::size_t count) {
    for (int i = 0; i < 1000 && store_.size() < count; ++i)
      std::this_thread::sleep_for(milliseconds(10));
    return store_.size() == count;
  }

  ExportConfig config_;
  bool begins_at_end_ = false;
  Store store_;
  std::optional<AuditLog> log_;
};

TEST_F(ExporterTest, SendsWhatIsThereAndWhatComes) {
  append(5);
  const auto exporter = start();
  EXPECT_TRUE(gets(5));
  append(3);
  ASSERT_TRUE(log().rotate(system_now()));
  append(2);
  EXPECT_TRUE(gets(12));  // With the records that end and begin a file.
  EXPECT_EQ(store_.hashes.rbegin()->second, hex_of(log().head().hash));
  EXPECT_TRUE(std::ranges::is_sorted(store_.order));
  exporter->end(milliseconds(5000));
  EXPECT_EQ(exporter->counts().position, 12U);
  EXPECT_EQ(exporter->counts().sent, 12U);
}

TEST_F(ExporterTest, TheNextProcessGoesOnWhereThisOneEnded) {
  append(5);
  start()->end(milliseconds(5000));
  append(2);
  store_.hashes.clear();
  start()->end(milliseconds(5000));
  ASSERT_EQ(store_.size(), 2U);
  EXPECT_EQ(store_.hashes.begin()->first, 6U);
}

TEST_F(ExporterTest, ASinkWithoutAcknowledgementsGetsATailAgain) {
  append(10);
  start()->end(milliseconds(5000));
  append(1);
  store_.hashes.clear();
  store_.tail = 4;
  start()->end(milliseconds(5000));
  ASSERT_EQ(store_.size(), 5U);
  EXPECT_EQ(store_.hashes.begin()->first, 7U);
}

TEST_F(ExporterTest, LosesNothingWhileTheSinkIsAway) {
  const FastTime time;
  const LentTime lent(time);
  store_.failures = 12;  // Pauses of half a second up to half a minute: some four minutes.
  append(5);
  const auto exporter = start();
  append(5);
  EXPECT_TRUE(gets(10));
  EXPECT_GE(exporter->counts().failures, 12U);
  EXPECT_EQ(exporter->failure(), "");
  exporter->end(milliseconds(100'000));
}

TEST_F(ExporterTest, LosesNothingInAnOutageOfAnHour) {
  const FastTime time(2000);
  const LentTime lent(time);
  store_.away_until = steady_now() + std::chrono::hours(1);
  const auto exporter = start();
  for (int file = 0; file < 4; ++file) {
    append(20);
    ASSERT_TRUE(log().rotate(system_now() + std::chrono::hours(file)));
  }
  EXPECT_TRUE(gets(88));
  // Every 30 seconds at most, so that it is not asked without pause, and soon once it is back.
  EXPECT_GE(store_.sends, 20);
  EXPECT_LE(store_.sends, 400);
  EXPECT_EQ(store_.hashes.rbegin()->second, hex_of(log().head().hash));
  exporter->end(std::chrono::hours(1));
}

TEST_F(ExporterTest, SaysWhyNothingIsSent) {
  store_.failures = 1'000'000;
  append(1);
  const auto exporter = start();
  for (int i = 0; i < 500 && exporter->failure().empty(); ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(exporter->failure(), "the store is away");
  EXPECT_TRUE(exporter->counts().is_failing);
  exporter->end(milliseconds(0));
  EXPECT_EQ(exporter->counts().position, 0U);
}

TEST_F(ExporterTest, ARecordThatIsNeverTakenKeepsNoOtherBack) {
  store_.poison = {3, 8};
  append(10);
  const auto exporter = start();
  EXPECT_TRUE(gets(8));
  exporter->end(milliseconds(5000));
  EXPECT_EQ(exporter->counts().refused, 2U);
  EXPECT_EQ(exporter->counts().position, 10U);
  EXPECT_FALSE(store_.hashes.contains(3));
}

// Found by a reader: an index that was closed for two seconds lost all that was sent to it.
TEST_F(ExporterTest, ASinkThatRefusesEverythingIsWaitedFor) {
  const FastTime time;
  const LentTime lent(time);
  append(6);
  for (std::uint64_t i = 1; i <= 6; ++i)
    store_.poison.insert(i);
  const auto exporter = start();
  for (int i = 0; i < 500 && exporter->counts().failures < 2; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(exporter->counts().refused, 0U);
  {
    const std::lock_guard lock(store_.mutex);
    store_.poison.clear();
  }
  EXPECT_TRUE(gets(6));
  exporter->end(milliseconds(100'000));
  EXPECT_EQ(exporter->counts().refused, 0U);
}

TEST_F(ExporterTest, FiltersLeaveOutWhatTheyNameAndNoViolation) {
  config_.log_tool_invocations = false;
  config_.log_performance_events = false;
  config_.log_protocol_errors = false;
  append({.decision = "permit"});
  append({.decision = "deny", .reason = "path_outside_root", .category = "validation"});
  append({.decision = "deny", .reason = "parse_error", .category = "protocol"});
  append({.decision = "deny", .reason = "overloaded", .category = "system"});
  append({.decision = "permit", .would = {"path_outside_root:x"}});
  const auto exporter = start();
  EXPECT_TRUE(gets(2));
  exporter->end(milliseconds(5000));
  EXPECT_TRUE(store_.hashes.contains(2));
  EXPECT_TRUE(store_.hashes.contains(5));
  EXPECT_EQ(exporter->counts().filtered, 3U);
  EXPECT_EQ(exporter->counts().position, 5U);
}

/// The control of what is above: without filters all are sent.
TEST_F(ExporterTest, WithoutFiltersAllAreSent) {
  append({.decision = "permit"});
  append({.decision = "deny", .reason = "parse_error", .category = "protocol"});
  append({.decision = "deny", .reason = "overloaded", .category = "system"});
  const auto exporter = start();
  EXPECT_TRUE(gets(3));
  exporter->end(milliseconds(5000));
}

TEST_F(ExporterTest, AnotherRecordUnderOneIdentityIsAnAlarm) {
  append(3);
  start()->end(milliseconds(5000));
  store_.hashes[2] = std::string(64, '0');
  std::filesystem::remove(position_path(path(), "export-store"));
  const auto exporter = start();
  exporter->end(milliseconds(5000));
  EXPECT_EQ(exporter->counts().conflicts, 1U);
}

TEST_F(ExporterTest, ARecordThatWasCutIsAnAlarmAndGoesOn) {
  append(4);
  start()->end(milliseconds(5000));
  log_.reset();
  const std::string text = read(path());
  const std::size_t cut = text.rfind('\n', text.size() - 2) + 1;
  write(path(), text.substr(0, cut));
  append({.decision = "deny"});
  const auto exporter = start();
  exporter->end(milliseconds(5000));
  EXPECT_EQ(exporter->counts().breaks, 1U);
  EXPECT_EQ(exporter->counts().conflicts, 1U);
  EXPECT_EQ(exporter->counts().position, 4U);
}

TEST_F(ExporterTest, AnotherChainIsSentFromItsBeginning) {
  append(4);
  start()->end(milliseconds(5000));
  log_.reset();
  std::filesystem::remove(path());
  store_.hashes.clear();
  append({.decision = "permit", .detail = "another chain"});
  start()->end(milliseconds(5000));
  EXPECT_EQ(store_.size(), 1U);
}

TEST_F(ExporterTest, APositionThatCannotBeReadIsAnErrorThatSaysWhatToDo) {
  append(1);
  write(position_path(path(), "export-store"), "nonsense\n");
  const auto opened = Exporter::open(options_of(config_), path(), "gw-1", [this](Loop&) {
    return Result<std::unique_ptr<Sink>>(std::make_unique<StoreSink>(store_));
  });
  ASSERT_FALSE(opened.has_value());
  EXPECT_TRUE(opened.error().detail.contains("remove it to send all again"))
      << opened.error().detail;
}

TEST_F(ExporterTest, WhatBeginsAtTheEndSendsNoHistory) {
  begins_at_end_ = true;
  append(4);
  const auto exporter = start();
  for (int i = 0; i < 500 && exporter->counts().position != 4; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  append(2);
  EXPECT_TRUE(gets(2));
  exporter->end(milliseconds(5000));
  // It has a position from then on.
  append(1);
  start()->end(milliseconds(5000));
  EXPECT_EQ(store_.order, (std::vector<std::uint64_t>{5, 6, 7}));
}

TEST_F(ExporterTest, HeadsFollowTheRecordsThatTheyAreAbout) {
  append(3);
  const auto exporter = start();
  exporter->announce_head("a.b.c");
  for (int i = 0; i < 500; ++i) {
    const std::lock_guard lock(store_.mutex);
    if (!store_.heads.empty()) break;
    std::this_thread::sleep_for(milliseconds(10));
  }
  exporter->end(milliseconds(5000));
  EXPECT_EQ(store_.heads, std::vector<std::string>{"a.b.c"});
  EXPECT_EQ(store_.size(), 3U);
}

}  // namespace
}  // namespace bartizan
