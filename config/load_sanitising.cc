#include "config/sanitising.h"

namespace bartizan {

SanitisingConfig default_sanitising() {
  return {.name = "default",
          .in = {Carrier::results, Carrier::errors, Carrier::notifications, Carrier::requests,
                 Carrier::definitions},
          .hidden = HiddenText::remove};
}

}  // namespace bartizan
