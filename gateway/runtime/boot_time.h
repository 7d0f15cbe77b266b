#pragma once

namespace bartizan {

/// Seconds since the machine was started, sleep included: what the kernel counts the starts of
/// processes from. Implemented beside the other clocks.
/// Source: CLOCK_BOOTTIME of clock_gettime, section 2 of the manual.
double seconds_since_boot();

}  // namespace bartizan
