#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace bartizan {

/// Whether `wanted` follows a slash anywhere. Cost: one pass without branches.
constexpr bool has_behind_slash(std::string_view path, char wanted) {
  bool found = false;
  for (std::size_t i = 1; i < path.size(); ++i)
    found |= path[i - 1] == '/' && path[i] == wanted;
  return found;
}

/// Whether a component begins with a dot. Only such a component can be a step back or a step that
/// stays.
constexpr bool has_leading_dot(std::string_view path) {
  return path.starts_with('.') || has_behind_slash(path, '.');
}

/// The components of a path in order, without empty ones.
/// Lifetime: views the path.
class Components {
 public:
  explicit Components(std::string_view path) : rest_(path) {}
  std::optional<std::string_view> next() {
    const std::size_t begin = rest_.find_first_not_of('/');
    if (begin == std::string_view::npos) return std::nullopt;
    rest_.remove_prefix(begin);
    const std::string_view component = rest_.substr(0, rest_.find('/'));
    rest_.remove_prefix(component.size());
    return component;
  }
  /// The text after the last component, with its slash.
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace bartizan
