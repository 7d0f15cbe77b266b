#include "config/read_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <system_error>

#include "config/config_file.h"
#include "config/new_permits.h"
#include "config/rule_files.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

constexpr std::size_t kIncludedFilesMax = 256;
constexpr std::size_t kAllBytesMax = std::size_t{16} << 20;

/// Tables with names of the operator; other files may add members to them.
constexpr std::array<std::string_view, 14> kCollections{
    "principal", "role", "endpoint", "server", "path", "url",    "sql",
    "command",   "tool", "rule",     "limit",  "flow", "redact", "sanitise"};

/// The likely mistake in a text that is not TOML.
std::string hint_for(std::string_view bytes, std::string_view message) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && bytes[first] == '{') {
    return "this looks like JSON: bartizan init FILE makes a configuration of a client's settings";
  }
  if (message.contains("redefine")) {
    return "it is written twice, perhaps once with dots: keep it in one place";
  }
  return {};
}

std::optional<TomlValue> parse_file(std::string_view bytes, std::uint32_t file,
                                    Problems& problems) {
  auto parsed = parse_toml(bytes, file);
  if (parsed) return std::move(*parsed);
  std::string hint = hint_for(bytes, parsed.error().message);
  problems.error(parsed.error().where, std::move(parsed.error().message), std::move(hint));
  return std::nullopt;
}

