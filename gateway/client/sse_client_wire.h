#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/framing/stream_wire.h"
#include "gateway/runtime/signal.h"

namespace bartizan {

/// A client of the transport of 2024-11-05: it reads one event stream, and posts each message by a
/// request of its own. Its key, which the stream's first event tells, joins the two.
///
/// Bounded: by `kWaitingMax` messages, and their bytes by the memory budget.
/// Threads: those of its loop, except `is_flushed`.
/// Source:  MCP 2024-11-05, basic/transports, "HTTP with SSE".
class SseClientWire final : public MessageWire {
 public:
  static constexpr std::size_t kWaitingMax = 64;

  /// Whose a stream is.
  struct Owner {
    std::string principal;
    std::string endpoint;  ///< Name of the one that it was opened at.
    bool operator==(const Owner&) const = default;
  };

  /// Input: `stream`, the event stream; `owner`, who opened it.
  SseClientWire(Loop& loop, MemoryBudget& memory, std::shared_ptr<StreamWire> stream, Owner owner);

  /// Takes a message that was posted. False where too many wait, or there is no memory.
  bool take(Bytes text);
  const Owner& owner() const { return owner_; }
  /// Tells `next` that the stream has ended, once it has.
  Task<void> watch_end();

  Task<Result<Bytes>> next() override;
  void write(std::string message) override { stream_->write(std::move(message)); }
  bool has_room() const override { return stream_->has_room(); }
  Task<void> wait_for_room() override { return stream_->wait_for_room(); }
  bool is_flushed() const override { return stream_->is_flushed(); }
  void on_broken(std::move_only_function<void(std::string_view why)> broken) override {
    stream_->on_broken(std::move(broken));
  }
  bool is_closing() const override { return stream_->is_closing() || has_ended_; }
  void stop_reading() override;
  void close(std::string_view why) override;
  void break_off(std::string_view why) override;
  Task<void> ended() override { return stream_->ended(); }
  void count_for(MemoryShares& shares, const std::string& principal) override {
    stream_->count_for(shares, principal);
  }

 private:
  struct Posted {
    Bytes text;
    MemoryBudget::Reservation memory = {};
  };

  MemoryBudget& memory_;
  std::shared_ptr<StreamWire> stream_;
  Owner owner_;
  std::deque<Posted> posted_;
  Signal news_;
  bool is_over_ = false;
  bool has_ended_ = false;
};

}  // namespace bartizan
