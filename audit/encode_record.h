#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "audit/digest.h"
#include "audit/record.h"

namespace bartizan {

/// A record as text, without its place in the chain, and the digest of that text.
struct EncodedRecord {
  std::string body;  ///< `"v":1,"kind":…` : members, comma-separated, no braces.
  std::array<std::uint8_t, 32> digest{};  ///< SHA-256 of `body`.
};

/// The canonical form: members in the fixed order of docs/record-format.md, absent ones left out,
/// strings escaped minimally, integers in decimal, time as `2026-11-21T12:00:00.000000Z`. Text that
/// is not UTF-8 is replaced by U+FFFD. One record has one form.
///
/// Cost: about 0.5 µs, of which the digest is more than half; one allocation.
EncodedRecord encode_record(const Record& record);

/// The canonical form of a record, by the caller's digester. Without one, each thread has its own.
EncodedRecord encode_record(const Record& record, Digester& digester);

/// `2026-11-21T12:00:00.000000Z`: UTC, cut to microseconds.
std::array<char, 27> time_text(std::chrono::system_clock::time_point time);

}  // namespace bartizan
