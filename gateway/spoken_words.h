#pragma once

#include <map>
#include <string>
#include <string_view>

#include "policy/string_scanner.h"
#include "schemas/message.h"

namespace bartizan {

/// What one server said last about one call, of each kind of notification: a client shows progress
/// and log messages apart, and reads on in each.
class SpokenWords {
 public:
  /// What a message goes on with. Lifetime: until the next `note`.
  std::string_view before(const Message& message) const {
    if (!message.is_notification()) return {};
    const auto said = words_.find(message.known->id);
    return said == words_.end() ? std::string_view() : said->second;
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
