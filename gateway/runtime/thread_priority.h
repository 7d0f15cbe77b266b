#pragma once

namespace bartizan {

/// Gives the present thread less processor time than threads that serve calls, where both want the
/// same processor. It gets about a quarter then, and does not delay a call that arrives. The change
/// cannot be undone. On a system that refuses it, the priority stays as it is.
///
/// Source: sched(7), SCHED_BATCH and nice values.
void lower_thread_priority();

}  // namespace bartizan
