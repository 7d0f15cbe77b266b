#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bartizan {

/// Why the disk or a name look-up refuses a value whose text would pass.
enum class OutsideRefusal : std::uint8_t {
  none,
  leads_out,         ///< A link, or `..` after one, leaves the root.
  leads_nowhere,     ///< A link leads to nothing.
  leads_in_circles,  ///< A loop of links, or one of the kernel's own links for processes.
  not_reachable,     ///< The way there is missing or may not be entered.
  not_readable,      ///< The gateway must read its content, and may not.
  too_long,          ///< The name is too long for that disk.
  is_directory,      ///< A file is required.
  is_file,           ///< A directory is required.
  is_neither,        ///< A device, a pipe, a socket.
  is_missing,        ///< A file must be read.
  is_too_large,      ///< More than `limits::digested_file_bytes_max`.
  has_other_digest,  ///< Its content has another digest.
  is_binary,         ///< A text file is required.
  target_refused,    ///< The target of a link has a name that is not allowed.
  address_refused,   ///< The name has an address that is not allowed.
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
