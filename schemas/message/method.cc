#include "schemas/message/method.h"

#include <array>
#include <cstddef>

namespace bartizan {
namespace {

using enum MethodId;
using enum ProtocolVersion;

enum class Way : std::uint8_t { to_server, to_client, both };

constexpr Method row(MethodId id, std::string_view name, Way way, ProtocolVersion first,
                     ProtocolVersion last, TargetKind target = TargetKind::none) {
  return {.id = id,
          .name = name,
          .is_notification = name.starts_with("notifications/"),
          .from_client = way != Way::to_client,
          .from_server = way != Way::to_server,
          .target = target,
          .first = first,
          .last = last};
}

/// In the order of MethodId. A method that a revision only defines inside `inputRequests` is not a
/// method there.
constexpr std::array kMethods{
    Method{},
    row(initialize, "initialize", Way::to_server, v2024_11_05, v2025_11_25),
    row(ping, "ping", Way::both, v2024_11_05, v2025_11_25),
    row(server_discover, "server/discover", Way::to_server, v2026_07_28, v2026_07_28),
    row(tools_list, "tools/list", Way::to_server, v2024_11_05, v2026_07_28),
    row(tools_call, "tools/call", Way::to_server, v2024_11_05, v2026_07_28, TargetKind::tool),
    row(resources_list, "resources/list", Way::to_server, v2024_11_05, v2026_07_28),
    row(resources_templates_list, "resources/templates/list", Way::to_server, v2024_11_05,
        v2026_07_28),
    row(resources_read, "resources/read", Way::to_server, v2024_11_05, v2026_07_28,
        TargetKind::resource),
    row(resources_subscribe, "resources/subscribe", Way::to_server, v2024_11_05, v2025_11_25,
        TargetKind::resource),
    row(resources_unsubscribe, "resources/unsubscribe", Way::to_server, v2024_11_05, v2025_11_25,
        TargetKind::resource),
    row(subscriptions_listen, "subscriptions/listen", Way::to_server, v2026_07_28, v2026_07_28),
    row(prompts_list, "prompts/list", Way::to_server, v2024_11_05, v2026_07_28),
    row(prompts_get, "prompts/get", Way::to_server, v2024_11_05, v2026_07_28, TargetKind::prompt),
    row(completion_complete, "completion/complete", Way::to_server, v2024_11_05, v2026_07_28),
    row(skills_list, "skills/list", Way::to_server, v2026_07_28, v2026_07_28),
    row(skills_get, "skills/get", Way::to_server, v2026_07_28, v2026_07_28, TargetKind::resource),
    row(resources_directory_read, "resources/directory/read", Way::to_server, v2026_07_28,
        v2026_07_28, TargetKind::resource),
    row(logging_set_level, "logging/setLevel", Way::to_server, v2024_11_05, v2025_11_25),
    row(tasks_get, "tasks/get", Way::both, v2025_11_25, v2026_07_28),
    row(tasks_result, "tasks/result", Way::both, v2025_11_25, v2025_11_25),
    row(tasks_list, "tasks/list", Way::both, v2025_11_25, v2025_11_25),
    row(tasks_cancel, "tasks/cancel", Way::both, v2025_11_25, v2026_07_28),
    row(tasks_update, "tasks/update", Way::to_server, v2026_07_28, v2026_07_28),
    row(sampling_create_message, "sampling/createMessage", Way::to_client, v2024_11_05,
        v2025_11_25),
    row(elicitation_create, "elicitation/create", Way::to_client, v2025_06_18, v2025_11_25),
    row(roots_list, "roots/list", Way::to_client, v2024_11_05, v2025_11_25),
    row(notifications_initialized, "notifications/initialized", Way::to_server, v2024_11_05,
        v2025_11_25),
    row(notifications_cancelled, "notifications/cancelled", Way::both, v2024_11_05, v2026_07_28),
    row(notifications_progress, "notifications/progress", Way::both, v2024_11_05, v2026_07_28),
    row(notifications_message, "notifications/message", Way::to_client, v2024_11_05, v2026_07_28),
    row(notifications_tools_list_changed, "notifications/tools/list_changed", Way::to_client,
        v2024_11_05, v2026_07_28),
    row(notifications_resources_list_changed, "notifications/resources/list_changed",
        Way::to_client, v2024_11_05, v2026_07_28),
    row(notifications_prompts_list_changed, "notifications/prompts/list_changed", Way::to_client,
        v2024_11_05, v2026_07_28),
    row(notifications_resources_updated, "notifications/resources/updated", Way::to_client,
        v2024_11_05, v2026_07_28),
    row(notifications_subscriptions_acknowledged, "notifications/subscriptions/acknowledged",
        Way::to_client, v2026_07_28, v2026_07_28),
    row(notifications_roots_list_changed, "notifications/roots/list_changed", Way::to_server,
        v2024_11_05, v2025_11_25),
    row(notifications_elicitation_complete, "notifications/elicitation/complete", Way::to_client,
        v2025_11_25, v2025_11_25),
    row(notifications_tasks_status, "notifications/tasks/status", Way::both, v2025_11_25,
        v2025_11_25),
    row(notifications_tasks, "notifications/tasks", Way::to_client, v2026_07_28, v2026_07_28),
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kMethods.size(); ++i) {
    if (static_cast<std::size_t>(kMethods[i].id) != i) return false;
  }
  return kMethods.size() == static_cast<std::size_t>(notifications_tasks) + 1;
}
static_assert(is_in_order());

constexpr std::size_t kSlots = 256;  // A power of two, several times the rows.

/// FNV-1a. The table is fixed, so colliding names do no harm.
constexpr std::size_t slot_of(std::string_view name) {
  std::uint32_t hash = 2166136261;
  for (const char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return (hash ^ (hash >> 16)) % kSlots;
}

constexpr std::array<std::uint8_t, kSlots> make_slots() {
  std::array<std::uint8_t, kSlots> slots{};
  for (std::size_t i = 1; i < kMethods.size(); ++i) {
    std::size_t slot = slot_of(kMethods[i].name);
    while (slots[slot] != 0)
      slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<std::uint8_t>(i);
  }
  return slots;
}
constexpr std::array<std::uint8_t, kSlots> kSlotRows = make_slots();

constexpr std::size_t longest_name() {
  std::size_t longest = 0;
  for (const Method& method : kMethods) {
    if (method.name.size() > longest) longest = method.name.size();
  }
  return longest;
}

}  // namespace

const Method& find_method(std::string_view name) {
  if (name.empty() || name.size() > longest_name()) return kMethods[0];
  for (std::size_t slot = slot_of(name); kSlotRows[slot] != 0; slot = (slot + 1) % kSlots) {
    const Method& method = kMethods[kSlotRows[slot]];
    if (method.name == name) return method;
  }
  return kMethods[0];
}

const Method& find_method(MethodId id) {
  return kMethods[static_cast<std::size_t>(id)];
}

bool is_supported(const Method& method, ProtocolVersion version, Direction direction) {
  if (method.id == unknown || version < method.first || version > method.last) return false;
  const bool is_from_client = direction == Direction::client_to_server;
  if (!(is_from_client ? method.from_client : method.from_server)) return false;
  if (era(version) == Era::legacy) return true;
  // A modern client sends requests and a modern server notifications. Source: MCP 2026-07-28,
  // basic/patterns.
  if (!is_from_client) return method.is_notification;
  return !method.is_notification || method.id == notifications_cancelled;
}

bool is_about_task(MethodId method) {
  return method == MethodId::tasks_get || method == MethodId::tasks_update ||
         method == MethodId::tasks_cancel;
}

}  // namespace bartizan
