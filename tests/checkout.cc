#include "tests/checkout.h"

#include <cstdlib>

namespace bartizan {

// Only this source is compiled with paths of the checkout, so that a compiler cache can give the
// objects of all others to another checkout.
std::string project_file(std::string_view below) {
  return std::string(BARTIZAN_SOURCE_DIR "/").append(below);
}

std::filesystem::path corpora_folder() {
  const char* set = std::getenv("BARTIZAN_CORPORA");
  return set != nullptr ? set : BARTIZAN_CORPORA_DEFAULT;
}

std::string gateway_program() {
  return BARTIZAN_PROGRAM;
}

}  // namespace bartizan
