#include "gateway/upstream/server_ear.h"

#include <algorithm>
#include <utility>

#include "gateway/runtime/clock.h"
#include "gateway/upstream/server_handshake.h"
#include "schemas/json/json_text.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

constexpr std::string_view kListen = "subscriptions/listen";
constexpr std::string_view kId = "1";
/// The longest wait for an acknowledgement.
constexpr std::chrono::seconds kPatience{10};
/// Between attempts, doubled up to the longest.
constexpr std::chrono::seconds kPause{1};
constexpr std::chrono::seconds kLongestPause{60};
constexpr std::chrono::hours kAnyTime{24};
/// The wait for the rest of the old stream, once the next one is open.
constexpr std::chrono::milliseconds kRest{1};
/// Resources that all clients of one instance may follow.
constexpr std::size_t kResourcesMax = 10'000;

bool is_method_missing(const Message& message) {
  return message.error.find("code").integer() == -32601;
}

bool is_acknowledgement(const Message& message) {
  return message.known->id == MethodId::notifications_subscriptions_acknowledged;
}

}  // namespace

ServerEar::ServerEar(Loop& home, MemoryBudget& memory, InstanceKey key, UpstreamEvents& events,
                     Find find)
    : home_(home),
      memory_(memory),
      key_(std::move(key)),
      events_(events),
      find_(std::move(find)),
      changed_(home) {}

void ServerEar::begin() {
  if (has_none_ || is_stopped_ || std::exchange(is_running_, true)) return;
  spawn(home_, run());
}

void ServerEar::stop() {
  is_stopped_ = true;
  answer_all("the server has ended");
  if (const auto stream = std::exchange(stream_, nullptr)) {
    stream->fail({ErrorCode::cancelled, Fault::gateway, "the server has ended"});
  }
  changed_.notify();
}

void ServerEar::follow(Wish wish, std::shared_ptr<PendingCall> asker) {
  begin();
  if (!wish.begins) {
    leave(wish.uri, wish.session);
    return answer(asker, write_result(kId, "{}"));
  }
  if (has_none_ || is_stopped_) {
    return answer(asker, write_error(kId, -32601, "the server has no subscriptions"));
  }
  if (stream_ != nullptr && agreed_.contains(wish.uri)) {
    followed_[wish.uri].insert(wish.session);
    return answer(asker, write_result(kId, "{}"));
  }
  if (!followed_.contains(wish.uri) && followed_.size() >= kResourcesMax) {
    return answer(asker, write_error(kId, -32603, "too many resources are followed"));
  }
  is_stale_ = true;
  followed_[wish.uri].insert(wish.session);
  questions_.push_back({.wish = std::move(wish), .asker = std::move(asker)});
  changed_.notify();
}

/// The stream keeps abandoned resources until another one is opened.
void ServerEar::leave(const std::string& uri, const std::string& session) {
  const auto found = followed_.find(uri);
  if (found == followed_.end()) return;
  found->second.erase(session);
  if (found->second.empty()) followed_.erase(found);
}

void ServerEar::forget(const std::string& session) {
  for (auto& [uri, sessions] : followed_)
    sessions.erase(session);
  std::erase_if(followed_, [](const auto& one) { return one.second.empty(); });
}

Task<void> ServerEar::run() {
  const auto self = shared_from_this();
  auto pause = kPause;
  bool was_open = false;
  while (!is_stopped_ && !has_none_ && find_() != nullptr) {
    if (stream_ != nullptr && !is_stale_) {
      co_await changed_.wait(kAnyTime);
    } else if (stream_ == nullptr && std::exchange(was_open, false)) {
      // A server that ends each stream at once is not asked at once.
      const bool has_lived = steady_now() - opened_ > kLongestPause;
      pause = has_lived ? kPause : std::min(2 * pause, kLongestPause);
      co_await pause_for(pause);
    } else if (co_await open()) {
      was_open = true;
    } else if (!has_none_) {
      co_await pause_for(pause);
      pause = std::min(2 * pause, kLongestPause);
    }
  }
  answer_all("the server has ended");
  is_running_ = false;
}

/// Sessions that follow another resource meanwhile wait, too.
Task<void> ServerEar::pause_for(std::chrono::seconds pause) {
  const auto end = steady_now() + pause;
  while (!is_stopped_ && steady_now() < end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_now());
    co_await changed_.wait(std::max(left, std::chrono::milliseconds(1)));
  }
}

