#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/check_name.h"
#include "config/load/load_parts.h"
#include "config/parse_pattern.h"

namespace bartizan {
namespace {

using Kind = PathConfig::Kind;
using Resolve = PathConfig::Resolve;
using Content = PathConfig::Content;
using Paths = std::map<std::string, PathConfig, std::less<>>;
using FindFault = std::optional<PatternFault> (*)(std::string_view pattern);

/// One `[path.NAME]` as written.
struct WrittenPath {
  Text name;
  TableReader table;
  std::optional<Text> like;
};
using WrittenPaths = std::map<std::string, WrittenPath, std::less<>>;

constexpr std::array<std::pair<std::string_view, bool>, 2> kRefused{
    {{"allow", false}, {"refuse", true}}};

/// The patterns, or the inherited ones if the key is absent.
std::vector<std::string> load_patterns(TableReader& table, std::string_view key,
                                       FindFault find_fault,
                                       const std::vector<std::string>& inherited) {
  if (!table.has(key)) return inherited;
  const std::vector<Text> patterns = table.texts(key);
  for (const Text& pattern : patterns) {
    if (const auto fault = find_fault(pattern.value)) {
      table.problems().error(pattern.where, quote(pattern.value) + " " + fault->message,
                             fault->hint);
    }
  }
  return values(patterns);
}

std::vector<std::string> load_extensions(TableReader& table, const PathConfig& inherited) {
  static constexpr std::string_view kKey = "extensions";
  table.refuse_empty(kKey, "leave it out for any");
  if (!table.has(kKey)) return inherited.extensions;
  const std::vector<Text> extensions = table.texts(kKey);
  for (const Text& extension : extensions) {
    const std::string_view value = extension.value;
    const bool is_sound = value.starts_with('.') && value.size() > 1 && !value.ends_with('.') &&
                          value.find_first_of("/*") == std::string_view::npos;
    if (is_sound) continue;
    table.problems().error(extension.where, fmt::format("{} is not an extension", quote(value)),
                           "write it with its dot, such as \".md\"");
  }
  return values(extensions);
}

/// Extensions are of files, so they are not checked for a directory.
void check_extensions(TableReader& table, const PathConfig& path) {
  if (path.kind != Kind::directory || !table.has("extensions")) return;
  table.problems().warning(table.where("extensions"),
                           "\"extensions\" says nothing of a \"directory\"");
}

/// The content of a file is known only with `filesystem`, and a directory has no text.
void check_content(TableReader& table, const PathConfig& path) {
  if (path.content != Content::text) return;
  // An inherited value is written in another table.
  const bool is_own = table.has("content");
  const Position where = is_own ? table.where("content") : path.where;
  if (path.resolve == Resolve::lexical) {
    table.problems().error(where, "\"content\" needs resolve = \"filesystem\"",
                           "write resolve = \"filesystem\" beside it, or content = \"any\"");
  } else if (is_own && path.kind == Kind::directory) {
    table.problems().warning(where, "\"content\" says nothing of a \"directory\"");
  }
}

void load_patterns(TableReader& table, PathConfig& path) {
  table.refuse_empty("allow", "leave it out for everything");
  path.allow = load_patterns(table, "allow", find_path_pattern_fault, path.allow);
  path.deny = load_patterns(table, "deny", find_path_pattern_fault, path.deny);
  path.deny_names = load_patterns(table, "deny_names", find_name_pattern_fault, path.deny_names);
  if (!table.has("writable")) return;
  path.writable = load_patterns(table, "writable", find_writable_pattern_fault, {});
}

/// Applies a table's keys over inherited values.
PathConfig load_path(WrittenPath& written, PathConfig path) {
  static constexpr std::array<std::pair<std::string_view, Kind>, 3> kKinds{
      {{"any", Kind::any}, {"directory", Kind::directory}, {"file", Kind::file}}};
  static constexpr std::array<std::pair<std::string_view, bool>, 2> kCases{
      {{"sensitive", false}, {"fold", true}}};
  static constexpr std::array<std::pair<std::string_view, Resolve>, 2> kResolves{
      {{"filesystem", Resolve::filesystem}, {"lexical", Resolve::lexical}}};
  static constexpr std::array<std::pair<std::string_view, Content>, 2> kContents{
      {{"any", Content::any}, {"text", Content::text}}};
  TableReader& table = written.table;
  path.name = written.name.value;
  path.where = written.name.where;
  path.root = table.path("root").value_or(path.root);
  path.base = table.path("base").value_or(path.base);
  path.kind = table.choice<Kind>("kind", kKinds).value_or(path.kind);
  path.extensions = load_extensions(table, path);
  path.refuse_hidden = table.choice<bool>("hidden", kRefused).value_or(path.refuse_hidden);
  load_patterns(table, path);
  path.folds_case = table.choice<bool>("case", kCases).value_or(path.folds_case);
  if (const auto refused = table.choice<bool>("windows_names", kRefused)) {
    path.refuse_windows_names = refused;
  }
  path.resolve = table.choice<Resolve>("resolve", kResolves).value_or(path.resolve);
  path.content = table.choice<Content>("content", kContents).value_or(path.content);
  check_extensions(table, path);
  check_content(table, path);
  table.finish();
  return path;
}

WrittenPaths read_paths(TableReader& root) {
  WrittenPaths written;
  for (auto& [name, table] : root.named_tables("path")) {
    check_name(name, "path", root.problems());
    std::optional<Text> like;
    if (const auto other = table.text("like")) like = Text{*other, table.where("like")};
    if (table.has("root") == table.has("like")) {
      root.problems().error(name.where, "a path needs exactly one of \"root\" and \"like\"");
    }
    written.emplace(name.value, WrittenPath{name, std::move(table), std::move(like)});
  }
  return written;
}

/// A path and its chain of `like`. The chain ends at a loaded path, at a path without `like`, or at
/// a repetition.
std::vector<std::string> chain_of(const std::string& name, const WrittenPaths& written,
                                  const Paths& loaded) {
  std::vector<std::string> chain;
  std::set<std::string_view> seen;
  auto at = written.find(name);
  while (at != written.end() && !loaded.contains(at->first) && seen.insert(at->first).second) {
    chain.push_back(at->first);
    at = at->second.like ? written.find(at->second.like->value) : written.end();
  }
  return chain;
}

void check_like(const WrittenPath& written, const WrittenPaths& all, const PathConfig& path,
                Problems& problems) {
  if (!written.like) return;
  check_reference(*written.like, "path", all, problems);
  if (!all.contains(written.like->value) || !path.root.empty()) return;
  problems.error(written.like->where,
                 fmt::format("{} leads to no path with a \"root\"", quote("like")));
}

}  // namespace

std::map<std::string, PathConfig, std::less<>> load_paths(TableReader& root) {
  WrittenPaths written = read_paths(root);
  Paths paths;
  for (const auto& [name, table] : written) {
    for (const std::string& one : chain_of(name, written, paths) | std::views::reverse) {
      WrittenPath& of = written.find(one)->second;
      const auto like = of.like ? paths.find(of.like->value) : paths.end();
      PathConfig path = load_path(of, like == paths.end() ? PathConfig() : like->second);
      check_like(of, written, path, root.problems());
      paths.emplace(one, std::move(path));
    }
  }
  return paths;
}

}  // namespace bartizan
