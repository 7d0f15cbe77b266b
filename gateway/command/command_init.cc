#include "gateway/command/command_init.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "config/load/load_config.h"
#include "gateway/command/command_key.h"
#include "gateway/command/command_wrap.h"
#include "gateway/process/package_runner_env.h"
#include "gateway/process/read_file.h"
#include "gateway/process/write_file.h"
#include "gateway/setup/init_plan.h"
#include "gateway/setup/write_plan.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFolderMode = 0700;
/// The default address, because the configuration sets none.
constexpr std::string_view kGatewayUrl = "http://127.0.0.1:8080/mcp";
constexpr std::string_view kKeyName = "desktop";

/// The files of one run, as absolute paths.
struct InitPlaces {
  fs::path config;
  fs::path secrets;  ///< Folder.
  std::string record;
};

int refuse(const CommandOutput& output, std::string_view why) {
  output.problems << "bartizan init: " << why << '\n';
  return kExitFailed;
}

InitPlaces places_of(const std::string& output) {
  std::error_code ignored;
  const fs::path config = fs::absolute(output, ignored).lexically_normal();
  const std::string stem = config.stem().string();
  return {.config = config,
          .secrets = config.parent_path() / (stem + ".secrets"),
          .record = stem + ".audit.jsonl"};
}

/// The output files that already exist.
std::vector<std::string> find_existing(const InitPlaces& places, const InitPlan& plan) {
  std::vector<std::string> existing;
  const auto look = [&existing](const fs::path& path) {
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(path, ignored))) existing.push_back(path.string());
  };
  look(places.config);
  for (const PlannedServer& server : plan.servers) {
    for (const MovedSecret& secret : server.secrets)
      look(secret.file);
  }
  return existing;
}

std::string find_failure(const InitPlaces& places, const InitPlan& plan,
                         const std::string& config) {
  const auto failure = [](const fs::path& path, const std::error_code& error) {
    return "cannot write " + path.string() + ": " + error.message();
  };
  bool has_secrets = false;
  for (const PlannedServer& server : plan.servers)
    has_secrets |= !server.secrets.empty();
  if (has_secrets && ::mkdir(places.secrets.c_str(), kFolderMode) != 0 && errno != EEXIST) {
    return failure(places.secrets, {errno, std::system_category()});
  }
  for (const PlannedServer& server : plan.servers) {
    for (const MovedSecret& secret : server.secrets) {
      if (const auto error = write_file(secret.file, secret.value)) {
        return failure(secret.file, error);
      }
    }
  }
  // Written last, so that the files that it names exist.
  if (const auto error = write_file(places.config, config)) return failure(places.config, error);
  return {};
}

/// Leaves out each server that a configuration cannot have, such as one with another URL scheme,
/// and notes why. The others stay.
void leave_out_unusable(InitPlan& plan, const InitPlaces& places) {
  const auto find_error = [&](const InitPlan& one) -> std::string {
    const LoadedConfig loaded = load_config_text(write_gateway_config(one), places.config.string());
    for (const ConfigProblem& problem : loaded.problems) {
      if (problem.severity == ConfigProblem::Severity::error) return problem.message;
    }
    return {};
  };
  if (find_error(plan).empty()) return;
  std::erase_if(plan.servers, [&](const PlannedServer& server) {
    InitPlan alone = plan;
    alone.servers = {server};
    const std::string error = find_error(alone);
    if (error.empty()) return false;
    plan.notes.push_back({server.entry.pointer, error + ": the server is left out"});
    return true;
  });
}

/// Clients that allow tools by name need the new names.
std::string prefix_line(const InitPlan& plan) {
  if (plan.servers.empty()) return {};
  const std::string& name = plan.servers.front().name;
  return "# Tool names now begin with their server's name: TOOL of " + name + " is " + name +
         "_TOOL.\n";
}

