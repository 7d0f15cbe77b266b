#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/detect/string_scanner.h"
#include "schemas/message/message.h"

namespace bartizan {

/// What one server said last about one call, of each kind of notification: a client shows progress
/// and log messages apart, and reads on in each. An answer may go on with any of them.
class SpokenWords {
 public:
  /// What a message goes on with. Lifetime: until the next `note`.
  std::vector<std::string_view> before(const Message& message) const {
    std::vector<std::string_view> before;
    for (const auto& [kind, words] : words_) {
      const bool is_read_on =
          message.is_answer() || (message.is_notification() && message.known->id == kind);
      if (is_read_on && !words.empty()) before.emplace_back(words);
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
