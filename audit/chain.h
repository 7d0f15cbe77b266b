#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "audit/digest.h"

namespace bartizan {

/// Bytes of one line of a record file, newline excluded. Encoding stays far below it, so a longer
/// line was not written by us.
inline constexpr std::size_t kRecordLineMax = std::size_t{1} << 20;

/// What every line begins with.
inline constexpr std::string_view kRecordLineStart = R"({"v":1,"kind":")";

/// One line, taken apart but not judged.
/// Lifetime: `body` points into the line.
struct ChainLine {
  std::string_view body;
  std::uint64_t sequence = 0;
  Hash prev{};
  Hash hash{};
};

/// `SHA-256(prev ‖ sequence as 8 bytes big-endian ‖ digest of the body)`.
Hash chain_hash(Digester& digester, const Hash& prev, std::uint64_t sequence, const Hash& digest);

/// Appends `{BODY,"seq":N,"prev":"…","hash":"…"}` and a newline.
void append_chain_line(std::string& out, const ChainLine& line);

/// The parts of a line without its newline, or nothing where it is not spelled as
/// `append_chain_line` spells it.
std::optional<ChainLine> split_chain_line(std::string_view line);

/// Whether the line's hash is the one its own parts give. Says nothing of its place.
bool is_self_consistent(Digester& digester, const ChainLine& line);

}  // namespace bartizan
