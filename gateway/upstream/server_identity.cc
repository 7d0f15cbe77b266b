#include "gateway/upstream/server_identity.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "config/check_name.h"
#include "config/parse_host_port.h"
#include "gateway/http/http_client.h"
#include "gateway/process/executable_check.h"
#include "gateway/process/find_program.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"
#include "schemas/base/sha256.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

/// A lock of packages beside a server; a larger one is not read.
constexpr JsonLimits kPackageLimits{.bytes_max = std::size_t{16} << 20,
                                    .values_max = limits::response_values_max};
/// Folders above a script in which its `package.json` is looked for.
constexpr int kFoldersMax = 16;
/// Folders of the cache that `npx` runs packages from.
constexpr int kCachedMax = 1024;

/// The root of a JSON file; nothing if the file is missing or invalid.
class JsonFile {
 public:
  explicit JsonFile(const fs::path& path) {
    std::error_code ignored;
    const auto size = fs::file_size(path, ignored);
    if (ignored || size > kPackageLimits.bytes_max) return;
    std::ifstream file(path, std::ios::binary);
    text_ = Bytes(std::string(std::istreambuf_iterator<char>(file), {}));
    root_ = document_.read(text_, kPackageLimits).value_or(JsonValue());
  }
  JsonValue root() const { return root_; }

 private:
  Bytes text_{std::string()};
  JsonDocument document_;
  JsonValue root_;
};

/// `python3.11` is `python`.
std::string launcher_name(const std::string& program) {
  std::string name = fs::path(program).filename();
  const std::size_t digits = name.find_first_of("0123456789.");
  return digits == std::string::npos || digits == 0 ? name : name.substr(0, digits);
}

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 9> kInterpreters{"python", "node", "nodejs", "deno", "bun",
                                                        "ruby",   "perl", "bash",   "sh"};
/// Options of interpreters whose value is a file that runs, or decides what runs, before the
/// script.
constexpr auto kPreloads = std::to_array<std::string_view>(
    {"-r", "--require", "--import", "--loader", "--experimental-loader", "--preload",
     "--import-map", "--config", "-c", "--rcfile", "--init-file"});
constexpr std::array<std::string_view, 3> kPackageRunners{"npx", "bunx", "uvx"};
constexpr std::array<std::string_view, 3> kContainers{"docker", "podman", "nerdctl"};

/// `@scope/name@version`
bool is_package_name(std::string_view text) {
  constexpr std::string_view kMarks = "@/._-~+";
  const auto slashes = std::ranges::count(text, '/');
  return !text.empty() && slashes <= (text.starts_with('@') ? 1 : 0) && !text.starts_with('.') &&
         std::ranges::all_of(text, [kMarks](char c) {
           return is_letter(c) || is_digit(c) || kMarks.find(c) != std::string_view::npos;
         });
}

class Identification {
 public:
  explicit Identification(const ServerConfig& server) : server_(server) {}

  Result<IdentifiedServer> run() {
    identify_place();
    for (const auto& [path, approved] : server_.executables) {
      const Result<ReadExecutable> read = read_executable(path);
      if (!read.has_value()) return std::unexpected(read.error());
      found_.executables.emplace(path, read->sha256);
    }
    if (!server_.command.empty()) {
      const Result<void> identified = identify_command();
      if (!identified.has_value()) return std::unexpected(identified.error());
    }
    return std::move(found_);
  }

 private:
  /// Words and paths may hold secrets.
  void identify_place() {
    if (!server_.command.empty()) {
      found_.identity.program = server_.command.front();
      std::string arguments;
      for (std::size_t i = 1; i < server_.command.size(); ++i)
        arguments += server_.command[i] + '\0';
      if (!arguments.empty()) found_.identity.arguments = sha256_hex(arguments);
    }
    if (server_.url.empty()) return;
    if (server_.protocol == ServerConfig::Protocol::unix_socket) {
      found_.identity.origin = server_.url;
      return;
    }
    const std::size_t scheme = server_.url.find("://");
    const std::size_t end = server_.url.find_first_of("/?", scheme + 3);
    found_.identity.origin = server_.url.substr(0, end);
    if (end != std::string::npos) found_.identity.target = sha256_hex(server_.url.substr(end));
  }

