#include "gateway/token/key_defect.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, kKeyDefectCount> kNames{
    "no_object",     "kind_unknown",     "symmetric",         "private_key",
    "use_other",     "operations_other", "algorithm_unknown", "algorithm_mismatch",
    "curve_unknown", "id_malformed",     "encoding",          "length",
    "modulus_size",  "modulus_even",     "exponent",          "point"};
static_assert(kNames.back() == "point");

}  // namespace

std::string_view text(KeyDefect defect) {
  return kNames[static_cast<std::size_t>(defect)];
}

}  // namespace bartizan
