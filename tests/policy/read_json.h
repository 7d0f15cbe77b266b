#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// A JSON text of a test, read: absent, and a failure, where it is none. Lifetime: its own.
struct ReadJson {
  explicit ReadJson(std::string_view text) : bytes(text) {
    const auto value = document.read(bytes, kResponseLimits);
    if (value.has_value()) {
      root = *value;
    } else {
      ADD_FAILURE() << "no JSON: " << text;
    }
  }
  Bytes bytes;
  JsonDocument document;
  JsonValue root;
};

}  // namespace bartizan
