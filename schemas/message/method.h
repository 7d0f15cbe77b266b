#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/message/protocol_version.h"

namespace bartizan {

/// The direction of a message.
enum class Direction : std::uint8_t { client_to_server, server_to_client };

/// The kind of a method's target, which decides which selector of a rule can grant it.
enum class TargetKind : std::uint8_t { none, tool, resource, prompt };

/// The methods and notifications of all five revisions and of the skills extension.
enum class MethodId : std::uint8_t {
  unknown,
  initialize,
  ping,
  server_discover,
  tools_list,
  tools_call,
  resources_list,
  resources_templates_list,
  resources_read,
  resources_subscribe,
  resources_unsubscribe,
  subscriptions_listen,
  prompts_list,
  prompts_get,
  completion_complete,
  skills_list,
  skills_get,
  resources_directory_read,
  logging_set_level,
  tasks_get,
  tasks_result,
  tasks_list,
  tasks_cancel,
  tasks_update,
  sampling_create_message,
  elicitation_create,
  roots_list,
  notifications_initialized,
  notifications_cancelled,
  notifications_progress,
  notifications_message,
  notifications_tools_list_changed,
  notifications_resources_list_changed,
  notifications_prompts_list_changed,
  notifications_resources_updated,
  notifications_subscriptions_acknowledged,
  notifications_roots_list_changed,
  notifications_elicitation_complete,
  notifications_tasks_status,
  notifications_tasks,
};

/// One row of the method table.
struct Method {
  MethodId id = MethodId::unknown;
  std::string_view name;
  bool is_notification = false;
  bool from_client = false;
  bool from_server = false;
  TargetKind target = TargetKind::none;
  ProtocolVersion first = ProtocolVersion::v2024_11_05;
  ProtocolVersion last = ProtocolVersion::v2026_07_28;
};

/// The row with exactly that name. Without one, a row with `MethodId::unknown` and an empty name.
/// Cost:   one hash probe.
/// Source: MCP schema.ts of each revision.
const Method& find_method(std::string_view name);
const Method& find_method(MethodId id);

/// Whether `method` exists in `version` and may be sent in that direction.
bool is_supported(const Method& method, ProtocolVersion version, Direction direction);

/// Whether a request of that method names a task: the requests of the tasks extension, and two of
/// 2025-11-25 with the same names.
bool is_about_task(MethodId method);

}  // namespace bartizan
