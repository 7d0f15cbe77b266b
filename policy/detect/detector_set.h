#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/detect/detector.h"

namespace bartizan {

/// The detectors of one configuration. The built-in ones come first, then its own. These are named
/// `custom.NAME`. Each rule of a gitleaks file is named `custom.NAME.ID`, and `custom.NAME` selects
/// them all. Immutable.
class DetectorSet {
 public:
  static constexpr std::string_view kOwnFamily = "custom";

  /// Only the built-in detectors.
  DetectorSet() = default;
  explicit DetectorSet(const Config& config);

  std::size_t size() const { return detectors().size() + own_.size(); }
  /// The name in configuration, records and metrics. For a number of another configuration, it is
  /// the name of the family.
  std::string_view name(DetectorId detector) const;
  /// Returns the detectors that a name selects: `select_detectors`.
  std::vector<DetectorId> select(std::string_view name) const;
  /// For each `DetectorId`, whether any of the names selects it.
  std::vector<char> select(const std::vector<std::string>& names) const;
  /// All names that select detectors, for suggestions.
  std::vector<std::string_view> names() const;

 private:
  struct Own {
    std::string name;
    std::string file;  ///< The gitleaks file of a rule; empty for other detectors.
  };
  std::vector<Own> own_;  ///< Sorted by name; rules in the order of their file.
};

/// The number of a configuration's own detector. The first has index 0.
DetectorId own_detector_id(std::size_t index);

}  // namespace bartizan
