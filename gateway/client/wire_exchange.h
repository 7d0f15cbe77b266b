#pragma once

#include <memory>
#include <string>

#include "gateway/client/wire_client.h"
#include "gateway/message/exchange.h"

namespace bartizan {

/// One message of a client on a wire, and its response.
///
/// Threads: those of its client.
class WireExchange : public Exchange {
 public:
  /// Input: `id_json`, empty if the message gets no response; `era`, which decides who else may
  /// cancel it; `calls`, the number of calls that it counts for.
  WireExchange(std::shared_ptr<WireClient> client, std::string id_json, Era era,
               std::uint32_t calls = 1);
  WireExchange(const WireExchange&) = delete;
  WireExchange& operator=(const WireExchange&) = delete;
  /// Ends an exchange that was dropped, so that no client waits for ever.
  ~WireExchange() override;

  void send(std::string message) override;
  void finish(Answer answer) override;
  void on_cancel(std::move_only_function<void()> cancelled) override;

  /// Ends it for a client that no longer wants a response: nothing more is sent.
  void cancel();
  const std::string& id_json() const { return id_json_; }
  Era era() const { return era_; }
  std::uint32_t calls() const { return calls_; }
  bool is_finished() const { return is_finished_; }
  /// Whether the client gets responses only: it takes any message for one, or sent no `initialize`.
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

/// The messages to a legacy session outside any call. The wire is the session's stream, so it ends
/// with the session.
class WireStream final : public Exchange {
 public:
  explicit WireStream(std::weak_ptr<WireClient> client) : client_(std::move(client)) {}
  void send(std::string message) override;
  void finish(Answer answer) override;
  void on_cancel(std::move_only_function<void()> /*cancelled*/) override {}

 private:
  std::weak_ptr<WireClient> client_;
};

/// The exchange of a handshake that the gateway implied: nothing is sent.
class ImpliedExchange final : public WireExchange {
 public:
  ImpliedExchange(std::shared_ptr<WireClient> client)
      : WireExchange(std::move(client), "", Era::legacy) {}
  void send(std::string /*message*/) override {}
  void finish(Answer answer) override;
};

}  // namespace bartizan
