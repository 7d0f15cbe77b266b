#include "config/rule_files.h"

#include <utility>

namespace bartizan {
namespace {

NamedFiles find_rule_files(const TomlValue& root, const Problems& problems) {
  NamedFiles files;
  const TomlEntry* detectors = find_entry(root, "detector");
  if (detectors == nullptr) return files;
  for (const TomlEntry& detector : detectors->value.entries) {
    const TomlEntry* gitleaks = find_entry(detector.value, "gitleaks");
    if (gitleaks == nullptr) continue;
    if (auto path = named_rule_file(gitleaks->value, problems)) {
      files.try_emplace(std::move(*path), gitleaks->value.where);
    }
  }
  return files;
}

}  // namespace

std::optional<std::string> named_rule_file(const TomlValue& gitleaks, const Problems& problems) {
  // A NUL would truncate the path in the kernel.
  const bool is_path = gitleaks.type == TomlValue::Type::text && !gitleaks.text.empty() &&
                       !gitleaks.text.contains('\0');
  if (!is_path) return std::nullopt;
  return absolute_path(gitleaks.text, problems.files().at(gitleaks.where.file));
}

RuleFiles read_rule_files(const TomlValue& root, std::size_t& bytes_left, Problems& problems) {
  constexpr FileBounds kBounds{.holding = "rules of gitleaks",
                               .bytes_max = "1 MiB",
                               .size = std::size_t{1} << 20,
                               .count = 16};
  return read_named_files(find_rule_files(root, problems), kBounds, bytes_left, problems);
}

void refuse_rule_files(const TomlValue& root, Problems& problems) {
  for (const auto& [path, where] : find_rule_files(root, problems)) {
    problems.error(where, "\"gitleaks\" needs a file that it stands in");
  }
}

}  // namespace bartizan
