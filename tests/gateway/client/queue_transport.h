#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/client/admit_message.h"
#include "gateway/message/answer_denial.h"
#include "schemas/message/write_message.h"

namespace bartizan {

/// A transport whose messages are texts in a queue, and whose connection is the session, as that of
/// lines is. It has all that a transport of the gateway must have, and nothing else: who calls,
/// what a refusal looks like, where answers go, and when the client has gone.
///
/// Threads: those of its worker.
class QueueTransport : public std::enable_shared_from_this<QueueTransport> {
 public:
  QueueTransport(Worker& worker, std::string principal)
      : worker_(worker), principal_(std::move(principal)) {}

  /// A message of the client's.
  void take(std::string_view text) {
    Receipt receipt = receive_message(worker_.loop, worker_.gateway.memory, Bytes(text), {});
    if (!receipt.has_value()) {
      const RefusedMessage& refused = receipt.error();
      return refuse({.cause = MessageRefusal::Cause::protocol,
                     .code = refused.error.code,
                     .detail = refused.error.detail,
                     .id_json = refused.id_json});
    }
    auto admitted = admit_message(worker_, std::move(*receipt), arrival(text.size()));
    if (!admitted.has_value()) return refuse(admitted.error());
    begin_call(std::move(*admitted), std::make_shared<Reply>(shared_from_this()));
  }

  /// The client goes away: its calls are cancelled.
  void leave() {
    is_gone_ = true;
    for (auto& cancel : std::exchange(cancels_, {}))
      cancel();
  }

  /// What the client was sent, in order.
  const std::vector<std::string>& sent() const { return sent_; }
  /// How many messages have ended.
  std::size_t ended() const { return ended_; }

 private:
  /// Where one message's answers go.
  class Reply final : public Exchange {
   public:
    explicit Reply(std::shared_ptr<QueueTransport> transport) : transport_(std::move(transport)) {}
    void send(std::string message) override { transport_->put(std::move(message)); }
    void finish(Answer answer) override {
      if (!answer.session_id.empty()) transport_->begin_session(answer.session_id);
      transport_->put(std::move(answer.message));
      ++transport_->ended_;
    }
    void on_cancel(std::move_only_function<void()> cancelled) override {
      if (transport_->is_gone_) return cancelled();
      transport_->cancels_.push_back(std::move(cancelled));
    }

   private:
    std::shared_ptr<QueueTransport> transport_;
  };

  Arrival arrival(std::size_t bytes) const {
    Arrival arrival{.transport = Transport::stdio,
                    .snapshot = worker_.snapshot,
                    .source = "queue",
                    .bytes = bytes};
    arrival.caller = {.principal = arrival.snapshot->policy->find_principal(principal_),
                      .proof = "configured",
                      .credential = {.kind = CredentialKind::configured}};
    if (session_ == nullptr) return arrival;
    arrival.session_id = session_->id;
    arrival.agreed = session_->version;
    return arrival;
  }

  void begin_session(const std::string& id) {
    session_ =
        worker_.sessions.find(id, {.principal = principal_}, worker_.snapshot->config.session,
                              std::chrono::steady_clock::now());
  }

  void refuse(const MessageRefusal& refusal) {
    const std::string_view id =
        refusal.id_json.empty() ? absent_id(Era::legacy) : std::string_view(refusal.id_json);
    ++ended_;
    if (refusal.cause == MessageRefusal::Cause::protocol)
      return put(
          answer_protocol_error(refusal.code, refusal.detail, id, refusal.data_json).message);
    put(answer_denial({.reason = refusal.reason, .id_json = id, .detail = refusal.detail}).message);
  }

  void put(std::string message) {
    if (!is_gone_ && !message.empty()) sent_.push_back(std::move(message));
  }

  Worker& worker_;
  std::string principal_;
  std::shared_ptr<Session> session_;
  std::vector<std::string> sent_;
  std::vector<std::move_only_function<void()>> cancels_;
  std::size_t ended_ = 0;
  bool is_gone_ = false;
};

}  // namespace bartizan
