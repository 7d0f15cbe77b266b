#pragma once

#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Whether the start of a path is unknown: the path is relative, and so is `base`.
bool starts_nowhere(std::string_view path, std::string_view base);

/// The place to which a path leads by its text, absolute and without dots; empty for the top. A
/// step back from the top stays there. Cost: linear; memory for the place.
std::pmr::string place_of(std::string_view path, std::string_view base,
                          std::pmr::memory_resource* memory);

/// The part after the root, without a leading slash; nothing for a place outside.
/// Input: a place, and a root without a trailing slash. Lifetime: views the place.
std::optional<std::string_view> below(std::string_view place, std::string_view root);

/// Whether a path has a step back.
bool climbs(std::string_view path);

/// The part of an absolute path after the root. It keeps each step, `..` included, as the kernel
/// takes them. Nothing if the path does not begin with the root's own names.
std::optional<std::pmr::string> walk_below(std::string_view path, std::string_view root,
                                           std::pmr::memory_resource* memory);

}  // namespace bartizan
