#include "gateway/launch/protect_memory.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace bartizan {

void protect_memory() {
  // Neither can fail for the calling process.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
}

}  // namespace bartizan
