#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "audit/digest.h"

namespace bartizan {

/// The most bytes of a line of a record file, without the newline. Encoded records are far shorter,
/// so a longer line is not from the gateway.
inline constexpr std::size_t kRecordLineMax = std::size_t{1} << 20;

/// The beginning of every line.
inline constexpr std::string_view kRecordLineStart = R"({"v":1,"kind":")";

/// The parts of one line, not verified.
/// Lifetime: `body` points into the line.
struct ChainLine {
  std::string_view body;
  std::uint64_t sequence = 0;
  Hash prev{};
  Hash hash{};
};

/// Returns `SHA-256(prev ‖ sequence as 8 bytes big-endian ‖ digest of the body)`.
Hash chain_hash(Digester& digester, const Hash& prev, std::uint64_t sequence, const Hash& digest);

/// Appends `{BODY,"seq":N,"prev":"…","hash":"…"}` and a newline.
void append_chain_line(std::string& out, const ChainLine& line);

/// The parts of a line without its newline. Nothing if the line is not spelled as
/// `append_chain_line` spells it.
std::optional<ChainLine> split_chain_line(std::string_view line);

/// Whether the line's hash matches its parts. Does not check its place in the chain.
bool is_self_consistent(Digester& digester, const ChainLine& line);

}  // namespace bartizan
