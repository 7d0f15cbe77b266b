#include "gateway/upstream/agent_links.h"

#include <utility>

#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

constexpr int kInternalError = -32603;

/// Delivers a message to its caller, on the caller's loop.
void bring(const std::weak_ptr<AgentCaller>& caller, std::string message) {
  const auto alive = caller.lock();
  if (alive == nullptr) return;
  alive->home().post_answer([caller, message = std::move(message)]() mutable {
    if (const auto present = caller.lock()) present->take(std::move(message));
  });
}

void tell_gone(const std::weak_ptr<AgentCaller>& caller) {
  const auto alive = caller.lock();
  if (alive == nullptr) return;
  alive->home().post_answer([caller] {
    if (const auto present = caller.lock()) present->on_gone();
  });
}

}  // namespace

void AgentLink::attach(std::weak_ptr<AgentCaller> caller) {
  loop_.post_answer([self = shared_from_this(), caller = std::move(caller)] {
    if (self->is_over_) return tell_gone(caller);
    std::erase_if(self->callers_, [](const auto& one) { return one.expired(); });
    self->callers_.push_back(caller);
  });
}

void AgentLink::send(std::string request, std::uint64_t number, bool is_proxied,
                     std::string id_json, std::weak_ptr<AgentCaller> caller) {
  const AgentCaller* who = caller.lock().get();
  loop_.post_answer([self = shared_from_this(), request = std::move(request), number,
                     waiting = Waiting{.caller = std::move(caller),
                                       .who = who,
                                       .id_json = std::move(id_json),
                                       .is_proxied = is_proxied}]() mutable {
    // The caller learns of it by `on_gone`.
    if (self->is_over_) return;
    if (!self->wire_->has_room()) {
      return bring(waiting.caller, write_error(waiting.id_json, kInternalError,
                                               "The agent does not read what it is sent."));
    }
    self->waiting_.emplace(number, std::move(waiting));
    self->wire_->write(std::move(request));
  });
}

void AgentLink::forget(const AgentCaller* caller, std::string id_json) {
  loop_.post_answer([self = shared_from_this(), caller, id_json = std::move(id_json)] {
    std::erase_if(self->waiting_, [&](const auto& entry) {
      return entry.second.who == caller && entry.second.id_json == id_json;
    });
  });
}

bool AgentLink::take_answer(JsonValue answer) {
  const auto number = answered_number(answer);
  if (!number.has_value()) return false;
  const auto found = waiting_.find(*number);
  if (found == waiting_.end()) return false;
  const Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  bring(waiting.caller,
        write_answer_of_agent(answer, waiting.id_json, *number, waiting.is_proxied));
  return true;
}

void AgentLink::end() {
  is_over_ = true;
  wire_ = nullptr;
  waiting_.clear();
  for (const auto& caller : std::exchange(callers_, {}))
    tell_gone(caller);
}

bool AgentLinks::admit_unknown(std::string_view network) {
  const std::lock_guard lock(mutex_);
  if (unknown_count_ >= limits::unknown_agents_max) return false;
  const auto found = unknown_.try_emplace(std::string(network), 0).first;
  if (found->second >= limits::unknown_agents_of_network_max) return false;
  ++found->second;
  ++unknown_count_;
  return true;
}

void AgentLinks::end_unknown(std::string_view network) {
  const std::lock_guard lock(mutex_);
  const auto found = unknown_.find(network);
  if (found == unknown_.end()) return;
  --unknown_count_;
  if (--found->second == 0) unknown_.erase(found);
}

bool AgentLinks::add(const AgentLinkPtr& link) {
  const std::lock_guard lock(mutex_);
  return links_.try_emplace(link->server(), link).second;
}

void AgentLinks::remove(const AgentLink& link) {
  const std::lock_guard lock(mutex_);
  const auto found = links_.find(link.server());
  if (found != links_.end() && found->second.get() == &link) links_.erase(found);
}

AgentLinkPtr AgentLinks::find(std::string_view server) const {
  const std::lock_guard lock(mutex_);
  const auto found = links_.find(server);
  return found == links_.end() ? nullptr : found->second;
}

}  // namespace bartizan
