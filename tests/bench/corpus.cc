// What detectors mask in files: reads names of files, one a line, takes each file as the text of a
// result, and writes a line a span: `DIGEST DETECTOR LINE:COLUMN FILE`. The digest is of the span,
// which stays where it is.
//
//   bench_corpus [FAMILY] < NAMES      FAMILY: secrets (default), pii
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "config/config.h"
#include "policy/detect/string_scanner.h"
#include "schemas/base/sha256.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

std::string contents_of(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The result of a tool that reads a file.
std::string result_with(std::string_view text) {
  std::string result = R"({"content":[{"type":"text","text":)";
  append_json_string(result, text);
  return result + "}]}";
}

/// Where a byte stands in its file, counted from 1.
std::string place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0.
  return fmt::format("{}:{}", 1 + std::ranges::count(before, '\n'), 1 + byte - line_begin);
}

/// Errors: 2 where a file is no message's text, so that nobody counts it as a clean one.
int list_masked(const std::string& family) {
  Config config;
  config.redactions["corpus"] = {.name = "corpus", .detectors = {family}};
  const auto database = compile_scan_database(config);
  if (!database.has_value()) return 2;
  StringScanner scanner(*database);
  JsonDocument document;
  for (std::string name; std::getline(std::cin, name);) {
    const Bytes message(result_with(contents_of(name)));
    const Result<JsonValue> result = document.read(message, kResponseLimits);
    if (!result.has_value()) {
      fmt::print(stderr, "{}: {}\n", name, result.error().detail);
      return 2;
    }
    for (const FoundPart& found : scanner.scan(*result)) {
      if (!(*database)->wanted()[found.detector]) continue;
      fmt::print("{} {} {} {}\n", sha256_hex(found.part.of(found.text)),
                 detectors()[found.detector].name, place_of(found.text, found.part.begin), name);
    }
  }
  return 0;
}

}  // namespace
}  // namespace bartizan

int main(int count, char** words) {
  return bartizan::list_masked(count > 1 ? words[1] : "secrets");
}