OutboundRequest ServerEar::request() const {
  std::string filter = R"("notifications":{"toolsListChanged":true,"promptsListChanged":true,)"
                       R"("resourcesListChanged":true)";
  if (!followed_.empty()) {
    std::string uris;
    for (const auto& [uri, sessions] : followed_) {
      if (!uris.empty()) uris += ',';
      append_json_string(uris, uri);
    }
    filter += R"(,"resourceSubscriptions":[)" + uris + "]";
  }
  return own_request(GatewayMessage::subscriptions_listen, kListen,
                     modern_list_params(filter + "}"));
}

/// Opens a stream for all that clients follow now, and ends the one before. False where that
/// failed.
Task<bool> ServerEar::open() {
  const Result<void> recorded = co_await events_.record_gateway_message(key_, std::string(kListen));
  const std::shared_ptr<Upstream> upstream = find_();
  if (!recorded.has_value() || upstream == nullptr) co_return false;
  is_stale_ = false;
  const std::vector<Question> asked = std::exchange(questions_, {});
  auto stream = std::make_shared<PendingCall>(home_);
  stream->stand_aside();
  upstream->call(request(), stream);
  const Result<ReceivedMessage> first = co_await stream->next(kPatience);
  if (!first.has_value() || !is_acknowledgement(first->message)) {
    if (!first.has_value() && !stream->has_ended()) upstream->cancel(stream);
    const bool is_refused = first.has_value() && first->message.kind == MessageKind::error_response;
    const std::string why = is_refused ? "the server has no subscriptions"
                                       : "the server did not acknowledge the subscription";
    for (const Question& question : asked) {
      leave(question.wish.uri, question.wish.session);
      answer(question.asker, write_error(kId, is_refused ? -32601 : -32603, why));
    }
    // One that has none will not have any until it is another server.
    has_none_ = is_refused && is_method_missing(first->message);
    // The refused resource is unknown. So all are dropped, and lists are still heard.
    if (is_refused && asked.empty()) followed_.clear();
    if (has_none_) answer_all(why);
    co_return false;
  }
  const JsonValue agreed =
      first->message.params.find("notifications").find("resourceSubscriptions");
  agreed_.clear();
  for (const JsonValue uri : agreed)
    agreed_.emplace(uri.text());
  for (const Question& question : asked) {
    const bool agrees = agreed_.contains(question.wish.uri);
    if (!agrees) leave(question.wish.uri, question.wish.session);
    answer(question.asker, agrees ? write_result(kId, "{}")
                                  : write_error(kId, -32602, "the server does not offer this"));
  }
  if (is_stopped_) co_return false;
  opened_ = steady_now();
  const std::shared_ptr<PendingCall> before = std::exchange(stream_, stream);
  if (before != nullptr) {
    while (auto rest = co_await before->next(kRest)) {
      if (rest->message.is_notification()) hear(rest->message);
    }
    upstream->cancel(before);
    before->fail({ErrorCode::cancelled, Fault::gateway, "another stream is open"});
  }
  spawn(home_, read(stream));
  co_return true;
}

Task<void> ServerEar::read(std::shared_ptr<PendingCall> stream) {
  const auto self = shared_from_this();
  while (stream == stream_) {
    Result<ReceivedMessage> received = co_await stream->next(kAnyTime);
    if (!received.has_value()) {
      if (received.error().code == ErrorCode::timed_out && !stream->has_ended()) continue;
      break;
    }
    if (received->message.is_answer()) break;
    if (received->message.is_notification()) hear(received->message);
    home_.give_back(std::move(received->document));
  }
  if (stream != stream_) co_return;
  stream_ = nullptr;
  changed_.notify();
}

/// Reports it as a server of the legacy era says it.
void ServerEar::hear(const Message& message) {
  const MethodId method = message.known->id;
  const bool is_update = method == MethodId::notifications_resources_updated;
  if (!is_update && !tells_of_changed_list(message)) return;
  const std::string params = is_update ? R"({"uri":)" + json_string(message.uri.text()) + "}" : "";
  Receipt receipt = receive_message(
      home_, memory_, Bytes(write_notification(message.known->name, params)), kResponseLimits);
  if (receipt.has_value()) events_.message(key_, std::move(*receipt));
}

void ServerEar::answer(const std::shared_ptr<PendingCall>& asker, std::string text) {
  Receipt receipt = receive_message(home_, memory_, Bytes(std::move(text)), kResponseLimits);
  if (!receipt.has_value()) return asker->fail(receipt.error().error);
  static_cast<void>(asker->deliver(std::move(*receipt)));
}

void ServerEar::answer_all(const std::string& error) {
  for (const Question& question : std::exchange(questions_, {}))
    answer(question.asker, write_error(kId, -32603, error));
}

}  // namespace bartizan
