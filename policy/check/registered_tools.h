#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {

/// What clients registered of one tool.
struct RegisteredTool {
  /// The newest one that a person approved; null for none.
  const ToolRegistration* approved = nullptr;
  /// Of that, with the arguments as they are sent; `output` may be null.
  std::shared_ptr<const JsonSchema> input, output;
  /// Why nobody may call the tool, as a sentence; empty where its registration is in force.
  std::string flaw = {};
};

/// Why the server of a registration cannot keep what it asks for, as a sentence with the key to
/// write; empty where it can. A registration of a server that is not configured has one, too.
std::string find_registration_flaw(const ToolRegistration& registration,
                                   const std::map<std::string, ServerConfig, std::less<>>& servers);

/// The registrations of a configuration, compiled, by tool.
///
/// Threads: immutable once built.
class RegisteredTools {
 public:
  RegisteredTools() = default;
  explicit RegisteredTools(const Config& config);

  bool empty() const { return tools_.empty(); }
  /// What is registered of `server/tool`; null for nothing. Lifetime: that of this object.
  const RegisteredTool* find(std::string_view name) const;

 private:
  std::shared_ptr<const std::vector<ToolRegistration>> registrations_;
  std::map<std::string, RegisteredTool, std::less<>> tools_;
};

}  // namespace bartizan
