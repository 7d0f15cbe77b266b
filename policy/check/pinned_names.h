#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// The names of tools that a person approved, as far as tools of other servers may be taken for
/// them or speak of them. What servers merely list is not among these: none can have another's
/// tool held for an impostor by listing a name.
///
/// Threads: immutable once built.
class PinnedNames {
 public:
  PinnedNames() = default;
  explicit PinnedNames(const Config& config);

  /// Whether a tool looks like one that a person approved of another server, or its text says what
  /// to do with one: which, as a sentence. Empty of most. Servers that run the same program, and
  /// such as have a tool of that very name, are no strangers to each other.
  ///
  /// Cost: a look-up for its name, and for each name that its text directs.
  std::string find_shadowed(std::string_view server, const ToolDefinition& tool) const;

 private:
  struct Owner {
    std::string server;
    std::string tool;
    std::string spoken;
  };
  using Owners = std::map<std::string, std::vector<Owner>, std::less<>>;

  bool is_same_program(std::string_view one, std::string_view other) const;
  bool has_tool(std::string_view server, std::string_view spoken) const;

  Owners by_look_;
  Owners by_name_;  ///< As it is spoken.
  /// By server, what it runs or where it is.
  std::map<std::string, std::vector<std::string>, std::less<>> programs_;
};

}  // namespace bartizan
