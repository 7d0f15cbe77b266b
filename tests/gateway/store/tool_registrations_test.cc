#include "gateway/store/tool_registrations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/store/database.h"
#include "tests/config/folder.h"

namespace bartizan {
namespace {

template <class T>
T run(const std::function<Task<T>(Loop&)>& work) {
  Loop loop{0};
  std::optional<T> answer;
  spawn(loop,
        [](Loop& its, const std::function<Task<T>(Loop&)>& asked,
           std::optional<T>& place) -> Task<void> {
          place.emplace(co_await asked(its));
          its.stop();
        }(loop, work, answer));
  loop.run();
  return *answer;
}

KeptRegistration of(std::string tool, std::string version, std::string by = "dora") {
  KeptRegistration kept{.text = R"({"tool_metadata":{"name":")" + tool + R"(","version":")" +
                                version + R"("},"security_profile":{},"schema":{"input":{}}})",
                        .by = std::move(by),
                        .decision_id = "019aa640-1e7b-7c1e-9a3b-2f4d5e6f7a8b",
                        .at = std::chrono::sys_seconds(std::chrono::seconds(1'795'262'400))};
  kept.registration.server = "files";
  kept.registration.tool = std::move(tool);
  kept.registration.version = std::move(version);
  kept.registration.input_schema = "{}";
  return kept;
}

class ToolRegistrationsTest : public testing::Test {
 protected:
  using Found = std::optional<KeptRegistration>;
  ToolRegistrationsTest() { open(); }

  void open() {
    registrations_.reset();
    auto store = Store::open(path_);
    ASSERT_TRUE(store.has_value()) << store.error().detail;
    registrations_.emplace(*store);
    const Result<void> loaded = registrations_->load();
    ASSERT_TRUE(loaded.has_value()) << loaded.error().detail;
  }
  Result<KeptRegistration> add(KeptRegistration kept) {
    return run<Result<KeptRegistration>>(
        [&](Loop& loop) { return registrations_->add(loop, kept); });
  }
  Found approve(std::int64_t number) {
    return run<Result<Found>>(
               [&](Loop& loop) { return registrations_->approve(loop, number, "olga"); })
        .value_or(std::nullopt);
  }
  Found remove(std::int64_t number) {
    return run<Result<Found>>([&](Loop& loop) { return registrations_->remove(loop, number); })
        .value_or(std::nullopt);
  }
  /// `1 list 1.0 approved`, one after the other.
  std::vector<std::string> all() {
    std::vector<std::string> lines;
    for (const KeptRegistration& one : registrations_->all()) {
      lines.push_back(std::to_string(one.registration.number) + " " + one.registration.tool + " " +
                      one.registration.version +
                      (one.registration.is_approved ? " approved by " + one.approved_by : ""));
    }
    return lines;
  }
  using Lines = std::vector<std::string>;

  Folder folder_;
  const std::string path_ = folder_.name("state.db");
  std::optional<ToolRegistrations> registrations_;
};

TEST_F(ToolRegistrationsTest, AreThereAgainAfterARestart) {
  ASSERT_TRUE(add(of("list", "1.0")).has_value());
  ASSERT_TRUE(add(of("read", "2.0")).has_value());
  ASSERT_TRUE(approve(1).has_value());
  const Lines want{"1 list 1.0 approved by olga", "2 read 2.0"};
  EXPECT_EQ(all(), want);
  open();
  EXPECT_EQ(all(), want);
  EXPECT_EQ(registrations_->find(2)->by, "dora");
  EXPECT_FALSE(registrations_->find(3).has_value());
}

TEST_F(ToolRegistrationsTest, WaitOneATool) {
  EXPECT_EQ(add(of("list", "1.0"))->registration.number, 1);
  EXPECT_EQ(add(of("list", "1.0"))->registration.number, 1) << "word by word";
  EXPECT_EQ(add(of("list", "1.1"))->registration.number, 2) << "in the place of the first";
  EXPECT_EQ(all(), Lines{"2 list 1.1"});
  const auto other = add(of("list", "1.2", "mallory"));
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::invalid_params);
  EXPECT_EQ(all(), Lines{"2 list 1.1"});
  ASSERT_TRUE(approve(2).has_value());
  EXPECT_TRUE(add(of("list", "1.2", "mallory")).has_value()) << "nothing waits";
  EXPECT_EQ(add(of("list", "1.1"))->approved_by, "olga") << "what is approved stays so";
}

