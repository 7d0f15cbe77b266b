#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// What a client of 2026-07-28 wants to be told of, or what a server agreed to.
/// Source: MCP 2026-07-28, basic/patterns/subscriptions.
struct ListenFilter {
  using Texts = std::set<std::string, std::less<>>;

  bool tools = false, prompts = false, resources = false;  ///< That these lists changed.
  std::optional<Texts> uris = {};                          ///< Of resources.
  std::optional<Texts> tasks = {};                         ///< Their ids.
};

/// Reads the `notifications` of `subscriptions/listen` or of its acknowledgement. What has another
/// type counts as not there.
ListenFilter read_listen_filter(JsonValue notifications);

/// The acknowledgement of a subscription. Input: the id of its request, as JSON.
std::string write_acknowledgement(std::string_view id_json, const ListenFilter& agreed);

}  // namespace bartizan
