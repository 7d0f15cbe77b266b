#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bartizan {

/// What one detector looks for, as configuration names it.
struct Detector {
  std::string_view name;    ///< `github.token`, `aws.access_key`, `url.presigned`, `pii.card`, …
  std::string_view family;  ///< `secrets`, `pii`.
};

/// Index into `detectors()`; behind these come those of a configuration, see `DetectorSet`.
using DetectorId = std::uint16_t;

/// Every detector that is built in, in the order of their names.
std::span<const Detector> detectors();

/// Whether it knows a secret by the name that it is given to, and not by what it is.
bool is_known_by_name(DetectorId id);

/// Whether what it finds may go on behind any end of a text: a block of lines has an end of its
/// own, which may be missing.
bool is_open_ended(DetectorId id);

/// Those of them that a name in a configuration selects: a family (`secrets`), one detector
/// (`github.token`), or all of one kind (`github.*`). Empty: there is no such name.
std::vector<DetectorId> select_detectors(std::string_view name);

}  // namespace bartizan
