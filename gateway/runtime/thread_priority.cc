#include "gateway/runtime/thread_priority.h"

#include <sched.h>
#include <sys/resource.h>

namespace bartizan {
namespace {

// Five steps leave a thread a third of its weight.
constexpr int kNice = 5;

}  // namespace

void lower_thread_priority() {
  constexpr sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
  // On Linux, a nice value belongs to a thread; 0 is the present one.
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kNice);
}

}  // namespace bartizan
