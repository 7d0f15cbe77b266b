#include "gateway/setup/example_config.h"

#include <fmt/format.h>

#include "schemas/json/json_text.h"

namespace bartizan {

std::string example_config(std::string_view folder, std::string_view sha256) {
  const std::string data = json_string(std::string(folder) + "/data");
  // JSON and TOML strings have the same escapes for the characters of a path.
  return fmt::format(R"(version = 1

# Who calls: a key proves a principal, and a principal has roles.
[auth.api_key.laptop]
principal = "ann"
sha256 = "{sha256}"
[principal.ann]
roles = ["analyst"]
[role.analyst]
trust = "verified"                  # refusals name the rule and the argument

# What is protected: programs that the gateway starts, or URLs.
[server.files]
command = ["npx", "-y", "@modelcontextprotocol/server-filesystem", {data}]
cwd = {data}

# What is permitted. Everything else is refused.
[rule.analysts-read-files]
effect = "permit"
roles = ["analyst"]
tools = ["files/read_*", "files/list_*"]

# What arguments may say. An argument that is not named here is refused.
[path.data]
root = {data}
[tool."files/*".arguments]
"/path" = {{ path = "data", optional = true }}
"/paths/*" = {{ path = "data", optional = true }}
"/head" = {{ number = {{ min = 1, max = 10000 }}, optional = true }}
"/tail" = {{ number = {{ min = 1, max = 10000 }}, optional = true }}
"/sortBy" = {{ one_of = ["name", "size"], optional = true }}

[audit]
file = "audit.jsonl"
)",
                     fmt::arg("sha256", sha256), fmt::arg("data", data));
}

}  // namespace bartizan
