#include "gateway/call/acknowledgement.h"

#include "gateway/call/resource_names.h"

namespace bartizan {

// The request is sent on, so that its text cannot be read again later.
Acknowledgement::Acknowledgement(const CallFrame& frame, std::size_t parts) : frame_(frame) {
  for (std::size_t part = 0; part < parts; ++part)
    unanswered_.insert(static_cast<std::uint32_t>(part));
  wanted_ = read_listen_filter(frame.message().params.find("notifications"));
  // What was asked for is answered, be it by nothing.
  if (wanted_.uris.has_value()) agreed_.uris.emplace();
  if (wanted_.tasks.has_value()) agreed_.tasks.emplace();
}

void Acknowledgement::agree(std::uint32_t part, std::string_view server, JsonValue notifications) {
  refuse(part);
  const ListenFilter says = read_listen_filter(notifications);
  agreed_.tools |= wanted_.tools && says.tools;
  agreed_.prompts |= wanted_.prompts && says.prompts;
  agreed_.resources |= wanted_.resources && says.resources;
  const auto agrees = [](const std::optional<ListenFilter::Texts>& to, const std::string& one) {
    return to.has_value() && to->contains(one);
  };
  for (const std::string& uri : wanted_.uris.value_or(ListenFilter::Texts())) {
    const auto own = own_uri(frame_, server, uri);
    if (own.has_value() && agrees(says.uris, *own)) agreed_.uris->insert(uri);
  }
  for (const std::shared_ptr<OpenTask>& task : frame_.task.followed) {
    const TaskOrigin& origin = task->origin();
    const bool is_agreed = origin.server == server && agrees(says.tasks, origin.server_id);
    if (agreed_.tasks.has_value() && is_agreed) agreed_.tasks->insert(origin.client_id);
  }
}

void Acknowledgement::refuse(std::uint32_t part) {
  unanswered_.erase(part);
}

std::string Acknowledgement::text() const {
  return write_acknowledgement(frame_.id_text, agreed_);
}

}  // namespace bartizan
