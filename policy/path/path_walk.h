#pragma once

#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Whether nobody here knows where a path starts: it is relative, and so is `base`.
bool starts_nowhere(std::string_view path, std::string_view base);

/// Where a path leads by its text, absolute and without dots; empty for the top. Above the top
/// there is the top again. Cost: linear; memory for the place.
std::pmr::string place_of(std::string_view path, std::string_view base,
                          std::pmr::memory_resource* memory);

/// What follows the root, without a slash in front; nothing for what is not within.
/// Input: a place, and a root without a slash at its end. Lifetime: views the place.
std::optional<std::string_view> below(std::string_view place, std::string_view root);

/// Whether a step of a path goes back.
bool climbs(std::string_view path);

/// What follows the root in an absolute path, each step of it, `..` included, as the kernel takes
/// them; nothing where the path does not begin with the root's own names.
std::optional<std::pmr::string> walk_below(std::string_view path, std::string_view root,
                                           std::pmr::memory_resource* memory);

}  // namespace bartizan
