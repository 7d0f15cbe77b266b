#pragma once

#include <functional>
#include <span>

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Do the arguments pass both when numbers are read exactly and when they are read as doubles?
///
/// JSON does not limit the digits of a number, but most programs do. To them
/// `42.0000000000000000000001` is `42`, `1e-400` is `0`, and `100000000000000000000001` is `1e+23`.
/// If the arguments contain such a number, each of `judges` also judges them as such a program
/// reads them. Arguments that pass in one reading only are refused as undecidable, at the first
/// number with two readings. An integer that fits into 64 bits is judged only as it is written.
/// JavaScript may round it, as SECURITY.md says.
///
/// Cost:   a look at each number that is not a short integer. Almost no call has one with two
///         readings.
/// Source: RFC 8259 §6; CWE-1339.
Decision check_numbers(const Call& call,
                       std::span<const std::function<Decision(const Call&)>> judges);

}  // namespace bartizan
