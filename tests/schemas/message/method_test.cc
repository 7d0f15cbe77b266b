#include "schemas/message/method.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "schemas/json/json.h"
#include "tests/schemas/published_schema.h"

namespace bartizan {
namespace {

using enum ProtocolVersion;

TEST(Method, IsFoundByNameAndById) {
  const int count = static_cast<int>(MethodId::notifications_tasks) + 1;
  for (int i = 1; i < count; ++i) {
    const Method& method = find_method(static_cast<MethodId>(i));
    EXPECT_EQ(static_cast<int>(method.id), i);
    EXPECT_EQ(&find_method(method.name), &method);
  }
  for (const std::string_view name : {"", "tools", "tools/calls", "Tools/call", "tools/call ",
                                      "notifications/subscriptions/acknowledged/and/more"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(find_method(name).id, MethodId::unknown);
  }
}

TEST(Method, KnowsWhenAndWhichWayItIsSpoken) {
  constexpr auto kUp = Direction::client_to_server;
  constexpr auto kDown = Direction::server_to_client;
  const struct {
    std::string_view method;
    ProtocolVersion version;
    Direction direction;
    bool is_spoken;
  } cases[] = {
      {"initialize", v2024_11_05, kUp, true},
      {"initialize", v2025_11_25, kUp, true},
      {"initialize", v2026_07_28, kUp, false},
      {"initialize", v2025_11_25, kDown, false},
      {"ping", v2025_11_25, kUp, true},
      {"ping", v2025_11_25, kDown, true},
      {"ping", v2026_07_28, kUp, false},
      {"server/discover", v2025_11_25, kUp, false},
      {"server/discover", v2026_07_28, kUp, true},
      {"tools/call", v2024_11_05, kUp, true},
      {"tools/call", v2026_07_28, kUp, true},
      {"tools/call", v2026_07_28, kDown, false},
      {"resources/subscribe", v2025_11_25, kUp, true},
      {"resources/subscribe", v2026_07_28, kUp, false},
      {"subscriptions/listen", v2026_07_28, kUp, true},
      {"logging/setLevel", v2026_07_28, kUp, false},
      {"sampling/createMessage", v2025_11_25, kDown, true},
      {"sampling/createMessage", v2025_11_25, kUp, false},
      {"sampling/createMessage", v2026_07_28, kDown, false},
      {"elicitation/create", v2025_03_26, kDown, false},
      {"elicitation/create", v2025_06_18, kDown, true},
      {"roots/list", v2024_11_05, kDown, true},
      {"tasks/get", v2025_06_18, kUp, false},
      {"tasks/get", v2025_11_25, kDown, true},
      {"tasks/get", v2026_07_28, kUp, true},
      {"tasks/get", v2026_07_28, kDown, false},
      {"tasks/list", v2026_07_28, kUp, false},
      {"tasks/update", v2025_11_25, kUp, false},
      {"tasks/update", v2026_07_28, kUp, true},
      {"notifications/cancelled", v2025_11_25, kDown, true},
      {"notifications/cancelled", v2026_07_28, kUp, true},
      {"notifications/cancelled", v2026_07_28, kDown, true},
      {"notifications/progress", v2025_11_25, kUp, true},
      {"notifications/progress", v2026_07_28, kUp, false},
      {"notifications/progress", v2026_07_28, kDown, true},
      {"notifications/initialized", v2026_07_28, kUp, false},
      {"notifications/elicitation/complete", v2025_11_25, kDown, true},
      {"notifications/elicitation/complete", v2026_07_28, kDown, false},
      {"notifications/tasks/status", v2025_11_25, kUp, true},
      {"notifications/tasks", v2026_07_28, kDown, true},
      {"skills/list", v2025_11_25, kUp, false},
      {"skills/list", v2026_07_28, kUp, true},
      {"skills/get", v2026_07_28, kUp, true},
      {"skills/get", v2026_07_28, kDown, false},
      {"resources/directory/read", v2025_11_25, kUp, false},
      {"resources/directory/read", v2026_07_28, kUp, true},
      {"vendor/method", v2025_11_25, kUp, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.method) + " " + std::string(text(c.version)));
    EXPECT_EQ(is_supported(find_method(c.method), c.version, c.direction), c.is_spoken);
  }
}

TEST(Method, KnowsItsTarget) {
  const struct {
    std::string_view method;
    TargetKind target;
  } cases[] = {
      {"tools/call", TargetKind::tool},
      {"prompts/get", TargetKind::prompt},
      {"resources/read", TargetKind::resource},
      {"resources/subscribe", TargetKind::resource},
      {"resources/unsubscribe", TargetKind::resource},
      {"skills/get", TargetKind::resource},
      {"resources/directory/read", TargetKind::resource},
      {"skills/list", TargetKind::none},
      {"tools/list", TargetKind::none},
      {"completion/complete", TargetKind::none},
  };
  for (const auto& c : cases)
    EXPECT_EQ(find_method(c.method).target, c.target) << c.method;
}

/// The methods that a published schema names as the constant of a `method` member.
std::set<std::string> published_methods(ProtocolVersion version) {
  const Bytes bytes(published_schema(version));
  JsonDocument document;
  const JsonValue root = document.read(bytes).value();
  std::set<std::string> methods;
  for (const JsonValue type : published_types(root)) {
    const JsonValue method = type.at_pointer("/properties/method/const");
    if (method) methods.emplace(method.text());
  }
  return methods;
}

TEST(Method, AgreesWithThePublishedSchemas) {
  // In the modern revision these types are parts of `inputRequests` and never messages.
  const std::set<std::string> embedded{"sampling/createMessage", "elicitation/create",
                                       "roots/list"};
  // Of the extensions for tasks and skills, which are published apart.
  const std::set<MethodId> extension{MethodId::tasks_get,
                                     MethodId::tasks_cancel,
                                     MethodId::tasks_update,
                                     MethodId::notifications_tasks,
                                     MethodId::skills_list,
                                     MethodId::skills_get,
                                     MethodId::resources_directory_read};
  for (const ProtocolVersion version : kProtocolVersions) {
    SCOPED_TRACE(text(version));
    const std::set<std::string> published = published_methods(version);
    ASSERT_GT(published.size(), 15U);
    const auto is_spoken_at_all = [version](const Method& method) {
      return is_supported(method, version, Direction::client_to_server) ||
             is_supported(method, version, Direction::server_to_client);
    };
    for (const std::string& name : published) {
      if (era(version) == Era::modern && embedded.contains(name)) continue;
      EXPECT_TRUE(is_spoken_at_all(find_method(name))) << name;
    }
    for (int i = 1; i <= static_cast<int>(MethodId::notifications_tasks); ++i) {
      const Method& method = find_method(static_cast<MethodId>(i));
      if (era(version) == Era::modern && extension.contains(method.id)) continue;
      if (!is_spoken_at_all(method)) continue;
      EXPECT_TRUE(published.contains(std::string(method.name))) << method.name;
    }
  }
}

}  // namespace
}  // namespace bartizan
