#include "policy/path/path_walk.h"

#include <algorithm>
#include <utility>

#include "policy/path/path_components.h"

namespace bartizan {
namespace {

/// Walks through the tree from `place`. A step back from the top stays there.
void go(std::pmr::string& place, std::string_view path) {
  Components components(path);
  while (const auto component = components.next()) {
    if (*component == ".") continue;
    if (*component == "..") {
      place.resize(std::min(place.rfind('/'), place.size()));
    } else {
      place += '/';
      place += *component;
    }
  }
}

/// Whether an absolute path is spelled like its place: each slash has a name after it, and no name
/// begins with a dot.
bool is_its_own_place(std::string_view path) {
  return path.starts_with('/') && !path.ends_with('/') && !has_behind_slash(path, '/') &&
         !has_leading_dot(path);
}

}  // namespace

bool starts_nowhere(std::string_view path, std::string_view base) {
  return !path.starts_with('/') && !base.starts_with('/');
}

std::pmr::string place_of(std::string_view path, std::string_view base,
                          std::pmr::memory_resource* memory) {
  if (is_its_own_place(path)) return std::pmr::string(path, memory);
  const bool is_relative = !path.starts_with('/');
  std::pmr::string place(memory);
  place.reserve(path.size() + (is_relative ? base.size() : 0) + 2);
  if (is_relative) go(place, base);
  go(place, path);
  return place;
}

std::optional<std::string_view> below(std::string_view place, std::string_view root) {
  if (!place.starts_with(root)) return std::nullopt;
  place.remove_prefix(root.size());
  if (place.empty()) return place;
  if (place.front() != '/') return std::nullopt;
  return place.substr(1);
}

bool climbs(std::string_view path) {
  if (!has_leading_dot(path)) return false;
  Components components(path);
  while (const auto component = components.next()) {
    if (*component == "..") return true;
  }
  return false;
}

std::optional<std::pmr::string> walk_below(std::string_view path, std::string_view root,
                                           std::pmr::memory_resource* memory) {
  Components wanted(root);
  auto want = wanted.next();
  std::pmr::string walk(memory);
  Components components(path);
  while (const auto component = components.next()) {
    if (*component == ".") continue;
    if (!want) {
      if (!walk.empty()) walk += '/';
      walk += *component;
    } else if (*component != *want) {
      return std::nullopt;
    } else {
      want = wanted.next();
    }
  }
  return want ? std::nullopt : std::optional(std::move(walk));
}

}  // namespace bartizan
