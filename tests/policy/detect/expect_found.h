#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/detect/detector.h"
#include "policy/detect/scanner.h"
#include "policy/detect/string_scanner.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

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
  for (const DetectorMatch& sighting : scanner.scan(text)) {
    found.push_back(std::string(detectors()[sighting.detector].name) + ": " +
                    std::string(text.substr(sighting.begin, sighting.end - sighting.begin)));
  }
  return found;
}

/// What is found in a text that is a string of a result: quotes stand around it, and a name before.
inline Found found_in_result(std::string_view text) {
  std::string result = R"({"content":[{"type":"text","text":)";
  append_json_string(result, text);
  const Bytes message(result + "}]}");
  JsonDocument document;
  const Result<JsonValue> value = document.read(message, kResponseLimits);
  EXPECT_TRUE(value.has_value()) << text;
  if (!value.has_value()) return {};
  StringScanner scanner(secrets_database());
  Found found;
  for (const FoundPart& one : scanner.scan(*value)) {
    found.push_back(std::string(detectors()[one.detector].name) + ": " +
                    std::string(one.part.of(one.text)));
  }
  return found;
}

/// A text with a secret in it, and what is found of it.
struct Row {
  std::string_view detector;  ///< Empty: nothing is found.
  std::string before, secret, after;
};

/// What is found in a text by itself, and in one that is a string of a result, and nothing else. A
/// token that is assigned to a name may be found as that, too.
inline void expect_found(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string text = row.before + row.secret + row.after;
    Found want;
    if (!row.detector.empty()) want = {std::string(row.detector) + ": " + row.secret};
    const bool is_assignment = row.detector.empty() || row.detector == "assignment";
    const auto expect = [&](Found found, std::string_view where) {
      if (!is_assignment) {
        std::erase_if(found, [](const auto& one) { return one.starts_with("assignment: "); });
      }
      EXPECT_EQ(found, want) << where << ": " << text;
    };
    expect(found_in(text), "a text");
    expect(found_in_result(text), "a string of a result");
  }
}

}  // namespace bartizan
