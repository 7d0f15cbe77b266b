#pragma once

#include <functional>
#include <span>

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Are the arguments judged alike by who reads numbers exactly and by who takes them for doubles?
///
/// JSON has no limit for digits, and most programs do: `42.0000000000000000000001` and `1e-400` are
/// `42` and `0` to them, `100000000000000000000001` is `1e+23`. Where the arguments hold such a
/// number, each of `judges` is asked of the arguments as such a program reads them, too; what
/// passes in one reading only is refused as undecidable, at the first number that has two. An
/// integer of 64 bits is read as it is written: by i64 and u64 exactly, by JavaScript not always,
/// which SECURITY.md names.
///
/// Cost:   a look at each number that is no short integer; nearly no call has one with two
/// readings. Source: RFC 8259 §6; CWE-1339.
Decision check_numbers(const Call& call,
                       std::span<const std::function<Decision(const Call&)>> judges);

}  // namespace bartizan