/// Matches any number of `*` in a file's name, by greedy matching with one point of return.
bool matches_name(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

/// The files that one entry of `include` names. They are sorted, so that the digest does not depend
/// on the folder's order.
std::vector<std::filesystem::path> expand(const std::filesystem::path& pattern, Position where,
                                          Problems& problems) {
  const std::string name = pattern.filename().string();
  if (pattern.parent_path().string().contains('*')) {
    problems.error(where, "\"include\" can hold * in the last part of a path only");
    return {};
  }
  if (!name.contains('*')) return {pattern};
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(pattern.parent_path(), error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string found = entry->path().filename().string();
    if (is_included_name(name, found)) files.push_back(entry->path());
  }
  if (files.empty()) {
    problems.warning(where, fmt::format("no file matches {}", quote(pattern.string())));
  }
  std::ranges::sort(files);
  return files;
}

/// Reports a name in two files, because no order could decide between them.
void report_twice(const TomlEntry& first, const TomlEntry& second, Problems& problems) {
  problems.error(second.where,
                 fmt::format("{} is already given at {}", quote(second.key),
                             place(problems.files(), first.where)),
                 "included files add, they never override");
}

TomlEntry* find_own(TomlValue& table, std::string_view key) {
  const auto found = std::ranges::find(table.entries, key, &TomlEntry::key);
  return found == table.entries.end() ? nullptr : &*found;
}

bool is_collection(std::string_view path) {
  return std::ranges::find(kCollections, path) != kCollections.end() || path == "auth" ||
         path == "auth.api_key" || path == "auth.issuer";
}

/// Adds the content of `added`. `path` names the table. Only collections are merged, so the
/// recursion is three levels deep. INVARIANT: entries are ordered by key, without duplicates, so
/// that the cost of all files is linear in their entries.
void merge(TomlValue& into, TomlValue&& added, const std::string& path, Problems& problems) {
  const auto own = static_cast<std::ptrdiff_t>(into.entries.size());
  for (TomlEntry& entry : added.entries) {
    const std::string entry_path = path.empty() ? entry.key : fmt::format("{}.{}", path, entry.key);
    const auto end = into.entries.begin() + own;
    const auto present =
        std::ranges::lower_bound(into.entries.begin(), end, entry.key, {}, &TomlEntry::key);
    if (present == end || present->key != entry.key) {
      into.entries.push_back(std::move(entry));
    } else if (is_collection(entry_path) && present->value.type == Type::table &&
               entry.value.type == Type::table) {
      merge(present->value, std::move(entry.value), entry_path, problems);
    } else {
      report_twice(*present, entry, problems);
    }
  }
  std::ranges::sort(into.entries, {}, &TomlEntry::key);
}

/// Removes `include` and returns its patterns, because it is not part of the merged content.
std::vector<TomlValue> take_includes(TomlValue& root, Problems& problems) {
  TomlEntry* entry = find_own(root, "include");
  if (entry == nullptr) return {};
  TomlEntry taken = std::move(*entry);
  root.entries.erase(root.entries.begin() + (entry - root.entries.data()));
  if (taken.value.type != Type::array) {
    problems.error(taken.value.where, "\"include\" must be an array of paths");
    return {};
  }
  std::vector<TomlValue> patterns;
  for (TomlValue& item : taken.value.items) {
    if (item.type == Type::text && !item.text.empty() && !item.text.contains('\0')) {
      patterns.push_back(std::move(item));
    } else {
      problems.error(item.where, "\"include\" must hold paths");
    }
  }
  return patterns;
}

/// An included file may state the version, for editors. It cannot include files: one level is
/// enough and has no cycles.
void check_included(TomlValue& root, Problems& problems) {
  if (const TomlEntry* include = find_entry(root, "include")) {
    problems.error(include->where, "an included file cannot include others");
  }
  if (const TomlEntry* version = find_entry(root, "version")) {
    if (version->value.type != Type::integer || version->value.integer != 1) {
      problems.error(version->value.where, "\"version\" must be 1");
    }
  }
  std::erase_if(root.entries, [](const TomlEntry& entry) {
    return entry.key == "include" || entry.key == "version";
  });
}

struct Included {
  std::filesystem::path path;
  Position where;
};

std::filesystem::path whole_path(const std::filesystem::path& file, const TomlValue& pattern) {
  return (file.parent_path() / pattern.text).lexically_normal();
}

std::vector<Included> list_included(const std::filesystem::path& file,
                                    const std::vector<TomlValue>& patterns, Problems& problems) {
  std::vector<Included> included;
  for (const TomlValue& pattern : patterns) {
    for (auto& path : expand(whole_path(file, pattern), pattern.where, problems)) {
      if (included.size() == kIncludedFilesMax) {
        problems.error(pattern.where, "more than 256 files are included");
        return included;
      }
      included.push_back({std::move(path), pattern.where});
    }
  }
  return included;
}

/// The lock file of `[pins]`. Adds its name to `problems`, so that it is watched.
std::optional<std::string> read_lock_bytes(const TomlValue& root, Problems& problems,
                                           MissingLock missing) {
  const TomlEntry* pins = find_entry(root, "pins");
  const TomlEntry* file = pins == nullptr ? nullptr : find_entry(pins->value, "file");
  const bool is_named = file != nullptr && file->value.type == Type::text &&
                        !file->value.text.empty() && !file->value.text.contains('\0');
  if (!is_named) return std::nullopt;
  const Position where = file->value.where;
  const std::string path = absolute_path(file->value.text, problems.files().at(where.file));
  problems.add_file(path);
  std::error_code ignored;
  if (missing == MissingLock::accept && !std::filesystem::exists(path, ignored)) {
    return std::nullopt;
  }
  if (!std::filesystem::exists(path, ignored)) {
    problems.error(where, fmt::format("cannot read {}: no such file", quote(path)),
                   "bartizan pin writes it, from what the servers list");
    return std::nullopt;
  }
  auto bytes = read_config_file(path, limits::lock_bytes_max, where, problems);
  if (!bytes.has_value() || bytes->size() <= limits::lock_bytes_max) return bytes;
  problems.error(where, fmt::format("{} is larger than 4 MiB", quote(path)));
  return std::nullopt;
}

/// Adds the content of an included file. False if it is not TOML.
bool include(Document& document, std::string_view text, std::uint32_t index, Problems& problems) {
  auto part = parse_file(text, index, problems);
  if (!part) return false;
  check_included(*part, problems);
  merge(document.root, std::move(*part), "", problems);
  return true;
}

/// The digest of the bytes of all files, in order.
std::string digest_of(const ConfigSources& sources) {
  std::string bytes;
  for (const ConfigSources::File& file : sources.files)
    bytes += file.text;
  for (const auto& [path, schema] : sources.schemas)
    bytes += schema;
  for (const auto& [path, rules] : sources.rules)
    bytes += rules;
  return sha256_hex(bytes + sources.lock.value_or(""));
}

}  // namespace