  Result<void> identify_command() {
    const std::string launcher = launcher_name(server_.command.front());
    if (is_among(kContainers, launcher)) return identify_image();
    if (is_among(kPackageRunners, launcher)) return identify_package();
    if (is_among(kInterpreters, launcher)) return identify_script();
    const Result<std::string> program =
        find_program(server_.command.front(), {server_.env.begin(), server_.env.end()});
    if (!program.has_value()) return std::unexpected(program.error());
    return add_file(server_.command.front(), *program);
  }

  Result<void> add_file(const std::string& written, const std::string& path) {
    const Result<ReadExecutable> read = read_executable(path);
    if (!read.has_value()) return std::unexpected(read.error());
    found_.identity.files.emplace(written, read->sha256);
    return {};
  }

  fs::path whole(const std::string& path) const {
    std::error_code ignored;
    const fs::path folder = server_.cwd.empty() ? fs::current_path(ignored) : fs::path(server_.cwd);
    return folder / path;
  }

  void note(std::string text) { found_.notes.push_back(std::move(text)); }

  /// The script, which is the first argument that is a file, and the files that options before it
  /// have run first. What stands behind it is the script's own, as files of data that it writes to.
  Result<void> identify_script() {
    for (std::size_t i = 1; i < server_.command.size(); ++i) {
      const std::string& argument = server_.command[i];
      const std::string_view option = server_.command[i - 1];
      const bool is_preload = i > 1 && is_among(kPreloads, option);
      if (argument.starts_with('-')) {
        const Result<void> added = add_joined_preload(argument);
        if (!added.has_value()) return added;
        continue;
      }
      std::error_code ignored;
      if (!fs::is_regular_file(whole(argument), ignored)) continue;
      const Result<void> added = add_file(argument, whole(argument));
      if (!added.has_value()) return added;
      if (is_preload) continue;
      find_package_of(fs::weakly_canonical(whole(argument), ignored));
      return {};
    }
    note("what it runs is not a file that its command names: pinned are its command and its tools");
    return {};
  }

