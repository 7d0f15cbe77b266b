#include "gateway/worker/reload_status.h"

namespace bartizan {

std::string_view text(ReloadResult result) {
  switch (result) {
    case ReloadResult::none:
      return "none";
    case ReloadResult::applied:
      return "applied";
    case ReloadResult::refused:
      return "refused";
    case ReloadResult::unchanged:
      return "unchanged";
  }
  return "none";
}

}  // namespace bartizan
