#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/detect/string_scanner.h"
#include "schemas/message/message.h"

namespace bartizan {

/// What one server said last about one call, of each kind of notification. Some clients show
/// progress and log messages apart, others one behind the other: what comes next may go on with any
/// of them.
///
/// Bounded: `StringScanner::kJoinedBytes` for each kind of notification that says something.
class NotificationTail {
 public:
  /// What a message goes on with. Lifetime: until the next `note`.
  std::vector<std::string_view> before(const Message& message) const {
    std::vector<std::string_view> before;
    if (!message.is_answer() && !message.is_notification()) return before;
    for (const auto& [kind, words] : words_) {
      if (!words.empty()) before.emplace_back(words);
    }
    return before;
  }
  /// Notes what was passed on.
  void note(const Message& notification) {
    std::string& words = words_[notification.known->id];
    words = last_words(notification.params, words);
  }

 private:
  std::map<MethodId, std::string> words_;
};

}  // namespace bartizan
