#include "policy/check/check_pin.h"

#include <cstdint>

namespace bartizan {
namespace {

/// Stands in every flaw of a pin, and in no other.
constexpr std::string_view kFingerprint = " (fingerprint ";

enum class PinAnswer : std::uint8_t {
  registration_open,
  approved,
  unknown,
  first_use,
  other,
  changed,
  poisoned,
  poisoned_beside,
  poisoned_beyond_v1,
  shadowing
};

/// A release holds for the lock file that it was made under: who pins the tool otherwise later has
/// looked at it later.
bool is_released(const ToolStanding& standing, const PinnedTool* pinned) {
  return standing.released_over.has_value() &&
         *standing.released_over == (pinned == nullptr ? std::string() : pinned->fingerprint);
}

PinAnswer answer_pin(const ToolProfiles& profiles, std::string_view server,
                     const ToolDefinition& tool) {
  using Mode = PinsConfig::Mode;
  static const ToolStanding kNeverHeld;
  const ToolStanding& standing = tool.standing == nullptr ? kNeverHeld : *tool.standing;
  // Whatever people approved of its definition, and whatever the mode.
  if (!profiles.registration_flaw(server, tool.name).empty()) return PinAnswer::registration_open;
  const Mode mode = profiles.pins_mode();
  const bool is_taken =
      mode == Mode::off || tool.fingerprint.empty() || standing.kind == ToolStanding::Kind::assumed;
  if (is_taken) return PinAnswer::approved;
  // Nobody approved what the fingerprint does not cover.
  if (!standing.danger_beside.empty()) return PinAnswer::poisoned_beside;
  const PinnedTool* pinned = profiles.find_pin(server, tool.name);
  if (is_released(standing, pinned)) return PinAnswer::approved;
  if (pinned != nullptr) {
    if (!is_pinned_as(*pinned, tool)) return PinAnswer::other;
    const bool is_v1 = pinned->version == PinVersion::v1;
    if (is_v1 && !standing.danger_beyond_v1.empty()) return PinAnswer::poisoned_beyond_v1;
    if (pinned->is_approved) return PinAnswer::approved;
    if (mode == Mode::locked) return PinAnswer::first_use;
  } else {
    if (mode == Mode::locked) return PinAnswer::unknown;
    if (standing.kind == ToolStanding::Kind::changed) return PinAnswer::changed;
  }
  if (!standing.danger.empty()) return PinAnswer::poisoned;
  const bool is_shadowing = !profiles.pinned_names().find_shadowed(server, tool).empty();
  return is_shadowing ? PinAnswer::shadowing : PinAnswer::approved;
}

}  // namespace

bool keeps_pin(const ToolProfiles& profiles, std::string_view server, const ToolDefinition& tool) {
  return answer_pin(profiles, server, tool) == PinAnswer::approved;
}

bool is_pin_flaw(std::string_view detail) {
  return detail.contains(kFingerprint);
}

PinFlaw pin_flaw(const ToolProfiles& profiles, std::string_view server, const ToolDefinition& tool,
                 const TellDifference& difference) {
  // Who releases it says which one it is.
  const std::string named = std::string(kFingerprint) + tool.fingerprint + ")";
  switch (answer_pin(profiles, server, tool)) {
    case PinAnswer::approved:
      return {};
    case PinAnswer::registration_open:
      return {.what = std::string(profiles.registration_flaw(server, tool.name))};
    case PinAnswer::unknown:
      return {.what = "is not in the lock file" + named};
    case PinAnswer::first_use:
      return {.what = "is in the lock file from its first use, and nobody approved it" + named};
    case PinAnswer::other:
      return {.what = "differs from its pin" + named,
              .where = difference(*profiles.find_pin(server, tool.name), tool)};
    case PinAnswer::changed:
      return {.what = "differs from what came first" + named, .where = tool.standing->difference};
    case PinAnswer::poisoned:
      return {.what = "may be poisoned" + named + ": " + tool.standing->danger,
              .where = tool.standing->danger_at};
    case PinAnswer::poisoned_beside:
      return {.what = "may be poisoned" + named +
                      ", in what [pins] volatile lets change: " + tool.standing->danger_beside};
    case PinAnswer::poisoned_beyond_v1:
      return {.what = "may be poisoned" + named +
                      ", in what version 1 of the lock file does not pin: " +
                      tool.standing->danger_beyond_v1};
    case PinAnswer::shadowing:
      return {.what = "passes for another server's" + named + ": " +
                      profiles.pinned_names().find_shadowed(server, tool)};
  }
  return {.what = "is not approved" + named};
}

}  // namespace bartizan
