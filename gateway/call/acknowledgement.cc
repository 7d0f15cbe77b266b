#include "gateway/call/acknowledgement.h"

#include "gateway/call/resource_names.h"
#include "schemas/json/json_text.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

bool is_true(JsonValue notifications, std::string_view member) {
  return notifications.find(member).boolean().value_or(false);
}

std::set<std::string, std::less<>> texts_of(JsonValue array) {
  std::set<std::string, std::less<>> texts;
  for (const JsonValue one : array)
    texts.emplace(one.text());
  return texts;
}

std::string array_of(const std::set<std::string, std::less<>>& texts) {
  std::string array = "[";
  for (const std::string& text : texts) {
    if (array.size() > 1) array += ',';
    append_json_string(array, text);
  }
  return array + "]";
}

}  // namespace

// The request is sent on, so that its text cannot be read again later.
Acknowledgement::Acknowledgement(const CallFrame& frame, std::size_t parts) : frame_(frame) {
  for (std::size_t part = 0; part < parts; ++part)
    unanswered_.insert(static_cast<std::uint32_t>(part));
  const JsonValue wanted = frame.message().params.find("notifications");
  wanted_ = {.tools = is_true(wanted, "toolsListChanged"),
             .prompts = is_true(wanted, "promptsListChanged"),
             .resources = is_true(wanted, "resourcesListChanged")};
  if (const JsonValue uris = wanted.find("resourceSubscriptions")) {
    wanted_.uris = texts_of(uris);
    agreed_.uris.emplace();
  }
  if (wanted.find("taskIds")) agreed_.tasks.emplace();
}

void Acknowledgement::agree(std::uint32_t part, std::string_view server, JsonValue notifications) {
  refuse(part);
  agreed_.tools |= wanted_.tools && is_true(notifications, "toolsListChanged");
  agreed_.prompts |= wanted_.prompts && is_true(notifications, "promptsListChanged");
  agreed_.resources |= wanted_.resources && is_true(notifications, "resourcesListChanged");
  if (wanted_.uris.has_value()) {
    const Texts agreed = texts_of(notifications.find("resourceSubscriptions"));
    for (const std::string& uri : *wanted_.uris) {
      const auto own = own_uri(frame_, server, uri);
      if (own.has_value() && agreed.contains(*own)) agreed_.uris->insert(uri);
    }
  }
  if (agreed_.tasks.has_value()) {
    const Texts agreed = texts_of(notifications.find("taskIds"));
    for (const std::shared_ptr<OpenTask>& task : frame_.task.followed) {
      const TaskOrigin& origin = task->origin();
      const bool agrees = origin.server == server && agreed.contains(origin.server_id);
      if (agrees) agreed_.tasks->insert(origin.client_id);
    }
  }
}

void Acknowledgement::refuse(std::uint32_t part) {
  unanswered_.erase(part);
}

std::string Acknowledgement::text() const {
  std::string filter;
  const auto add = [&filter](const std::string& member) {
    if (!filter.empty()) filter += ',';
    filter += member;
  };
  if (agreed_.tools) add(R"("toolsListChanged":true)");
  if (agreed_.prompts) add(R"("promptsListChanged":true)");
  if (agreed_.resources) add(R"("resourcesListChanged":true)");
  if (agreed_.uris.has_value()) add(R"("resourceSubscriptions":)" + array_of(*agreed_.uris));
  if (agreed_.tasks.has_value()) add(R"("taskIds":)" + array_of(*agreed_.tasks));
  std::string params = R"({"_meta":{")";
  params += meta_key::subscription_id;
  params += "\":" + frame_.id_text + R"(},"notifications":{)" + filter + "}}";
  return write_notification("notifications/subscriptions/acknowledged", params);
}

}  // namespace bartizan