TEST_F(ToolRegistrationsTest, TakeThePlaceOfTheOneBefore) {
  ASSERT_TRUE(add(of("list", "1.0")).has_value());
  ASSERT_TRUE(approve(1).has_value());
  EXPECT_FALSE(approve(1).has_value()) << "once";
  ASSERT_TRUE(add(of("list", "2.0")).has_value());
  EXPECT_EQ(all(), (Lines{"1 list 1.0 approved by olga", "2 list 2.0"}));
  ASSERT_TRUE(approve(2).has_value());
  EXPECT_EQ(all(), Lines{"2 list 2.0 approved by olga"});
  EXPECT_TRUE(remove(2).has_value());
  EXPECT_FALSE(remove(2).has_value());
  EXPECT_EQ(all(), Lines{});
  EXPECT_EQ(add(of("list", "3.0"))->registration.number, 3) << "no number is used twice";
}

TEST_F(ToolRegistrationsTest, TellOfEachChange) {
  std::atomic<int> changes = 0;
  registrations_->on_change([&changes] { ++changes; });
  ASSERT_TRUE(add(of("list", "1.0")).has_value());
  EXPECT_EQ(changes, 1);
  ASSERT_TRUE(approve(1).has_value());
  EXPECT_EQ(changes, 2);
  ASSERT_TRUE(add(of("list", "2.0")).has_value());
  EXPECT_FALSE(add(of("list", "3.0", "mallory")).has_value());
  EXPECT_EQ(changes, 3) << "what was refused changed nothing";
  registrations_->on_change({});
  ASSERT_TRUE(remove(2).has_value());
  EXPECT_EQ(changes, 3);
}

TEST_F(ToolRegistrationsTest, AreFoundByTheirWordsBeforeAnythingElse) {
  ASSERT_TRUE(add(of("list", "1.0")).has_value());
  ASSERT_TRUE(approve(1).has_value());
  ASSERT_TRUE(add(of("list", "2.0", "mallory")).has_value());
  EXPECT_EQ(add(of("list", "1.0"))->registration.number, 1);
}

TEST_F(ToolRegistrationsTest, AreBounded) {
  for (std::size_t i = 0; i < limits::tool_registrations_max; ++i)
    ASSERT_TRUE(add(of("t" + std::to_string(i), "1")).has_value());
  const auto more = add(of("more", "1"));
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().code, ErrorCode::overloaded);
  EXPECT_TRUE(add(of("t0", "2")).has_value()) << "in the place of another";
}

TEST_F(ToolRegistrationsTest, RefuseRowsThatAreNone) {
  ASSERT_TRUE(add(of("list", "1.0")).has_value());
  registrations_.reset();
  {
    auto store = Store::open(path_);
    ASSERT_TRUE(store.has_value());
    const auto broken = (*store)->ask_now<bool>([](Database& database) -> Result<bool> {
      const auto done =
          database.query("UPDATE tool_registrations SET text = ?", {std::string("{}")});
      if (!done.has_value()) return std::unexpected(done.error());
      return true;
    });
    ASSERT_TRUE(broken.has_value());
  }
  auto store = Store::open(path_);
  ASSERT_TRUE(store.has_value());
  const Result<void> loaded = ToolRegistrations(*store).load();
  ASSERT_FALSE(loaded.has_value());
  EXPECT_TRUE(loaded.error().detail.contains("registration 1 of a tool cannot be read"))
      << loaded.error().detail;
}

}  // namespace
}  // namespace bartizan
