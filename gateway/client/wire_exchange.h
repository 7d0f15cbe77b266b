#pragma once

#include <memory>
#include <string>

#include "gateway/client/wire_client.h"
#include "gateway/message/exchange.h"

namespace bartizan {

/// One message of a client on a wire, and what is answered to it.
///
/// Threads: those of its client.
class WireExchange : public Exchange {
 public:
  /// `id_json` is empty for what is owed no answer; `era` says who else may cancel it; `calls` is
  /// how many it counts for.
  WireExchange(std::shared_ptr<WireClient> client, std::string id_json, Era era,
               std::uint32_t calls = 1);
  WireExchange(const WireExchange&) = delete;
  WireExchange& operator=(const WireExchange&) = delete;
  /// An exchange that was dropped is ended, so that no client waits for ever.
  ~WireExchange() override;

  void send(std::string message) override;
  void finish(Answer answer) override;
  void on_cancel(std::move_only_function<void()> cancelled) override;

  /// The client wants no answer any more: nothing more is sent to it.
  void cancel();
  const std::string& id_json() const { return id_json_; }
  Era era() const { return era_; }
  std::uint32_t calls() const { return calls_; }
  bool is_finished() const { return is_finished_; }
  /// Whether nothing but answers is sent to the client: it takes whatever comes for one, or sent no
  /// `initialize`.
  static bool takes_answers_only(const WireClient& client);

 protected:
  void tell_nothing_unasked();

 private:
  std::shared_ptr<WireClient> client_;
  std::string id_json_;
  Era era_;
  std::uint32_t calls_;
  std::move_only_function<void()> cancelled_;
  bool is_cancelled_ = false;
  bool is_finished_ = false;
};

/// What a legacy session is told outside any call. Where the session ends, so does its wire: it is
/// the session's stream.
class WireStream final : public Exchange {
 public:
  explicit WireStream(std::weak_ptr<WireClient> client) : client_(std::move(client)) {}
  void send(std::string message) override;
  void finish(Answer answer) override;
  void on_cancel(std::move_only_function<void()> /*cancelled*/) override {}

 private:
  std::weak_ptr<WireClient> client_;
};

/// What is answered to a handshake that no client asked for: nothing leaves.
class ImpliedExchange final : public WireExchange {
 public:
  ImpliedExchange(std::shared_ptr<WireClient> client)
      : WireExchange(std::move(client), "", Era::legacy) {}
  void send(std::string /*message*/) override {}
  void finish(Answer answer) override;
};

}  // namespace bartizan
