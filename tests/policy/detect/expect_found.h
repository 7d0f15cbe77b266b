#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/detect/detector.h"
#include "policy/detect/scanner.h"

namespace bartizan {

using Found = std::vector<std::string>;

inline std::shared_ptr<const ScanDatabase> secrets_database() {
  static const auto compiled = compile_scan_database().value();
  return compiled;
}

/// What is found, as `detector: text`.
inline Found found_in(std::string_view text) {
  Scanner scanner(secrets_database());
  Found found;
  for (const Sighting& sighting : scanner.scan(text)) {
    found.push_back(std::string(detectors()[sighting.detector].name) + ": " +
                    std::string(text.substr(sighting.begin, sighting.end - sighting.begin)));
  }
  return found;
}

/// A text with a secret in it, and what is found of it.
struct Row {
  std::string_view detector;  ///< Empty: nothing is found.
  std::string before, secret, after;
};

/// What is found, and nothing else. A token that is assigned to a name may be found as that, too.
inline void expect_found(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string text = row.before + row.secret + row.after;
    Found want;
    if (!row.detector.empty()) want = {std::string(row.detector) + ": " + row.secret};
    Found found = found_in(text);
    if (!row.detector.empty() && row.detector != "assignment")
      std::erase_if(found, [](const std::string& one) { return one.starts_with("assignment: "); });
    EXPECT_EQ(found, want) << text;
  }
}

}  // namespace bartizan
