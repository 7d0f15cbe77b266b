#include "policy/definition/finding_severity.h"

namespace bartizan {

std::string_view text(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::low:
      return "low";
    case FindingSeverity::medium:
      return "medium";
    case FindingSeverity::high:
      return "high";
  }
  return "high";
}

}  // namespace bartizan
