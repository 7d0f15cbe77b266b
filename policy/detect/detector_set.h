#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/detect/detector.h"

namespace bartizan {

/// The detectors of one configuration: those that are built in, and behind them its own, as
/// `custom.NAME`, or as `custom.NAME.ID` for each rule of a file of gitleaks', all of which
/// `custom.NAME` selects. Immutable once made.
class DetectorSet {
 public:
  static constexpr std::string_view kOwnFamily = "custom";

  /// Those that are built in.
  DetectorSet() = default;
  explicit DetectorSet(const Config& config);

  std::size_t size() const { return detectors().size() + own_.size(); }
  /// As configuration, records and metrics have it. A number of another configuration has the name
  /// of the family.
  std::string_view name(DetectorId detector) const;
  /// Those that a name selects; see `select_detectors`.
  std::vector<DetectorId> select(std::string_view name) const;
  /// Of each detector, by `DetectorId`, whether one of several names selects it.
  std::vector<char> select(const std::vector<std::string>& names) const;
  /// What a name could have meant.
  std::vector<std::string_view> names() const;

 private:
  struct Own {
    std::string name;
    std::string file;  ///< The name of the file that it is a rule of; empty for others.
  };
  std::vector<Own> own_;  ///< In the order of the configuration's map, rules in that of their file.
};

/// The number of a configuration's own detector, the first of which is 0.
DetectorId own_detector_id(std::size_t index);

}  // namespace bartizan
