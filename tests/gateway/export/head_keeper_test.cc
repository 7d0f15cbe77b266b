// Where signed heads are kept, and what a disk that hangs does to their keeper.
#include "gateway/export/head_keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gateway/runtime/clock.h"
#include "tests/audit/chain_fixture.h"

namespace bartizan {
namespace {

using std::chrono::milliseconds;

/// Source: RFC 8410 §10.3.
constexpr const char* kKey = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
)";

/// A disk that takes nothing until it is released. Threads: any.
class HangingDisk {
 public:
  Result<void> append() {
    ++appends_;
    while (is_hanging_)
      std::this_thread::sleep_for(milliseconds(5));
    has_returned_ = true;
    return {};
  }
  void release() {
    is_hanging_ = false;
    while (appends_ > 0 && !has_returned_)
      std::this_thread::sleep_for(milliseconds(5));
  }
  int appends() const { return appends_; }

 private:
  std::atomic<int> appends_ = 0;
  std::atomic<bool> is_hanging_ = true;
  std::atomic<bool> has_returned_ = false;
};

class HeadKeeperTest : public ChainTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(launcher_.has_value());
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened.has_value()) << opened.error().detail;
    log_ =
        std::make_unique<SharedLog>(std::move(opened->log), AuditConfig(), std::chrono::hours(1));
    exports_ = std::make_unique<Exports>(path(), *launcher_);
    write(path("key.pem"), kKey);
    std::filesystem::permissions(path("key.pem"), std::filesystem::perms::owner_read);
    config_ = {.key = {.kind = SecretReference::Kind::file, .name = path("key.pem")},
               .every = milliseconds(20),
               .file = path("heads")};
    ASSERT_TRUE(log_->append({record(1)}).has_value());
  }
  std::unique_ptr<HeadKeeper> start(HeadKeeper::Append append) {
    auto opened = HeadKeeper::open(config_, path(), "gw-1", std::move(append));
    EXPECT_TRUE(opened.has_value()) << opened.error().detail;
    (*opened)->start(*log_, *exports_, *launcher_, counts_);
    return *std::move(opened);
  }

  Result<Launcher> launcher_ = Launcher::start();
  SignedHeadConfig config_;
  std::shared_ptr<HeadCounts> counts_ = std::make_shared<HeadCounts>();
  std::unique_ptr<SharedLog> log_;
  std::unique_ptr<Exports> exports_;
};

TEST_F(HeadKeeperTest, AppendsEachHeadOnALineOfItsOwn) {
  const auto keeper = start(append_head);
  for (int i = 0; i < 500 && !std::filesystem::exists(config_.file); ++i)
    std::this_thread::sleep_for(milliseconds(10));
  keeper->end();
  const std::string heads = read(config_.file);
  EXPECT_TRUE(heads.starts_with("\ney")) << heads;
  EXPECT_TRUE(heads.ends_with('\n')) << heads;
  EXPECT_GE(counts_->kept, 1U);
  EXPECT_EQ(counts_->failed, 0U);
  EXPECT_EQ(counts_->sequence, 1U);
  EXPECT_GT(counts_->signed_at, 0);
}

TEST_F(HeadKeeperTest, ADiskThatHangsKeepsNoProcessFromEnding) {
  HangingDisk disk;
  auto keeper = start([&disk](const std::string&, const std::string&) { return disk.append(); });
  for (int i = 0; i < 500 && disk.appends() == 0; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  const auto began = steady_now();
  keeper->end();
  const auto took = steady_now() - began;
  EXPECT_GE(took, limits::head_end_patience - milliseconds(100));
  EXPECT_LT(took, limits::head_end_patience + milliseconds(2000));
  // No second thread hangs beside the first.
  EXPECT_EQ(disk.appends(), 1);
  EXPECT_EQ(counts_->kept, 0U);
  EXPECT_GE(counts_->failed, 1U);
  // An answer after the end finds nobody.
  keeper.reset();
  disk.release();
}

}  // namespace
}  // namespace bartizan
