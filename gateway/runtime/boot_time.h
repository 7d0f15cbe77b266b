#pragma once

namespace bartizan {

/// Seconds since the machine was started, sleep included. The kernel counts the starts of processes
/// from that time. Implemented beside the other clocks.
/// Source: CLOCK_BOOTTIME of clock_gettime, section 2 of the manual.
double seconds_since_boot();

}  // namespace bartizan
