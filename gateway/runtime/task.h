#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/asio/async_result.hpp>

namespace bartizan {

/// The allocator for Asio's waiting operations. Without it, Asio allocates each one from the C
/// library.
template <class T>
struct OperationAllocator {
  using value_type = T;

  OperationAllocator() = default;
  template <class U>
  explicit OperationAllocator(const OperationAllocator<U>& /*other*/) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, count * sizeof(T));
  }
  template <class U>
  bool operator==(const OperationAllocator<U>& /*other*/) const noexcept {
    return true;
  }
};

/// The common part of all promises: the continuation at the end, and the outermost frame. If their
/// loop is gone before them, all are destroyed through the outermost frame.
class TaskPromiseBase {
 public:
  struct Final {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      const std::coroutine_handle<> continuation = ended.promise().continuation_;
      if (continuation) return continuation;
      // Nobody awaits it, so it ends its own frame.
      ended.destroy();
      return std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  Final final_suspend() const noexcept { return {}; }
  /// Expected failures are values. An exception ends the process.
  void unhandled_exception() const noexcept { std::terminate(); }

  std::coroutine_handle<> outermost() const { return outermost_; }
  void continue_with(std::coroutine_handle<> continuation, std::coroutine_handle<> outermost) {
    continuation_ = continuation;
    outermost_ = outermost;
  }

 private:
  std::coroutine_handle<> continuation_;
  std::coroutine_handle<> outermost_;
};

template <class T>
class TaskPromise : public TaskPromiseBase {
 public:
  void return_value(T value) { value_.emplace(std::move(value)); }
  T take() { return std::move(*value_); }

 private:
  std::optional<T> value_;
};

template <>
class TaskPromise<void> : public TaskPromiseBase {
 public:
  void return_void() const noexcept {}
  void take() const noexcept {}
};

/// A coroutine that begins when it is awaited. Its end resumes its awaiter directly, without a turn
/// of the loop in between. It is awaited once. The frame lives as long as the task. Alternatively,
/// a ready result without a frame.
///
/// Threads: those of its loop: one.
/// Cost:    about 30 ns with its frame, a third of Asio's `awaitable`, which posts and reference
///          counts; this is a jump. docs/performance.md has the figures.
template <class T>
class [[nodiscard]] Task {
  struct Nothing {};
  using Value = std::conditional_t<std::is_void_v<T>, Nothing, T>;

 public:
  struct promise_type : TaskPromise<T> {
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
  };

  /// A task with a ready result.
  static Task ready(Value value = {}) { return Task(std::move(value)); }

  Task(Task&& other) noexcept
      : frame_(std::exchange(other.frame_, nullptr)), value_(std::move(other.value_)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    std::swap(value_, other.value_);
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }

  /// Whether awaiting it would not wait.
  bool is_ready() const { return !frame_; }
  /// The result, without awaiting. Input: it is ready.
  Value& value() { return *value_; }

  struct Awaiter {
    Task* task;
    std::coroutine_handle<promise_type> frame;

    bool await_ready() const noexcept { return !frame; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> awaiting) const noexcept {
      frame.promise().continue_with(awaiting, awaiting.promise().outermost());
      return frame;
    }
    T await_resume() const {
      if (frame) return frame.promise().take();
      if constexpr (!std::is_void_v<T>) return std::move(task->value());
    }
  };
  Awaiter operator co_await() noexcept { return {this, frame_}; }

  /// Runs it without an awaiter, until its first wait. Its frame ends with it.
  void detach() && {
    if (!frame_) return;
    const auto frame = std::exchange(frame_, nullptr);
    frame.promise().continue_with({}, frame);
    frame.resume();
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  explicit Task(Value value) : value_(std::move(value)) {}

  std::coroutine_handle<promise_type> frame_;
  std::optional<Value> value_;  ///< Of a task without a frame.
};

/// Resumes a suspended coroutine once. If it is dropped without that, because its loop is gone, it
/// destroys the coroutine and all its awaiters.
class Wakeup {
 public:
  using allocator_type = OperationAllocator<void>;
  template <class Promise>
  explicit Wakeup(std::coroutine_handle<Promise> suspended)
      : suspended_(suspended), outermost_(suspended.promise().outermost()) {}
  Wakeup(Wakeup&& other) noexcept
      : suspended_(std::exchange(other.suspended_, nullptr)), outermost_(other.outermost_) {}
  Wakeup& operator=(Wakeup&&) = delete;
  ~Wakeup() {
    if (suspended_) outermost_.destroy();
  }

  void operator()() { std::exchange(suspended_, nullptr).resume(); }
  static allocator_type get_allocator() noexcept { return {}; }

 private:
  std::coroutine_handle<> suspended_;
  std::coroutine_handle<> outermost_;
};

/// An Asio operation as an awaitable. Its result is a tuple.
///
/// Lifetime: in the frame that awaits it; moved only before that.
template <class Initiation, class Arguments, class... Results>
class Operation {
 public:
  Operation(Initiation initiation, Arguments arguments)
      : initiation_(std::move(initiation)), arguments_(std::move(arguments)) {}

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) {
    std::apply(
        [&](auto&&... arguments) {
          std::move(initiation_)(Handler{this, Wakeup(awaiting)},
                                 std::forward<decltype(arguments)>(arguments)...);
        },
        std::move(arguments_));
  }
  std::tuple<Results...> await_resume() { return std::move(*results_); }

 private:
  struct Handler {
    using allocator_type = OperationAllocator<void>;

    Operation* operation;
    Wakeup wakeup;
    static allocator_type get_allocator() noexcept { return {}; }
    void operator()(Results... results) {
      operation->results_.emplace(std::move(results)...);
      wakeup();
    }
  };

  Initiation initiation_;
  Arguments arguments_;
  std::optional<std::tuple<Results...>> results_;
};

/// The completion token of all awaited operations. Errors are values.
struct Await {};
inline constexpr Await kAwait{};

}  // namespace bartizan

template <class... Results>
class boost::asio::async_result<bartizan::Await, void(Results...)> {
 public:
  template <class Initiation, class... Arguments>
  static auto initiate(Initiation&& initiation, bartizan::Await /*token*/,
                       Arguments&&... arguments) {
    using Kept = std::tuple<std::decay_t<Arguments>...>;
    return bartizan::Operation<std::decay_t<Initiation>, Kept, std::decay_t<Results>...>(
        std::forward<Initiation>(initiation), Kept(std::forward<Arguments>(arguments)...));
  }
};