void write_text(const InitPlaces& places, const InitPlan& plan, const std::string& key,
                const CommandOutput& output) {
  output.results
      << "# All servers under the rules of the configuration, started by the client: this\n"
      << "# entry replaces them all. The easiest form.\n"
      << prefix_line(plan) << write_stdio_entry(plan, own_program(), places.config.string());
  if (has_wrap_entries(plan)) {
    output.results
        << "# Or each program by itself: these entries replace its own, and tools keep their\n"
        << "# names.\n"
        << write_wrap_entries(plan, own_program());
  }
  output.results << "# Or all servers behind one gateway, started with: bartizan run "
                 << places.config.string() << "\n# This entry replaces them all. Its key is shown "
                 << "this once.\n"
                 << prefix_line(plan) << write_gateway_entry(plan, std::string(kGatewayUrl), key);
  output.problems << "wrote " << places.config.string() << '\n';
  for (const PlannedServer& server : plan.servers) {
    for (const MovedSecret& secret : server.secrets)
      output.problems << "copied " << secret.pointer << " to " << secret.file << ": remove it from "
                      << plan.client_file << " with the entry that it belongs to\n";
  }
  for (const ClientNote& note : plan.notes)
    output.problems << plan.client_file << ": " << note.pointer << ": " << note.message << '\n';
}

void write_json(const InitPlaces& places, const InitPlan& plan, const std::string& key,
                const CommandOutput& output) {
  std::vector<JsonObject> secrets;
  for (const PlannedServer& server : plan.servers) {
    for (const MovedSecret& secret : server.secrets) {
      JsonObject& object = secrets.emplace_back();
      object.add("server", server.name);
      object.add("pointer", secret.pointer);
      object.add("file", secret.file);
    }
  }
  JsonObject json;
  json.add("config", places.config.string());
  json.add("secrets", std::span<const JsonObject>(secrets));
  json.add("notes", notes_json(plan.notes));
  json.add_json("stdio", write_stdio_entry(plan, own_program(), places.config.string()));
  json.add_json("wrap", write_wrap_entries(plan, own_program()));
  json.add_json("gateway", write_gateway_entry(plan, std::string(kGatewayUrl), key));
  output.results << json.text() << '\n';
}

}  // namespace

int init_configuration(const InitOptions& options, const CommandOutput& output) {
  const std::string client_file = find_client_file(options.client, output);
  if (client_file.empty()) return kExitFailed;
  const Result<std::string> text = read_file(client_file);
  if (!text.has_value()) return refuse(output, text.error().detail);
  Result<ClientFile> file = read_client_file(*text);
  if (!file.has_value()) return refuse(output, client_file + ": " + file.error().detail);

  const InitPlaces places = places_of(options.output);
  const std::optional<NewKey> key = draw_key();
  if (!key) return refuse(output, "the kernel gives no random bytes");
  InitPlan plan = plan_init(std::move(*file), places.secrets.string(), environment_names());
  plan.client_file = client_file;
  plan.principal = reduce_to_principal(login_name());
  plan.key_name = kKeyName;
  plan.key_sha256 = key->sha256;
  plan.record = places.record;
  leave_out_unusable(plan, places);
  std::ranges::move(note_unprinted_entries(plan, own_program()), std::back_inserter(plan.notes));
  if (options.existing == Existing::keep) {
    for (const std::string& existing : find_existing(places, plan))
      return refuse(output, existing + " exists already: --force replaces it");
  }
  const std::string config = write_gateway_config(plan);
  // Names and addresses that a configuration cannot have are reported before anything is written.
  const LoadedConfig loaded = load_config_text(config, places.config.string());
  for (const ConfigProblem& problem : loaded.problems)
    output.problems << bartizan::text(problem) << '\n';
  if (!loaded.usable()) return refuse(output, "nothing was written");
  const std::string failure = find_failure(places, plan, config);
  if (!failure.empty()) return refuse(output, failure);
  const bool is_json = output.format == OutputFormat::json;
  (is_json ? write_json : write_text)(places, plan, key->key, output);
  return finish(output, kExitDone);
}

}  // namespace bartizan
