#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <unicode/uspoof.h>

namespace bartizan {

/// What names of tools look like, to whoever reads them.
///
/// Threads: immutable once made.
/// Source:  UTS 39 §4, "Confusable Detection".
class NameLooks {
 public:
  NameLooks();

  /// Two names with one skeleton look alike: `read_fi1e` and `read_file`. Empty where the library
  /// cannot tell.
  std::string skeleton(std::string_view name) const;

 private:
  struct Close {
    void operator()(USpoofChecker* checker) const { uspoof_close(checker); }
  };
  std::unique_ptr<USpoofChecker, Close> checker_;
};

/// A name as people repeat it: letter case folded.
std::string spoken_name(std::string_view name);

/// Whether a word can hardly be anything but a name: `send_email`, `sendEmail`, not `search`.
bool is_distinctive(std::string_view name);

}  // namespace bartizan
