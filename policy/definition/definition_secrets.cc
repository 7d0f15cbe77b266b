#include "policy/definition/definition_secrets.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "policy/detect/detector.h"
#include "policy/detect/string_scanner.h"
#include "policy/redact/redaction_mark.h"
#include "policy/redact/redactor.h"
#include "policy/text/argument_pointer.h"

namespace bartizan {
namespace {

const std::shared_ptr<const ScanDatabase>& database() {
  static const std::shared_ptr<const ScanDatabase> compiled = [] {
    auto made = compile_scan_database();
    // The start of a gateway on such a processor reports it.
    return made.has_value() ? *std::move(made) : nullptr;
  }();
  return compiled;
}

/// The pointer to a value in an entry.
std::string pointer_to(JsonValue wanted, JsonValue value, const Place* at) {
  if (value.range().begin == wanted.range().begin) return pointer_text(at);
  Place step{.above = at, .is_element = value.is(JsonType::array)};
  for (const JsonValue member : value) {
    step.name = member.key();
    const ByteRange range = member.range();
    const bool is_within = wanted.range().begin >= range.begin && wanted.range().begin < range.end;
    if (is_within) return pointer_to(wanted, member, &step);
    ++step.index;
  }
  return pointer_text(at);
}

}  // namespace

std::vector<ScanFinding> find_held_secrets(JsonValue entry) {
  std::vector<ScanFinding> findings;
  if (database() == nullptr) return findings;
  StringScanner scanner(database());
  for (const FoundPart& found : scanner.scan(entry)) {
    if (findings.size() == scan_findings_max) break;
    ScanFinding finding{ScanRule::secret_held, FindingSeverity::high,
                        pointer_to(found.value, entry, nullptr),
                        "holds a secret: " + std::string(detectors()[found.detector].name)};
    const bool is_known = std::ranges::find(findings, finding) != findings.end();
    if (!is_known) findings.push_back(std::move(finding));
  }
  return findings;
}

std::string without_secrets(std::string_view text) {
  if (database() == nullptr) return std::string(text);
  static const RedactionRules rules{Config{}};
  Redactor redactor(database(), HashSeed{});
  const Redaction redaction = redactor.redact(rules, {.carrier = Carrier::records}, text);
  if (redaction.is_withheld) return redaction_mark("secrets");
  std::string left;
  append_redacted(left, text, redaction.edits);
  return left;
}

}  // namespace bartizan
