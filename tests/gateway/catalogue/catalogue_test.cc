#include "gateway/catalogue/catalogue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace bartizan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A catalogue whose fetches end, and fail, when the test lets them.
class CatalogueTest : public testing::Test {
 protected:
  CatalogueTest() { give_up_.arm(seconds(10)); }

  /// Asks `times` times, one after the other.
  Task<void> ask(int times, milliseconds wait) {
    for (; times > 0; --times) {
      const auto list = co_await catalogue_.get(UpstreamHandle(), ListKind::tools,
                                                Catalogue::Freshness::usual, wait);
      told_.push_back(list.has_value() ? "a list" : list.error().detail);
    }
    if (--asking_ == 0) loop_.stop();
  }
  void begin(int times, milliseconds wait) {
    ++asking_;
    spawn(loop_, ask(times, wait));
  }

  int fetches_ = 0;
  std::vector<std::string> told_;
  Loop loop_{0};
  Signal let_{loop_};

 private:
  Task<Result<void>> fail_later() {
    const int number = ++fetches_;
    co_await let_.wait(seconds(5));
    co_return fail(ErrorCode::not_recordable, Fault::gateway, "fetch " + std::to_string(number));
  }
  static void give_up(void* loop) { static_cast<Loop*>(loop)->stop(); }

  int asking_ = 0;
  MemoryBudget memory_{std::uint64_t{1} << 20};
  Deadline give_up_{loop_.wheel(), give_up, &loop_};
  SchemaCache schemas_{memory_};
  SeenTools seen_{memory_};
  Catalogue catalogue_{loop_,
                       memory_,
                       schemas_,
                       seen_,
                       [](JsonValue) { return false; },
                       [this](const InstanceKey&, const std::string&) { return fail_later(); },
                       [](const std::string&, ListKind, const ServerList&) {}};
};

// The first to be told begins another fetch at once, before the second comes to look.
TEST_F(CatalogueTest, TellsEachWaiterHowItsFetchEnded) {
  begin(2, seconds(60));
  begin(1, seconds(60));
  asio::post(loop_.io(), [this] { let_.notify(); });
  asio::post(loop_.io(), [this] { asio::post(loop_.io(), [this] { let_.notify(); }); });
  loop_.run();
  EXPECT_EQ(fetches_, 2);
  EXPECT_EQ(told_, (std::vector<std::string>{"fetch 1", "fetch 1", "fetch 2"}));
}

TEST_F(CatalogueTest, WaitsNoLongerThanItMay) {
  begin(1, milliseconds(1));
  loop_.run();
  EXPECT_EQ(told_, std::vector<std::string>{"the server did not list what it has within 1 ms"});
}

}  // namespace
}  // namespace bartizan
