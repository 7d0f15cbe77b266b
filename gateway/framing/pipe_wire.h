#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/framing/message_wire.h"
#include "gateway/process/line_reader.h"
#include "gateway/process/line_writer.h"
#include "gateway/runtime/asio.h"
#include "gateway/runtime/memory_budget.h"

namespace bartizan {

/// Messages as lines over two descriptors: standard input and output. The peer may be silent for
/// any time. A last message without a line end also counts.
///
/// Source: MCP 2026-07-28, basic/transports/stdio.
class PipeWire final : public MessageWire {
 public:
  PipeWire(Loop& loop, MemoryBudget& memory, Pipe input, Pipe output,
           std::size_t message_bytes_max);

  Task<Result<Bytes>> next() override;
  void write(std::string message) override { output_->write(std::move(message)); }
  bool has_room() const override { return output_->has_room(); }
  Task<void> wait_for_room() override { return output_->wait_for_room(); }
  bool is_flushed() const override { return output_->is_flushed(); }
  void on_broken(std::move_only_function<void(std::string_view why)> broken) override {
    output_->on_broken(std::move(broken));
  }
  bool is_closing() const override { return is_over_; }
  void stop_reading() override;
  void close(std::string_view /*why*/) override { stop_reading(); }

 private:
  MemoryBudget& memory_;
  Pipe input_;
  std::shared_ptr<LineWriter> output_;
  LineReader lines_;
  MemoryBudget::Reservation held_;
  std::vector<char> buffer_;
  std::string_view rest_;  ///< The unread part of `buffer_`.
  std::uint64_t dropped_ = 0;
  bool is_out_of_memory_ = false;  ///< Why the current line is dropped.
  bool is_over_ = false;
};

}  // namespace bartizan