  /// `--import=./hook.mjs`
  Result<void> add_joined_preload(const std::string& argument) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || !is_among(kPreloads, argument.substr(0, equals))) return {};
    const std::string file = argument.substr(equals + 1);
    std::error_code ignored;
    if (!fs::is_regular_file(whole(file), ignored)) return {};
    return add_file(file, whole(file));
  }

  void find_package_of(const fs::path& script) {
    fs::path folder = script.parent_path();
    for (int i = 0; i < kFoldersMax && folder.has_relative_path(); ++i) {
      std::error_code ignored;
      if (fs::exists(folder / "package.json", ignored)) return take_package(folder);
      folder = folder.parent_path();
    }
  }

  /// The package in a folder, and what the lock of the folder that it was installed to says of it.
  void take_package(const fs::path& folder) {
    const JsonFile file(folder / "package.json");
    const std::string name(file.root().find("name").text());
    if (name.empty()) return;
    found_.identity.package = name;
    found_.identity.version = file.root().find("version").text();
    const std::string place = "node_modules/" + name;
    const std::string whole_path = folder.string();
    if (!whole_path.ends_with("/" + place)) return;
    const fs::path modules = whole_path.substr(0, whole_path.size() - name.size() - 1);
    const JsonFile lock(modules / ".package-lock.json");
    const JsonValue entry = lock.root().find("packages").find(place);
    if (entry.find("version").text() != found_.identity.version) return;
    found_.identity.integrity = entry.find("integrity").text();
  }

  /// What `npx NAME@VERSION` runs: a package that was installed beside the server, or one in its
  /// cache.
  Result<void> identify_package() {
    const std::string wanted = wanted_package();
    // A URL or a folder is no name, and may hold a secret.
    if (!is_package_name(wanted)) {
      note("its command names no package of a registry: pinned are its command and its tools");
      return {};
    }
    const std::size_t at = wanted.find('@', 1);
    const std::string name = wanted.substr(0, at);
    const std::string version = at == std::string::npos ? "" : wanted.substr(at + 1);
    const bool is_exact = !version.empty() && is_digit(version.front());
    if (!is_exact) {
      note(fmt::format("its command takes whatever version of {} there is: write {}@VERSION", name,
                       name));
    }
    for (const fs::path& folder : package_folders(name)) {
      if (is_exact && JsonFile(folder / "package.json").root().find("version").text() != version) {
        continue;
      }
      take_package(folder);
      if (!is_exact) found_.identity.version.clear();
      if (!is_exact) found_.identity.integrity.clear();
      return {};
    }
    found_.identity.package = name;
    if (is_exact) found_.identity.version = version;
    note(fmt::format("package {} is not on this machine, so its integrity is not known", name));
    return {};
  }

  std::string wanted_package() const {
    constexpr std::array<std::string_view, 3> kNamed{"-p", "--package", "--from"};
    for (std::size_t i = 1; i < server_.command.size(); ++i) {
      const std::string& argument = server_.command[i];
      if (is_among(kNamed, argument) && i + 1 < server_.command.size()) {
        return server_.command[i + 1];
      }
      if (argument.starts_with("--package=")) return argument.substr(10);
      if (!argument.starts_with('-')) return argument;
    }
    return {};
  }

  std::vector<fs::path> package_folders(const std::string& name) const {
    std::vector<fs::path> folders;
    const auto add = [&](const fs::path& modules) {
      std::error_code ignored;
      if (fs::exists(modules / name / "package.json", ignored)) folders.push_back(modules / name);
    };
    add(whole("node_modules"));
    const auto home = server_.env.find("HOME");
    const char* own = std::getenv("HOME");
    const fs::path base = home != server_.env.end() ? home->second : own == nullptr ? "" : own;
    std::error_code ignored;
    int seen = 0;
    for (fs::directory_iterator cached(base / ".npm" / "_npx", ignored), end;
         cached != end && ++seen <= kCachedMax; cached.increment(ignored)) {
      add(cached->path() / "node_modules");
      if (ignored) break;
    }
    std::ranges::sort(folders);
    return folders;
  }

  Result<void> identify_image() {
    constexpr std::string_view kDigest = "@sha256:";
    for (std::size_t i = 1; i < server_.command.size(); ++i) {
      const std::string& argument = server_.command[i];
      const std::size_t at = argument.find(kDigest);
      // What stands behind an option may be its value; an image behind a flag is told by its name.
      const bool is_option = argument.starts_with('-') || argument.contains('=');
      if (at == std::string::npos || is_option) continue;
      const std::string digest = argument.substr(at + kDigest.size());
      if (!is_sha256(digest)) continue;
      found_.identity.image = "sha256:" + digest;
      return {};
    }
    note(
        "its image is named without its digest, and may be another one tomorrow: write "
        "IMAGE@sha256:…");
    return {};
  }

  const ServerConfig& server_;
  IdentifiedServer found_;
};

}  // namespace

Result<IdentifiedServer> identify_server(const ServerConfig& server) {
  return Identification(server).run();
}

Result<std::string> ask_certificate_key(const ServerConfig& server) {
  if (server.protocol == ServerConfig::Protocol::unix_socket) return std::string();
  Result<ServerUrl> url = parse_server_url(as_http_url(server.url));
  if (!url.has_value()) return std::unexpected(url.error());
  if (!url->tls) return std::string();
  auto tls = make_client_tls(server.ca_file);
  if (!tls.has_value()) return std::unexpected(tls.error());
  Loop loop(0);
  HttpClient client(loop, *std::move(url), *std::move(tls));
  Result<std::string> key = fail(ErrorCode::timed_out, Fault::server, "it was not asked in time");
  const auto ask = [](HttpClient& its_client, Loop& its_loop,
                      Result<std::string>& its_key) -> Task<void> {
    auto connection = co_await its_client.connect(limits::server_start_deadline);
    its_key = connection.has_value() ? Result<std::string>((*connection)->stream().peer_key())
                                     : std::unexpected(connection.error());
    if (connection.has_value()) connection->reset();
    its_loop.stop();
  };
  spawn(loop, ask(client, loop, key));
  loop.run();
  return key;
}

}  // namespace bartizan
