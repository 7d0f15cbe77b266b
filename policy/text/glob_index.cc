#include "policy/text/glob_index.h"

namespace bartizan {

void GlobIndex::add(std::string_view pattern, std::uint32_t number) {
  const std::size_t first = pattern.find('*');
  if (first == std::string_view::npos) {
    literals_[std::string(pattern)].push_back(number);
    return;
  }
  const std::string_view end = pattern.substr(pattern.rfind('*') + 1);
  lengths_.insert(first);
  beginnings_[std::string(pattern.substr(0, first))][end.size()][std::string(end)].push_back(
      number);
}

}  // namespace bartizan
