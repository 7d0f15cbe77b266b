#include "gateway/setup/client_places.h"

namespace bartizan {

std::vector<ClientPlace> client_places(std::string_view home, std::string_view config_home) {
  const std::string own(home);
  const std::string config = config_home.empty() ? own + "/.config" : std::string(config_home);
  return {
      {"claude-desktop", "Claude Desktop", {config + "/Claude/claude_desktop_config.json"}},
      {"claude-code", "Claude Code", {own + "/.claude.json"}},
      {"cursor", "Cursor", {own + "/.cursor/mcp.json"}},
      {"vscode", "VS Code", {config + "/Code/User/mcp.json", config + "/Code/User/settings.json"}},
      {"windsurf",
       "Windsurf",
       {own + "/.codeium/windsurf/mcp_config.json", own + "/.codeium/mcp_config.json"}},
  };
}

}  // namespace bartizan
