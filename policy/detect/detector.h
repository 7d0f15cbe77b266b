#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bartizan {

/// A detector, by its name in configuration.
struct Detector {
  std::string_view name;    ///< `github.token`, `aws.access_key`, `url.presigned`, `pii.card`, …
  std::string_view family;  ///< `secrets`, `pii`.
};

/// Index into `detectors()`. The detectors of a configuration follow them: `DetectorSet`.
using DetectorId = std::uint16_t;

/// Every built-in detector, sorted by name.
std::span<const Detector> detectors();

/// Whether the detector recognises a secret by its assigned name, and not by its value.
bool is_known_by_name(DetectorId id);

/// Whether a match may continue after the end of a text. A PEM block has its own end, which may be
/// missing.
bool is_open_ended(DetectorId id);

/// Returns the built-in detectors that a name in a configuration selects. The name is a family
/// (`secrets`), a detector (`github.token`), or a kind (`github.*`). Empty if there is no such
/// name.
std::vector<DetectorId> select_detectors(std::string_view name);

}  // namespace bartizan
