#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/choices.h"
#include "fuzz/require.h"
#include "gateway/bridge/request_state.h"

/// A sealed state opens for its own request, as it was. Changed, cut off, too late, or for another
/// request, it does not open. The choices are the first bytes; the server's state is the rest.

namespace {

using namespace bartizan;

constexpr std::size_t kChoiceBytes = 24;
constexpr std::int64_t kSeconds = 3600;
const std::string kKey(32, 'k');

/// Parts of a subject that are easily mistaken for those of another one.
constexpr std::array<std::string_view, 8> kParts{"",      "a",   "b",    "ab",
                                                 "2:ab1", "1:a", "a1:b", "tools/call"};

StateSubject choose_subject(FuzzChoices& choices) {
  return {.principal = choices.pick(kParts),
          .endpoint = choices.pick(kParts),
          .server = choices.pick(kParts),
          .generation = choices.below(3),
          .method = choices.pick(kParts),
          .target = choices.pick(kParts),
          .arguments = {}};
}

bool equal(const StateSubject& a, const StateSubject& b) {
  return a.principal == b.principal && a.endpoint == b.endpoint && a.server == b.server &&
         a.generation == b.generation && a.method == b.method && a.target == b.target;
}

/// Another text of the same length or a shorter one.
std::string change(std::string sealed, FuzzChoices& choices) {
  const std::size_t at = choices.below(std::min<std::size_t>(sealed.size(), 65'536));
  switch (choices.below(4)) {
    case 0:
      sealed[at] = static_cast<char>(static_cast<unsigned char>(sealed[at]) ^
                                     (1U + static_cast<unsigned>(choices.below(255))));
      return sealed;
    case 1:
      return sealed.substr(0, at);
    case 2:
      return sealed.substr(at + 1);
    default:
      return sealed.insert(at, 1, "A=- "[choices.below(4)]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::size_t chosen = std::min(size, kChoiceBytes);
  FuzzChoices choices = FuzzChoices::from_bytes({data, chosen});
  const std::string_view text(reinterpret_cast<const char*>(data) + chosen, size - chosen);
  Random random;
  const StateSubject own = choose_subject(choices);
  const StateSubject other = choose_subject(choices);
  const auto now = static_cast<std::int64_t>(choices.below(65'536)) * 65'536;
  const RequestState state{.text = std::string(text),
                           .rounds = static_cast<std::uint32_t>(choices.below(65'536))};
  const std::string sealed = seal_state(state, own, now, kKey, random);
  const auto opened = open_state(sealed, own, now, kKey);
  require(opened.has_value() && opened->text == state.text && opened->rounds == state.rounds);
  require(open_state(sealed, other, now, kKey).has_value() == equal(own, other));
  require(open_state(sealed, own, now + kSeconds, kKey).has_value());
  require(!open_state(sealed, own, now + kSeconds + 1, kKey).has_value());
  require(!open_state(change(sealed, choices), own, now, kKey).has_value());
  // What nobody sealed.
  require(!open_state(text, own, now, kKey).has_value());
  return 0;
}
