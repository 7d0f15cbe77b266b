#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "policy/sanitise/active_markup.h"

/// What is active lies in the text, in order; once defused, nothing is.

namespace {

using namespace bartizan;

std::string defused(std::string_view text) {
  const LinkFilter may_lead_to = [](const UrlHost& host) { return host.text == "a.b"; };
  TextEdits edits;
  std::size_t at = 0;
  for (ActivePart& part : find_active_markup(text, may_lead_to)) {
    require(part.edit.part.begin >= at && part.edit.part.size() > 0);
    require(part.edit.part.end <= text.size());
    at = part.edit.part.end;
    edits.push_back(std::move(part.edit));
  }
  return edited(text, edits);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string once = defused({reinterpret_cast<const char*>(data), size});
  require(defused(once) == once);
  return 0;
}
