#pragma once

#include <memory>
#include <string>

#include "gateway/client/stdio_client.h"
#include "gateway/message/exchange.h"

namespace bartizan {

/// One message of the client on standard input, and what is answered to it.
///
/// Threads: those of its client.
class StdioExchange final : public Exchange {
 public:
  /// `id_json` is empty for what is owed no answer; `era` says who else may cancel it; `calls` is
  /// how many it counts for.
  StdioExchange(std::shared_ptr<StdioClient> client, std::string id_json, Era era,
                std::uint32_t calls = 1);
  StdioExchange(const StdioExchange&) = delete;
  StdioExchange& operator=(const StdioExchange&) = delete;
  /// An exchange that was dropped is ended, so that no client waits for ever.
  ~StdioExchange() override;

  void send(std::string message) override;
  void finish(Answer answer) override;
  void on_cancel(std::move_only_function<void()> cancelled) override;

  /// The client wants no answer any more: nothing more is sent to it.
  void cancel();
  const std::string& id_json() const { return id_json_; }
  Era era() const { return era_; }
  std::uint32_t calls() const { return calls_; }
  bool is_finished() const { return is_finished_; }

 private:
  std::shared_ptr<StdioClient> client_;
  std::string id_json_;
  Era era_;
  std::uint32_t calls_;
  std::move_only_function<void()> cancelled_;
  bool is_cancelled_ = false;
  bool is_finished_ = false;
};

/// What a legacy session is told outside any call.
class StdioStream final : public Exchange {
 public:
  explicit StdioStream(std::shared_ptr<LineWriter> output) : output_(std::move(output)) {}
  void send(std::string message) override {
    if (!message.empty()) output_->write(std::move(message));
  }
  void finish(Answer /*answer*/) override {}
  void on_cancel(std::move_only_function<void()> /*cancelled*/) override {}

 private:
  std::shared_ptr<LineWriter> output_;
};

}  // namespace bartizan
