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

/// What one reload waits for. Touched on its loop alone; the thread only knows whether it is there.
struct Asked {
  explicit Asked(Loop& loop) : computed(loop), done(loop) {}

  Signal computed;
  Signal done;
  std::optional<ConfigProblems> problems;  ///< Of the configuration by itself.
  std::optional<ConfigProblems> of_machine;
};

std::unexpected<ReloadRefusal> refuse(std::string detail) {
  return std::unexpected(
      ReloadRefusal{.sentence = "what the configuration names could not be looked at in time",
                    .detail = std::move(detail)});
}

/// Two configurations that are to be compared.
struct Comparison {
  std::shared_ptr<const ConfigSources> before;
  std::shared_ptr<const Config> after;
};

}  // namespace

/// What threads share with whoever asks; it may outlive the reviewer.
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

  void tell(Loop& loop, const std::weak_ptr<Asked>& asked, ConfigProblems problems) {
    const std::lock_guard lock(mutex_);
    post(loop, asked, [problems = std::move(problems)](Asked& waiting) mutable {
      waiting.problems = std::move(problems);
      waiting.computed.notify();
    });
  }

  void finish(Loop& loop, const std::weak_ptr<Asked>& asked, ConfigProblems of_machine) {
    const std::lock_guard lock(mutex_);
    is_taken_ = false;
    post(loop, asked, [of_machine = std::move(of_machine)](Asked& waiting) mutable {
      waiting.of_machine = std::move(of_machine);
      waiting.done.notify();
    });
  }

  /// True for who has to start a thread; otherwise the one that compares takes this next.
  bool take_comparison(Comparison comparison) {
    const std::lock_guard lock(mutex_);
    const bool is_new = !compared_.has_value();
    if (!is_new) comparison.before = compared_->before;
    is_replaced_ = !is_new;
    compared_ = std::move(comparison);
    return is_new;
  }

  void leave_comparison() {
    const std::lock_guard lock(mutex_);
    compared_.reset();
  }

  /// What is to be compared, by the thread that has taken it.
  Comparison comparison() {
    const std::lock_guard lock(mutex_);
    is_replaced_ = false;
    return *compared_;
  }

  /// Whether nobody is interested in the present comparison any more.
  bool is_over() {
    const std::lock_guard lock(mutex_);
    return is_closed_ || is_replaced_;
  }

  /// False where there is another one to compare by now.
  bool finish_comparison(Loop& loop, std::function<void()> tell) {
    const std::lock_guard lock(mutex_);
    if (!is_closed_ && is_replaced_) return false;
    compared_.reset();
    if (!is_closed_) loop.post_answer(std::move(tell));
    return true;
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
  bool is_replaced_ = false;
  std::optional<Comparison> compared_;  ///< What a thread compares, or is to compare next.
};

Reviewer::Reviewer(Review review) : review_(std::move(review)), desk_(std::make_shared<Desk>()) {}

Reviewer::~Reviewer() {
  desk_->close();
}

Task<Reloaded<ConfigProblems>> Reviewer::review(Loop& loop, Config config) {
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
      ConfigProblems problems = review.find_problems(config);
      const bool is_sound = !has_error(problems);
      desk->tell(loop, asked, std::move(problems));
      desk->finish(loop, asked, is_sound ? review.find_machine_problems(config) : ConfigProblems());
    }).detach();
  } catch (const std::system_error&) {
    desk_->leave();
    co_return refuse("the machine has no thread for it; send SIGHUP when it has");
  }
  // However many rules there are: what is only computed comes to its end, and no disk is to blame.
  while (!asked->problems.has_value())
    co_await asked->computed.wait(kDeadline);
  co_await asked->done.wait(kDeadline);
  if (!asked->of_machine.has_value()) {
    co_return refuse(fmt::format(
        "a root, folder, secret or certificate that it names does not answer within {} s; mend its "
        "disk, and send SIGHUP",
        kDeadline.count()));
  }
  std::ranges::move(*asked->of_machine, std::back_inserter(*asked->problems));
  co_return *std::move(asked->problems);
}

void Reviewer::compare(Loop& loop, std::shared_ptr<const ConfigSources> before, Config after) {
  if (!desk_->take_comparison(
          {.before = std::move(before), .after = std::make_shared<const Config>(std::move(after))}))
    return;
  try {
    start_thread([desk = desk_, review = review_, &loop] {
      const auto is_over = [&desk] { return desk->is_over(); };
      bool is_finished = false;
      while (!is_finished) {
        const Comparison compared = desk->comparison();
        ConfigProblems wider = review.find_widening(*compared.before, *compared.after, is_over);
        is_finished = desk->finish_comparison(
            loop, [tell = review.tell_widening, wider = std::move(wider)] { tell(wider); });
      }
    }).detach();
  } catch (const std::system_error&) {
    desk_->leave_comparison();
    review_.tell_widening({{.severity = ConfigProblem::Severity::warning,
                            .where = {},
                            .message = "not compared with what was loaded: the machine has no "
                                       "thread for it; bartizan diff compares",
                            .hint = {}}});
  }
}

}  // namespace bartizan
