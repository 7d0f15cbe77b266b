#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// The names of approved tools, to find tools of other servers that imitate them or mention them.
/// Names that are only listed are not included. So no server can make another's tool look like an
/// imitation by listing its name.
///
/// Threads: immutable once built.
class PinnedNames {
 public:
  PinnedNames() = default;
  explicit PinnedNames(const Config& config);

  /// A sentence if a tool looks like an approved tool of another server, or if its text gives
  /// instructions about one. Empty for most tools. Servers that run the same program, or have a
  /// tool of exactly that name, are not compared.
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
