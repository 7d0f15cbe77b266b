#pragma once

#include <optional>
#include <string>

#include "gateway/call/call_frame.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The arguments of a call as they are sent, but with tokens instead of their values. This is what
/// people may see of a call whose arguments have secrets.
class ShownArguments {
 public:
  /// Input: a prepared call. Its frame stays unchanged.
  explicit ShownArguments(CallFrame& frame);

  /// Absent if the call has none. Lifetime: that of this object and of the frame.
  JsonValue value() const { return value_; }

 private:
  /// One rewritten text of the call, parsed.
  struct Step {
    Bytes bytes;
    JsonDocument document;
    Message message;
  };
  /// Replaces the call, if there is a text.
  void take(std::optional<std::string> text);

  std::optional<Step> step_;
  JsonValue value_;
};

}  // namespace bartizan
