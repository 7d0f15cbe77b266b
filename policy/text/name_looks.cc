#include "policy/text/name_looks.h"

#include <cstdint>
#include <memory_resource>

#include "policy/text/fold_name.h"

namespace bartizan {

NameLooks::NameLooks() {
  UErrorCode error = U_ZERO_ERROR;
  checker_.reset(uspoof_open(&error));
  if (U_FAILURE(error)) checker_.reset();
}

std::string NameLooks::skeleton(std::string_view name) const {
  if (checker_ == nullptr) return {};
  std::string skeleton(name.size() * 4 + 16, '\0');
  UErrorCode error = U_ZERO_ERROR;
  const std::int32_t size =
      uspoof_getSkeletonUTF8(checker_.get(), 0, name.data(), static_cast<std::int32_t>(name.size()),
                             skeleton.data(), static_cast<std::int32_t>(skeleton.size()), &error);
  if (U_FAILURE(error) || size < 0) return {};
  skeleton.resize(static_cast<std::size_t>(size));
  return skeleton;
}

std::string spoken_name(std::string_view name) {
  const auto folded = fold_name(name, std::pmr::get_default_resource());
  return folded.has_value() ? std::string(*folded) : std::string(name);
}

bool is_distinctive(std::string_view name) {
  constexpr std::size_t kShortest = 6;
  if (name.size() < kShortest) return false;
  const std::string_view inner = name.substr(1, name.size() - 2);
  const bool is_joined = inner.find_first_of("_-.") != inner.npos;
  // `readFile`, but not `JSON`.
  bool was_lower = false;
  bool is_camel = false;
  for (const char c : name) {
    is_camel = is_camel || (was_lower && c >= 'A' && c <= 'Z');
    was_lower = c >= 'a' && c <= 'z';
  }
  return is_joined || is_camel;
}

}  // namespace bartizan
