#include "policy/principal.h"

namespace bartizan {

std::string_view text(Proof proof) {
  switch (proof) {
    case Proof::none:
      return "none";
    case Proof::api_key:
      return "api_key";
    case Proof::configured:
      return "configured";
    case Proof::gateway:
      return "gateway";
  }
  return "none";
}

std::string_view text(Trust trust) {
  switch (trust) {
    case Trust::untrusted:
      return "untrusted";
    case Trust::community:
      return "community";
    case Trust::verified:
      return "verified";
    case Trust::system:
      return "system";
  }
  return "untrusted";
}

}  // namespace bartizan
