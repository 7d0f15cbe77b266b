#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/detect/string_scanner.h"
#include "schemas/message/message.h"

namespace bartizan {

/// The end of a server's notifications about a call, for each kind. Some clients show progress and
/// log messages separately, others one after the other. So the next message may continue any of
/// them.
///
/// Bounded: `StringScanner::kJoinedBytes` for each kind of notification with text.
class NotificationTail {
 public:
  /// The texts that a message may continue. Lifetime: until the next `note`.
  std::vector<std::string_view> before(const Message& message) const {
    std::vector<std::string_view> before;
    if (!message.is_answer() && !message.is_notification()) return before;
    for (const auto& [kind, words] : words_) {
      if (!words.empty()) before.emplace_back(words);
    }
    return before;
  }
  /// Notes a notification that was passed on.
  void note(const Message& notification) {
    std::string& words = words_[notification.known->id];
    words = last_words(notification.params, words);
  }

 private:
  std::map<MethodId, std::string> words_;
};

}  // namespace bartizan
