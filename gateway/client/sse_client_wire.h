#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/framing/stream_wire.h"
#include "gateway/runtime/signal.h"

namespace bartizan {

/// A client of the 2024-11-05 transport. It reads one event stream and posts each message in a
/// request of its own. A key joins the two; the first event of the stream contains it.
///
/// Bounded: by `kWaitingMax` messages, and their bytes by the memory budget.
/// Threads: those of its loop, except `is_flushed`.
/// Source:  MCP 2024-11-05, basic/transports, "HTTP with SSE".
class SseClientWire final : public MessageWire {
 public:
  static constexpr std::size_t kWaitingMax = 64;

  /// The owner of a stream.
  struct Owner {
    std::string principal;
    std::string endpoint;  ///< Name of the endpoint where it was opened.
    bool operator==(const Owner&) const = default;
  };

  /// Input: `stream`, the event stream; `owner`, who opened it.
  SseClientWire(Loop& loop, MemoryBudget& memory, std::shared_ptr<StreamWire> stream, Owner owner);

  /// Takes a posted message. False if too many are waiting, or without memory.
  bool take(Bytes text);
  const Owner& owner() const { return owner_; }
  /// Waits for the end of the stream, and makes `next` return then.
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
