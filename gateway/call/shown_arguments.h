#pragma once

#include <optional>
#include <string>

#include "gateway/call/call_frame.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The arguments of a call as they leave, but with tokens where they leave with what these stand
/// for: what people may be shown of a call whose arguments have secrets.
class ShownArguments {
 public:
  /// Input: a prepared call. Its frame stays as it is.
  explicit ShownArguments(CallFrame& frame);

  /// Absent where the call has none. Lifetime: that of this object and of the frame.
  JsonValue value() const { return value_; }

 private:
  /// One text that the call was made into, and what it says.
  struct Step {
    Bytes bytes;
    JsonDocument document;
    Message message;
  };
  /// What is the call from now on, where there is a text.
  void take(std::optional<std::string> text);

  std::optional<Step> step_;
  JsonValue value_;
};

}  // namespace bartizan
