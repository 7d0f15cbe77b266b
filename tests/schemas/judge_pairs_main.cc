// Judges pairs that somebody else has judged, and ends with 1 where it disagrees. Reads what
// schema_pairs.mjs writes:
//
//   {"schema":…,"values":[{"value":…,"valid":true},…]}
//   {"refused":"…","schema":…}
#include <iostream>
#include <string>
#include <string_view>

#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"

namespace {

using namespace bartizan;

struct Tally {
  std::size_t valid = 0, invalid = 0, refused = 0, different = 0;
};

void tell_difference(JsonValue schema, JsonValue value, std::string_view verdict) {
  std::cout << "schema: " << schema.raw() << "\nvalue:  " << value.raw() << "\nours:   " << verdict
            << "\n\n";
}

void judge_value(const JsonSchema& compiled, JsonValue schema, JsonValue pair, Tally& tally) {
  if (pair.find("refused")) {
    ++tally.refused;
    return;
  }
  const JsonValue value = pair.find("value");
  const bool is_valid = pair.find("valid").boolean().value_or(false);
  const SchemaVerdict verdict = compiled.judge(value);
  ++(is_valid ? tally.valid : tally.invalid);
  const bool is_consistent = compiled.accepts(value) == verdict.is_valid &&
                             verdict.violations.empty() == verdict.is_valid &&
                             !verdict.is_exhausted;
  if (verdict.is_valid == is_valid && is_consistent) return;
  ++tally.different;
  tell_difference(schema, value, verdict.is_valid ? "valid" : "invalid");
}

void judge_line(JsonValue line, Tally& tally) {
  if (line.find("refused")) {
    ++tally.refused;
    return;
  }
  const JsonValue schema = line.find("schema");
  const auto compiled = JsonSchema::compile(schema.raw(), metaschemas());
  if (!compiled.has_value()) {
    ++tally.different;
    tell_difference(schema, {}, compiled.error().detail);
    return;
  }
  for (const JsonValue pair : line.find("values"))
    judge_value(*compiled, schema, pair, tally);
}

}  // namespace

int main() {
  Tally tally;
  JsonDocument document;
  for (std::string text; std::getline(std::cin, text);) {
    const Bytes bytes(text);
    const Result<JsonValue> line = document.read(bytes, kResponseLimits);
    if (line.has_value()) {
      judge_line(*line, tally);
    } else {
      ++tally.different;
      std::cout << "not JSON: " << text << "\n";
    }
  }
  std::cout << R"({"valid":)" << tally.valid << R"(,"invalid":)" << tally.invalid
            << R"(,"refused":)" << tally.refused << R"(,"different":)" << tally.different << "}\n";
  return tally.different == 0 && tally.valid > 0 ? 0 : 1;
}
