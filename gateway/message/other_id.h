#pragma once

#include <string_view>

namespace bartizan {

/// Why a call failed whose server answered, and under an id that is nobody's. Every caller is told:
/// it is a fixed sentence, and without it the server looks as if it were down.
inline constexpr std::string_view kOtherId = "the server answered under another id";

}  // namespace bartizan
