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

/// The registrations of one tool.
struct RegisteredTool {
  /// The newest one that a person approved; null for none.
  const ToolRegistration* approved = nullptr;
  /// Of that, with the arguments as they are sent; `output` may be null.
  std::shared_ptr<const JsonSchema> input, output;
  /// Why nobody may call the tool, as a sentence; empty if its registration is in force.
  std::string flaw = {};
};

/// Why the server of a registration cannot enforce what it requires, as a sentence with the missing
/// key; empty if it can. A registration for a server that is not configured has a sentence too.
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
  /// The registrations of `server/tool`; null for none. Lifetime: that of this object.
  const RegisteredTool* find(std::string_view name) const;

 private:
  std::shared_ptr<const std::vector<ToolRegistration>> registrations_;
  std::map<std::string, RegisteredTool, std::less<>> tools_;
};

}  // namespace bartizan
