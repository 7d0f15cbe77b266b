#include "policy/detect/detector_set.h"

#include <algorithm>

namespace bartizan {

DetectorSet::DetectorSet(const Config& config) {
  for (const auto& [name, detector] : config.detectors) {
    const std::string whole = std::string(kOwnFamily) + "." + name;
    if (detector.rules.empty()) own_.push_back({.name = whole, .file = {}});
    for (const GitleaksRule& rule : detector.rules)
      own_.push_back({.name = whole + "." + rule.id, .file = whole});
  }
}

std::string_view DetectorSet::name(DetectorId detector) const {
  if (detector < detectors().size()) return detectors()[detector].name;
  const std::size_t own = detector - detectors().size();
  return own < own_.size() ? std::string_view(own_[own].name) : kOwnFamily;
}

std::vector<DetectorId> DetectorSet::select(std::string_view name) const {
  std::vector<DetectorId> selected = select_detectors(name);
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const bool is_group = name.ends_with(".*");
    const auto& [own, file] = own_[i];
    const bool is_meant = is_group ? own.starts_with(name.substr(0, name.size() - 1))
                                   : own == name || file == name || name == kOwnFamily;
    if (is_meant) selected.push_back(own_detector_id(i));
  }
  return selected;
}

std::vector<char> DetectorSet::select(const std::vector<std::string>& names) const {
  std::vector<char> selected(size(), 0);
  for (const std::string& name : names) {
    for (const DetectorId id : select(name))
      selected[id] = 1;
  }
  return selected;
}

std::vector<std::string_view> DetectorSet::names() const {
  std::vector<std::string_view> names;
  for (const Detector& detector : detectors()) {
    if (std::ranges::find(names, detector.family) == names.end()) names.push_back(detector.family);
    names.push_back(detector.name);
  }
  if (!own_.empty()) names.push_back(kOwnFamily);
  for (const Own& own : own_) {
    if (!own.file.empty() && names.back() != own.file && !names.back().starts_with(own.file + "."))
      names.push_back(own.file);
    names.push_back(own.name);
  }
  return names;
}

DetectorId own_detector_id(std::size_t index) {
  return static_cast<DetectorId>(detectors().size() + index);
}

}  // namespace bartizan
