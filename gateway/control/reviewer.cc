#include "gateway/control/reviewer.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "gateway/review/config_review.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/signal.h"

namespace bartizan {
namespace {

using Problems = std::vector<ConfigProblem>;

/// What one reload waits for. Touched on its loop alone; the thread only knows whether it is there.
struct Asked {
  explicit Asked(Loop& loop) : done(loop) {}

  Signal done;
  std::optional<Problems> problems;  ///< All but what is wider.
  std::optional<Problems> wider;
};

std::unexpected<ReloadRefusal> refuse(std::string detail) {
  return std::unexpected(
      ReloadRefusal{.sentence = "what the configuration names could not be looked at in time",
                    .detail = std::move(detail)});
}

}  // namespace

/// What the thread shares with whoever asks; it may outlive the reviewer.
class Reviewer::Desk {
 public:
  /// False while somebody is at it.
  bool take() {
    const std::lock_guard lock(mutex_);
    return !std::exchange(is_taken_, true);
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    is_taken_ = false;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }

  /// What is wrong is told before it is compared, so that a comparison refuses nothing.
  void tell(Loop& loop, const std::weak_ptr<Asked>& asked, Problems problems) {
    const std::lock_guard lock(mutex_);
    post(loop, asked, [problems = std::move(problems)](Asked& waiting) mutable {
      waiting.problems = std::move(problems);
    });
  }

  void finish(Loop& loop, const std::weak_ptr<Asked>& asked, Problems wider) {
    const std::lock_guard lock(mutex_);
    is_taken_ = false;
    post(loop, asked, [wider = std::move(wider)](Asked& waiting) mutable {
      waiting.wider = std::move(wider);
      waiting.done.notify();
    });
  }

  /// Whether nobody waits any more.
  bool is_over(const std::weak_ptr<Asked>& asked) {
    const std::lock_guard lock(mutex_);
    return is_closed_ || asked.expired();
  }

 private:
  /// The lock keeps the loop: it ends after `close`.
  void post(Loop& loop, const std::weak_ptr<Asked>& asked, auto take) {
    if (is_closed_ || asked.expired()) return;
    loop.post_answer([asked, take = std::move(take)]() mutable {
      if (const std::shared_ptr<Asked> waiting = asked.lock()) take(*waiting);
    });
  }

  std::mutex mutex_;
  bool is_taken_ = false;
  bool is_closed_ = false;
};

Reviewer::Reviewer(Review review) : review_(std::move(review)), desk_(std::make_shared<Desk>()) {}

Reviewer::~Reviewer() {
  desk_->close();
}

Task<Reloaded<Problems>> Reviewer::review(Loop& loop, Config config) {
  if (!desk_->take()) {
    co_return refuse(
        "a root, folder, secret or certificate of a configuration that was refused before still "
        "does not answer; mend its disk, and send SIGHUP");
  }
  const auto asked = std::make_shared<Asked>(loop);
  try {
    // Nobody waits for its end: what a hanging disk holds ends when that lets it.
    start_thread([desk = desk_, review = review_, config = std::move(config), &loop,
                  asked = std::weak_ptr(asked)] {
      Problems problems = review.find_problems(config);
      // What a policy cannot be compiled from is compared with nothing.
      const bool is_compared = !has_error(problems);
      desk->tell(loop, asked, std::move(problems));
      Problems wider;
      if (is_compared)
        wider = review.find_widening(config, [&desk, &asked] { return desk->is_over(asked); });
      desk->finish(loop, asked, std::move(wider));
    }).detach();
  } catch (const std::system_error&) {
    desk_->leave();
    co_return refuse("the machine has no thread for it; send SIGHUP when it has");
  }
  co_await asked->done.wait(kDeadline);
  if (asked->problems.has_value()) {
    Problems& problems = *asked->problems;
    if (asked->wider.has_value()) {
      std::ranges::move(*asked->wider, std::back_inserter(problems));
    } else {
      problems.push_back({.severity = ConfigProblem::Severity::warning,
                          .where = {},
                          .message = "not compared in time with what was loaded; bartizan diff "
                                     "compares without haste",
                          .hint = {}});
    }
    co_return std::move(problems);
  }
  co_return refuse(fmt::format(
      "a root, folder, secret or certificate that it names does not answer within {} s; mend its "
      "disk, and send SIGHUP",
      kDeadline.count()));
}

}  // namespace bartizan
