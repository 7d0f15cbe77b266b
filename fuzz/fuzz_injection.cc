#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "policy/injection/fold_injection.h"
#include "policy/injection/injection_scanner.h"
#include "policy/injection/injection_warning.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

/// What was folded is UTF-8 as the text was; what gives orders stands in strings of the
/// message; a warning is put before texts and changes no other byte; what has it can be read.

namespace {

using namespace bartizan;

void check_folding(std::string_view text) {
  if (!is_valid_utf8(text)) return;
  require(is_valid_utf8(fold_injection(text)));
}

/// The message with every warning taken out again.
std::string without_warnings(std::string left, const Injections& injections) {
  for (const Injections::Place& place : injections.places) {
    std::string warning = json_string(injection_warning(place.family));
    warning = warning.substr(1, warning.size() - 2);
    const std::size_t at = left.find(warning);
    if (at != std::string::npos) left.erase(at, warning.size());
  }
  return left;
}

void check_message(InjectionScanner& scanner, std::string_view text) {
  const Bytes bytes{text};
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  if (!root.has_value()) return;
  const Injections injections = scanner.scan(*root);
  require(injections.places.empty() || !injections.found.empty());
  std::size_t last = 0;
  for (const Injections::Place& place : injections.places) {
    require(place.value.is(JsonType::string) && place.value.range().begin >= last);
    last = place.value.range().end;
  }
  const auto marked = with_warnings(*root, root->find("result"), injections);
  if (!marked.has_value()) return;
  const Bytes again{std::string_view(*marked)};
  JsonDocument other;
  require(other.read(again, kResponseLimits).has_value());
  // A text that has a warning of its own may lose that one.
  if (!text.contains("Gateway warning"))
    require(without_warnings(*marked, injections) == root->raw());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static InjectionScanner scanner;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  scanner.scan(text);
  check_folding(text);
  check_message(scanner, text);
  return 0;
}