bool is_included_name(std::string_view pattern, std::string_view name) {
  // Editors keep copies in dot files.
  return pattern == name || (!name.starts_with('.') && matches_name(pattern, name));
}

Document read_document(const std::filesystem::path& file, Problems& problems, MissingLock missing) {
  const std::uint32_t first = problems.add_file(file.string());
  auto bytes = read_config_file(file, kConfigFileBytesMax, {.file = first}, problems);
  if (!bytes) return {};
  auto root = parse_file(*bytes, first, problems);
  if (!root) return {};
  Document document{.root = std::move(*root), .is_complete = true};
  ConfigSources& sources = document.sources;
  std::size_t size = bytes->size();
  sources.files.push_back({std::filesystem::absolute(file).string(), *std::move(bytes)});
  const std::vector<TomlValue> patterns = take_includes(document.root, problems);
  for (const TomlValue& pattern : patterns)
    document.include_patterns.push_back(whole_path(file, pattern));
  for (const Included& included : list_included(file, patterns, problems)) {
    auto more = read_config_file(included.path, kConfigFileBytesMax, included.where, problems);
    const std::uint32_t index = problems.add_file(included.path.string());
    if (more && size + more->size() > kAllBytesMax) {
      problems.error(included.where, "all files together are larger than 16 MiB");
      document.is_complete = false;
      break;
    }
    if (!more || !include(document, *more, index, problems)) {
      document.is_complete = false;
      continue;
    }
    size += more->size();
    sources.files.push_back({std::filesystem::absolute(included.path).string(), *std::move(more)});
  }
  std::size_t bytes_left = kAllBytesMax - size;
  sources.schemas = read_schema_files(document.root, bytes_left, problems);
  sources.rules = read_rule_files(document.root, bytes_left, problems);
  sources.lock = read_lock_bytes(document.root, problems, missing);
  document.digest = digest_of(sources);
  return document;
}

Document read_sources(const ConfigSources& sources, Problems& problems) {
  Document document{.is_complete = true, .sources = sources};
  for (const ConfigSources::File& file : sources.files) {
    const std::uint32_t index = problems.add_file(file.name);
    if (&file != sources.files.data()) {
      if (!include(document, file.text, index, problems)) document.is_complete = false;
      continue;
    }
    auto root = parse_file(file.text, index, problems);
    if (!root) return {};
    document.root = *std::move(root);
    take_includes(document.root, problems);
  }
  for (const auto& [path, schema] : sources.schemas)
    problems.add_file(path);
  for (const auto& [path, rules] : sources.rules)
    problems.add_file(path);
  document.digest = digest_of(sources);
  return document;
}

void replace_permits(Document& document, const NewPermits& permits, Problems& problems) {
  if (TomlEntry* rules = find_own(document.root, "rule")) {
    std::erase_if(rules->value.entries, [](const TomlEntry& rule) {
      const TomlEntry* effect = find_entry(rule.value, "effect");
      return effect != nullptr && effect->value.text == "permit";
    });
  }
  if (TomlEntry* tools = find_own(document.root, "tool")) {
    std::erase_if(tools->value.entries, [&permits](const TomlEntry& profile) {
      return std::ranges::find(permits.tools, profile.key) != permits.tools.end();
    });
  }
  const std::uint32_t index = problems.add_file(permits.name);
  if (permits.text.size() > kConfigFileBytesMax) {
    problems.error({.file = index}, "is larger than 4 MiB");
    document.is_complete = false;
    return;
  }
  document.is_complete = include(document, permits.text, index, problems);
}

Document read_document_text(std::string_view text, const std::string& name, Problems& problems) {
  const std::uint32_t first = problems.add_file(name);
  auto root = parse_file(text, first, problems);
  if (!root) return {};
  if (const TomlEntry* include = find_entry(*root, "include")) {
    problems.error(include->where, "\"include\" needs a file that it stands in");
  }
  Document document{.root = std::move(*root),
                    .digest = sha256_hex(text),
                    .is_complete = true,
                    .sources = {.files = {{name, std::string(text)}}}};
  std::erase_if(document.root.entries,
                [](const TomlEntry& entry) { return entry.key == "include"; });
  refuse_schema_files(document.root, problems);
  refuse_rule_files(document.root, problems);
  return document;
}

}  // namespace bartizan
