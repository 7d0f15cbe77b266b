#include "gateway/command/command_client.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/parse_units.h"
#include "gateway/command/wrap_records.h"
#include "gateway/process/package_runner_env.h"
#include "gateway/process/read_file.h"
#include "gateway/process/write_file.h"
#include "gateway/setup/client_places.h"
#include "gateway/setup/edit_client_file.h"
#include "policy/text/printable.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

/// The most backups of one file.
constexpr unsigned kBackupsMax = 9;

int refuse(const CommandOutput& output, std::string_view why) {
  output.problems << "bartizan init: " << printable(why) << '\n';
  return finish(output, kExitFailed);
}

/// `FILE.before-bartizan`, `FILE.before-bartizan-2` …
std::string backup_name(const std::string& file, unsigned number) {
  std::string name = file + ".before-bartizan";
  if (number > 1) name += "-" + std::to_string(number);
  return name;
}

/// Keeps a text beside the file. Returns its name. Reports a failure and returns an empty text.
std::string keep_backup(const std::string& file, const std::string& text,
                        const CommandOutput& output) {
  for (unsigned number = 1; number <= kBackupsMax; ++number) {
    std::string name = backup_name(file, number);
    const std::error_code error = write_new_file(name, text);
    if (!error) return name;
    if (error == std::errc::file_exists) continue;
    refuse(output, fmt::format("cannot write {}: {}; nothing was changed", name, error.message()));
    return {};
  }
  refuse(output, fmt::format("there are {} backups of {} already: remove those that you do not "
                             "need; nothing was changed",
                             kBackupsMax, file));
  return {};
}

/// The newest first.
std::vector<std::string> read_backups(const std::string& file) {
  std::vector<std::string> texts;
  for (unsigned number = kBackupsMax; number >= 1; --number) {
    const auto text = read_file(backup_name(file, number));
    if (text.has_value()) texts.push_back(*text);
  }
  return texts;
}

std::string names_of(const std::vector<std::string>& pointers) {
  std::string names;
  for (const std::string& pointer : pointers)
    names += (names.empty() ? "" : ", ") + pointer.substr(pointer.rfind('/') + 1);
  return names;
}

void write_unchanged(const std::string& file, const ClientEdit& edit, const CommandOutput& output) {
  for (const ClientNote& note : edit.passed_on) {
    output.problems << printable(fmt::format("{}: {} {}", file, note.pointer, note.message))
                    << '\n';
  }
  for (const ClientNote& note : edit.unchanged) {
    output.problems << printable(fmt::format("{}: {} stays as it is: {}", file, note.pointer,
                                             note.message))
                    << '\n';
  }
}

/// Why a file could not be replaced, and a remedy.
std::string replacement_failure(const std::string& file, const std::error_code& error) {
  if (error == std::errc::operation_canceled) {
    return file + " was changed by another program meanwhile: close the client, and try again";
  }
  return fmt::format("cannot write {}: {}", file, error.message());
}

}  // namespace

std::vector<JsonObject> notes_json(const std::vector<ClientNote>& notes) {
  std::vector<JsonObject> objects;
  for (const ClientNote& note : notes) {
    JsonObject& object = objects.emplace_back();
    object.add("pointer", note.pointer);
    object.add("message", note.message);
  }
  return objects;
}

std::string own_program() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "bartizan" : path.string();
}

std::string find_client_file(const ClientSettings& settings, const CommandOutput& output) {
  if (!settings.file.empty()) return settings.file;
  const char* home = std::getenv("HOME");               // NOLINT(concurrency-mt-unsafe)
  const char* config = std::getenv("XDG_CONFIG_HOME");  // NOLINT(concurrency-mt-unsafe)
  if (home == nullptr || home[0] != '/') {
    refuse(output, "there is no HOME to look for the client's settings in: name the file");
    return {};
  }
  const bool has_config = config != nullptr && config[0] == '/';
  const auto places = client_places(home, has_config ? config : "");
  const auto place = std::ranges::find(places, settings.client, &ClientPlace::name);
  if (place == places.end()) {
    refuse(output, fmt::format("no client \"{}\" is known: name the file", settings.client));
    return {};
  }
  for (const std::string& file : place->files) {
    std::error_code ignored;
    if (fs::exists(file, ignored)) return file;
  }
  refuse(output, fmt::format("{} has no settings at {}: name the file", place->title,
                             fmt::join(place->files, " or ")));
  return {};
}

int wrap_client(const ClientSettings& settings, const CommandOutput& output) {
  const std::string file = find_client_file(settings, output);
  if (file.empty()) return kExitFailed;
  const auto text = read_file(file);
  if (!text.has_value()) return refuse(output, text.error().detail);
  const auto edit = wrap_entries(*text, own_program(), environment_names());
  if (!edit.has_value()) return refuse(output, file + ": " + edit.error().detail);
  std::string backup;
  if (!edit->changed.empty()) {
    backup = keep_backup(file, *text, output);
    if (backup.empty()) return kExitFailed;
    if (const auto error = replace_file(file, *text, edit->text, file)) {
      std::error_code ignored;
      fs::remove(backup, ignored);
      return refuse(output, replacement_failure(file, error));
    }
  }
  if (output.format == OutputFormat::json) {
    JsonObject json;
    json.add("file", file);
    json.add("backup", backup);
    json.add("wrapped", edit->changed);
    json.add("unchanged", notes_json(edit->unchanged));
    output.results << json.text() << '\n';
    return finish(output, kExitDone);
  }
  write_unchanged(file, *edit, output);
  if (edit->changed.empty()) {
    output.results << printable("no server of " + file + " was wrapped; the file is unchanged")
                   << '\n';
    return finish(output, kExitDone);
  }
  output.results << printable(fmt::format("wrapped {} in {}: {}",
                                          format_count(edit->changed.size(), "server"), file,
                                          names_of(edit->changed)))
                 << '\n'
                 << printable(fmt::format("the file as it was, with all that it held: {}", backup))
                 << '\n'
                 << printable(fmt::format("to undo: bartizan init --undo {}", file)) << '\n'
                 << printable(fmt::format("Restart the client. Each server then has a record in "
                                          "{}/bartizan, and the last refusal is shown by: bartizan "
                                          "audit show last",
                                          state_folder()))
                 << '\n';
  return finish(output, kExitDone);
}

int unwrap_client(const ClientSettings& settings, const CommandOutput& output) {
  const std::string file = find_client_file(settings, output);
  if (file.empty()) return kExitFailed;
  const auto text = read_file(file);
  if (!text.has_value()) return refuse(output, text.error().detail);
  const auto edit = unwrap_entries(*text, read_backups(file));
  if (!edit.has_value()) return refuse(output, file + ": " + edit.error().detail);
  if (!edit->changed.empty()) {
    if (const auto error = replace_file(file, *text, edit->text, file)) {
      return refuse(output, replacement_failure(file, error));
    }
  }
  if (output.format == OutputFormat::json) {
    JsonObject json;
    json.add("file", file);
    json.add("unwrapped", edit->changed);
    json.add("unchanged", notes_json(edit->unchanged));
    output.results << json.text() << '\n';
  } else {
    write_unchanged(file, *edit, output);
    const std::string names = names_of(edit->changed);
    output.results << printable(names.empty()
                                    ? "no server of " + file +
                                          " was wrapped by init; the file is unchanged"
                                    : fmt::format("unwrapped {} in {}: {}",
                                                  format_count(edit->changed.size(), "server"),
                                                  file, names))
                   << '\n';
  }
  return finish(output, edit->unchanged.empty() ? kExitDone : kExitFailed);
}

}  // namespace bartizan
