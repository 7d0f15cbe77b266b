#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/ui_origin.h"
#include "fuzz/require.h"
#include "policy/sanitise/ui_resource.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

/// A message is read again without what its apps may not reach, and then none of them names
/// anything else.

namespace {

using namespace bartizan;

Sanitising wanted() {
  static const SanitisingRule ours{
      .markup = ActiveMarkup::defuse,
      .injection = InjectionScreen::observe,
      .hosts = {},
      .ui_origins = {parse_ui_origin("https://a.b").value(), parse_ui_origin("wss://*.c").value()},
      .carriers = {},
      .roles = {},
      .tools = {}};
  return {.hidden = HiddenText::keep,
          .markup = ActiveMarkup::defuse,
          .injection = InjectionScreen::observe,
          .of_markup = {&ours}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes{std::string_view(reinterpret_cast<const char*>(data), size)};
  JsonDocument document;
  const Result<JsonValue> message = document.read(bytes, kResponseLimits);
  if (!message.has_value()) return 0;
  const UiResources apps = find_ui_resources(wanted(), *message, message->find("result"));
  if (apps.has_too_many) return 0;
  const std::string cut = without_elements(*message, apps.origins);
  if (apps.origins.empty()) require(cut == message->raw());
  const Bytes left{std::string_view(cut)};
  JsonDocument other;
  const Result<JsonValue> again = other.read(left, kResponseLimits);
  require(again.has_value());
  require(find_ui_resources(wanted(), *again, again->find("result")).origins.empty());
  return 0;
}
