#include "schemas/message/listen_filter.h"

#include "schemas/json/json_text.h"
#include "schemas/message/message.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

std::optional<ListenFilter::Texts> texts_of(JsonValue array) {
  if (!array) return std::nullopt;
  ListenFilter::Texts texts;
  for (const JsonValue one : array)
    texts.emplace(one.text());
  return texts;
}

std::string array_of(const ListenFilter::Texts& texts) {
  std::string array = "[";
  for (const std::string& text : texts) {
    if (array.size() > 1) array += ',';
    append_json_string(array, text);
  }
  return array + "]";
}

}  // namespace

ListenFilter read_listen_filter(JsonValue notifications) {
  const auto is_true = [&notifications](std::string_view member) {
    return notifications.find(member).boolean().value_or(false);
  };
  return {.tools = is_true("toolsListChanged"),
          .prompts = is_true("promptsListChanged"),
          .resources = is_true("resourcesListChanged"),
          .uris = texts_of(notifications.find("resourceSubscriptions")),
          .tasks = texts_of(notifications.find("taskIds"))};
}

std::string write_acknowledgement(std::string_view id_json, const ListenFilter& agreed) {
  std::string filter;
  const auto add = [&filter](const std::string& member) {
    if (!filter.empty()) filter += ',';
    filter += member;
  };
  if (agreed.tools) add(R"("toolsListChanged":true)");
  if (agreed.prompts) add(R"("promptsListChanged":true)");
  if (agreed.resources) add(R"("resourcesListChanged":true)");
  if (agreed.uris.has_value()) add(R"("resourceSubscriptions":)" + array_of(*agreed.uris));
  if (agreed.tasks.has_value()) add(R"("taskIds":)" + array_of(*agreed.tasks));
  std::string params = R"({"_meta":{")";
  params += meta_key::subscription_id;
  params += "\":";
  params += id_json;
  params += R"(},"notifications":{)" + filter + "}}";
  return write_notification("notifications/subscriptions/acknowledged", params);
}

}  // namespace bartizan
