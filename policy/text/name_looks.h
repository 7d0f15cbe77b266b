#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <unicode/uspoof.h>

namespace bartizan {

/// The visual similarity of tool names.
///
/// Threads: immutable once made.
/// Source:  UTS 39 §4, "Confusable Detection".
class NameLooks {
 public:
  NameLooks();

  /// Names with the same skeleton look alike: `read_fi1e` and `read_file`. Empty if the library
  /// fails.
  std::string skeleton(std::string_view name) const;

 private:
  struct Close {
    void operator()(USpoofChecker* checker) const { uspoof_close(checker); }
  };
  std::unique_ptr<USpoofChecker, Close> checker_;
};

/// A name as people repeat it: with folded letter case.
std::string spoken_name(std::string_view name);

/// Whether a word is almost certainly a name: `send_email`, `sendEmail`, but not `search`.
bool is_distinctive(std::string_view name);

}  // namespace bartizan
