#include "policy/diff/edge_paths.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "policy/diff/edge_values.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// A policy may name hundreds of globs. Each makes a name of each kind and extension.
constexpr std::size_t kPathsMax = 1000;
/// A plain name, a hidden one, and one of a device on Windows.
constexpr std::string_view kPlain = "x", kHidden = ".x", kDevice = "CON";

std::string in_upper_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

/// A pattern of `writable` with its words replaced by a date and a number.
std::string with_words(std::string pattern) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords{
      {{"{date}", "2026-01-31"},
       {"{YYYY-MM-DD}", "2026-01-31"},
       {"{YYYYMMDD}", "20260131"},
       {"{nn}", "01"}}};
  for (const auto& [word, text] : kWords) {
    for (std::size_t at = pattern.find(word); at != std::string::npos; at = pattern.find(word))
      pattern.replace(at, word.size(), text);
  }
  return pattern;
}

/// Gathers paths, each once, until there are enough.
class PathEdges {
 public:
  explicit PathEdges(const PathConfig& path) : path_(path), below_(path.root) {
    if (!below_.ends_with('/')) below_ += '/';
    for (const std::string& glob : path.allow)
      globs_.push_back(glob);
    for (const std::string& glob : path.deny) {
      globs_.push_back(glob);
      globs_.push_back(in_upper_case(glob));  // The same if case folds.
    }
    for (const std::string& pattern : path.writable.value_or(std::vector<std::string>()))
      globs_.push_back(with_words(pattern));
    for (const std::string& glob : path.deny_names) {
      denied_.push_back(filled_pattern(glob, kPlain));
      denied_.push_back(in_upper_case(denied_.back()));
    }
    // An allowed extension comes first. If none is listed, all are allowed.
    extensions_ = path.extensions;
    for (const std::string_view other : {"", ".md", ".other"}) {
      if (std::ranges::find(extensions_, other) == extensions_.end())
        extensions_.emplace_back(other);
    }
  }

  std::vector<std::string> run() && {
    add_outside();
    const std::array<std::string_view, 2> uncommon{kHidden, kDevice};
    add_names(kPlain);
    for (const std::string_view name : uncommon)
      add_in(below_, name);
    for (const std::string& name : denied_)
      add_in(below_, name);
    for (const std::string_view name : uncommon)
      add_names(name);
    for (const std::string& name : denied_)
      add_names(name);
    return std::move(paths_);
  }

 private:
  void add(std::string path) {
    if (paths_.size() < kPathsMax && seen_.insert(path).second) paths_.push_back(std::move(path));
  }

  /// Adds the name in that folder, with each extension.
  void add_in(const std::string& folder, std::string_view name) {
    for (const std::string& extension : extensions_)
      add(std::string(folder).append(name).append(extension));
  }

  /// Adds the name at all its places: in the root, in a folder, for the stars of each glob, and
  /// below each glob.
  void add_names(std::string_view name) {
    add_in(below_, name);
    for (const std::string& glob : globs_) {
      const std::string filled = below_ + filled_pattern(glob, name);
      const std::string folder = below_ + filled_pattern(glob, kPlain) + "/";
      add(filled);
      add(filled + "/");
      add_in("", filled);
      add_in(folder, name);
      add_in(folder + std::string(name) + "/", kPlain);
    }
    add_in(below_ + std::string(name) + "/", kPlain);
  }

  void add_outside() {
    add_in(below_, kPlain);
    add(path_.root);
    for (const std::string_view folder : {"/elsewhere/", "../", ""})
      add_in(std::string(folder), kPlain);
    if (!path_.base.empty()) add_in(path_.base + "/", kPlain);
    add(in_upper_case(below_ + std::string(kPlain) + extensions_.front()));
  }

  const PathConfig& path_;
  std::string below_;  ///< The root with a trailing slash.
  std::vector<std::string> globs_, denied_, extensions_;
  std::vector<std::string> paths_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> edge_paths(const PathConfig& path) {
  return PathEdges(path).run();
}

}  // namespace bartizan
