#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "config/problems.h"
#include "policy/check/compile_policy.h"
#include "policy/path/path_spelling.h"
#include "policy/text/match.h"
#include "policy/text/qualified_name.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

/// An example text that a glob matches.
std::string text_like(std::string_view glob) {
  std::string text(glob);
  std::ranges::replace(text, '*', 'x');
  return text;
}

bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos;
       at = name.find(word, at + 1)) {
    const bool begins = at == 0 || !is_letter(name[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == name.size() || name[end] < 'a' || name[end] > 'z')) return true;
  }
  return false;
}

/// Whether a tool reads files, by its name.
bool reads_files(std::string_view tool) {
  if (has_word(tool, "read") || has_word(tool, "cat")) return true;
  return tool.contains("file") && (has_word(tool, "get") || has_word(tool, "open") ||
                                   has_word(tool, "fetch") || has_word(tool, "download"));
}

class PathReview {
 public:
  PathReview(const Config& config, const KnownNames& names) : config_(config), names_(names) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, path] : config_.paths)
      review(path);
    for (const ToolProfile& profile : config_.tools) {
      review(profile);
      review_place({profile.pattern}, profile.arguments);
    }
    for (const auto& [name, rule] : config_.rules) {
      review_place(rule.patterns, rule.when.arguments);
      review_place(rule.patterns, rule.unless.arguments);
    }
    return std::move(problems_);
  }

 private:
  void report(Severity severity, const Position& where, std::string message,
              std::string hint = {}) {
    problems_.push_back({severity, text(config_, where), std::move(message), std::move(hint)});
  }

  void review(const PathConfig& path) {
    for (const auto* patterns : {&path.extensions, &path.allow, &path.deny, &path.deny_names})
      review_spelling(path, *patterns);
    if (path.writable) review_spelling(path, *path.writable);
    if (!is_ambiguous_path(path.root)) return;
    report(Severity::warning, path.where,
           "the root " + quote(path.root) + " is spelled in a way that no path may be",
           "only relative paths below it pass");
  }

  /// Warns of a pattern that matches no path that passes otherwise. It has no effect, and may be
  /// meant to deny another spelling.
  void review_spelling(const PathConfig& path, const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) {
      // After another name, since the first name has stricter rules.
      if (!is_ambiguous_path("x/" + text_like(pattern))) continue;
      report(
          Severity::error, path.where,
          quote(pattern) + " of [path." + path.name + "] is spelled in a way that no path may be",
          "write it in Unicode's form NFC, without invisible characters or blanks at its end");
    }
  }

  void review(const ToolProfile& profile) {
    for (const ArgumentPredicate& argument : profile.arguments) {
      const PathConfig* path = path_of(argument);
      if (path == nullptr || path->kind != PathConfig::Kind::any || path->extensions.empty()) {
        continue;
      }
      const std::string tool = reader_without_kind(profile, argument.pointer);
      if (tool.empty()) continue;
      report(Severity::warning, argument.where,
             quote(tool) + " reads files, and [path." + path->name +
                 "] lets names without an extension pass",
             "write kind = \"file\" into a path of its own, like = " + quote(path->name));
    }
  }

  /// Files that a server on another machine opens are not on this disk.
  void review_place(const std::vector<std::string>& patterns,
                    const std::vector<ArgumentPredicate>& arguments) {
    for (const ArgumentPredicate& argument : arguments) {
      const PathConfig* path = path_of(argument);
      if (path == nullptr || path->resolve == PathConfig::Resolve::lexical) continue;
      const std::string server = remote_server(patterns);
      if (server.empty()) continue;
      report(Severity::error, argument.where,
             "server " + quote(server) + " runs elsewhere, and [path." + path->name +
                 "] is looked for on the disk of this machine",
             "let the pattern name servers with a command alone, or write a path with "
             "resolve = \"lexical\"");
    }
  }

  std::string remote_server(const std::vector<std::string>& patterns) const {
    for (const std::string& pattern : patterns) {
      const Glob glob(pattern.substr(0, pattern.find('/')));
      for (const auto& [name, server] : config_.servers) {
        if (server.command.empty() && glob.matches(name)) return name;
      }
    }
    return {};
  }

  const PathConfig* path_of(const ArgumentPredicate& argument) const {
    const auto path = config_.paths.find(path_name(argument.predicate));
    return path == config_.paths.end() ? nullptr : &path->second;
  }

  /// A tool of the profile that reads files, if no profile requires the argument to be a file.
  std::string reader_without_kind(const ToolProfile& profile, const std::string& pointer) const {
    const auto is_one = [&](const std::string& name) {
      return reads_files(std::string_view(name).substr(name.find('/') + 1)) &&
             !asks_for_file(name, pointer);
    };
    const Glob glob(profile.pattern);
    for (const auto& [server, tools] : names_.tools) {
      for (const std::string& tool : tools) {
        std::string name = QualifiedName(server, tool).text();
        if (glob.matches(name) && is_one(name)) return name;
      }
    }
    return is_one(text_like(profile.pattern)) ? profile.pattern : std::string();
  }

  bool asks_for_file(const std::string& name, const std::string& pointer) const {
    return std::ranges::any_of(config_.tools, [&](const ToolProfile& profile) {
      return Glob(profile.pattern).matches(name) &&
             std::ranges::any_of(profile.arguments, [&](const ArgumentPredicate& argument) {
               const PathConfig* path = path_of(argument);
               return argument.pointer == pointer && path != nullptr &&
                      path->kind == PathConfig::Kind::file;
             });
    });
  }

  const Config& config_;
  const KnownNames& names_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_path_problems(const Config& config, const KnownNames& names) {
  return PathReview(config, names).run();
}

}  // namespace bartizan
