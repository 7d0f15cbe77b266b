#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bartizan {

/// What the world outside says against a value whose text lets it pass.
enum class OutsideRefusal : std::uint8_t {
  none,
  leads_out,         ///< A link, or `..` behind one, leaves the root.
  leads_nowhere,     ///< A link leads to nothing.
  leads_in_circles,  ///< Links lead to each other, or one of the kernel's for processes is there.
  not_reachable,     ///< The kernel lets nobody on the way there, or not the gateway.
  not_readable,      ///< Where its content is asked for, and the gateway may not read it.
  too_long,          ///< No name on that disk is so long.
  is_directory,      ///< Where a file is wanted.
  is_file,           ///< Where a directory is wanted.
  is_neither,        ///< A device, a pipe, a socket.
  is_missing,        ///< Where a file must be read.
  is_too_large,      ///< To be read: `limits::digested_file_bytes_max`.
  has_other_digest,  ///< Of its content.
  is_binary,         ///< Where a file of text is wanted.
  target_refused,    ///< What a link leads to has a name that may not be used.
  address_refused,   ///< A name leads to an address that may not be reached.
};
inline constexpr std::size_t kOutsideRefusals =
    static_cast<std::size_t>(OutsideRefusal::address_refused) + 1;

/// What is said of the argument, without any value of the call: `is a directory, not a file`.
constexpr std::string_view text(OutsideRefusal refusal) {
  constexpr std::array<std::string_view, kOutsideRefusals> kTexts{
      "",
      "leads out of the root on the disk, through a link",
      "is, or goes through, a link whose target does not exist",
      "is, or goes through, a loop of links or one of the kernel's own links",
      "cannot be reached: a folder on the way is missing, is not a folder, or may not be entered",
      "may not be read by the gateway, which must check its content",
      "has a name that is too long for that disk",
      "is a directory, not a file",
      "is a file, not a directory",
      "is neither a file nor a directory",
      "does not exist",
      "is larger than 10 MiB, the most that is digested",
      "has content that matches none of the allowed digests",
      "contains a NUL byte or is not UTF-8",
      "is a link to a target whose name is not allowed",
      "has a name that resolves to such an address",
  };
  return kTexts[static_cast<std::size_t>(refusal)];
}

}  // namespace bartizan
