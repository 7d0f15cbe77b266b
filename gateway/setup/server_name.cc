#include "gateway/setup/server_name.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 9> kPackageRunners{"npx", "bunx", "uvx", "pnpm", "yarn",
                                                          "npm", "uv",   "bun", "pipx"};
/// Words between a runner and its operand.
constexpr std::array<std::string_view, 7> kRunWords{"dlx",  "exec",      "run", "x",
                                                    "tool", "container", "--"};
constexpr std::array<std::string_view, 2> kContainerRunners{"docker", "podman"};
constexpr std::array<std::string_view, 6> kInterpreters{"node",    "deno", "python",
                                                        "python3", "ruby", "tsx"};
/// Options of these runners with a separate value.
constexpr std::array<std::string_view, 22> kValued{
    "-p",     "--package", "--from",     "--with",  "--python",  "--registry",
    "-e",     "--env",     "--env-file", "-v",      "--volume",  "--mount",
    "--name", "--network", "--publish",  "-w",      "--workdir", "-u",
    "--user", "-r",        "--require",  "--import"};
/// Parts of a script's path that are not names of servers.
constexpr std::array<std::string_view, 10> kPlainParts{"index", "main",  "server", "cli", "app",
                                                       "dist",  "build", "src",    "lib", "bin"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// The first argument that is not an option, an option's value, or a word like `run`.
std::string_view first_operand(std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (is_in(kRunWords, argument)) continue;
    if (!argument.starts_with('-')) return argument;
    if (is_in(kValued, argument)) ++i;
  }
  return {};
}

/// `@scope/name@version` without scope and version.
std::string_view package_name(std::string_view package) {
  const std::string_view name = last_part(package);
  return name.substr(0, name.find('@'));
}

std::string_view image_name(std::string_view image) {
  const std::string_view name = last_part(image.substr(0, image.find('@')));
  return name.substr(0, name.find(':'));
}

/// The last specific part of a script's path.
std::string_view script_name(std::string_view path) {
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view part = last_part(rest);
    const std::string_view stem = part.substr(0, part.find('.', 1));
    if (!stem.empty() && !is_in(kPlainParts, stem)) return stem;
    if (part.size() == rest.size()) break;
    rest.remove_suffix(part.size() + 1);
  }
  return last_part(path);
}

}  // namespace

std::string_view name_in_command(const std::vector<std::string>& command) {
  if (command.empty()) return {};
  const std::string_view program = last_part(command.front());
  const std::span<const std::string> arguments = std::span(command).subspan(1);
  std::string_view name;
  if (is_in(kPackageRunners, program)) {
    name = package_name(first_operand(arguments));
  } else if (is_in(kContainerRunners, program)) {
    name = image_name(first_operand(arguments));
  } else if (is_in(kInterpreters, program)) {
    const auto module = std::ranges::find(arguments, "-m");
    name = module != arguments.end() && module + 1 != arguments.end()
               ? std::string_view(*(module + 1))
               : script_name(first_operand(arguments));
  }
  return name.empty() ? program : name;
}

}  // namespace bartizan
