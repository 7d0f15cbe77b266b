#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// The notifications that a client of 2026-07-28 requests, or that a server agreed to.
/// Source: MCP 2026-07-28, basic/patterns/subscriptions.
struct ListenFilter {
  using Texts = std::set<std::string, std::less<>>;

  bool tools = false, prompts = false, resources = false;  ///< Changes of these lists.
  std::optional<Texts> uris = {};                          ///< URIs of resources.
  std::optional<Texts> tasks = {};                         ///< Ids of tasks.
};

/// Reads the `notifications` of `subscriptions/listen` or of its acknowledgement. Members of
/// another type count as absent.
ListenFilter read_listen_filter(JsonValue notifications);

/// The acknowledgement of a subscription.
/// Input: `id_json`, the id of its request as JSON.
std::string write_acknowledgement(std::string_view id_json, const ListenFilter& agreed);

}  // namespace bartizan
