#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// A JSON text that was read. Lifetime: `root` looks into it.
struct JsonText {
  explicit JsonText(std::string_view text) : bytes(text) {
    const Result<JsonValue> read = document.read(bytes, kResponseLimits);
    EXPECT_TRUE(read.has_value()) << text;
    root = read.value_or(JsonValue());
  }
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;
  ~JsonText() = default;

  Bytes bytes;
  JsonDocument document;
  JsonValue root;
};

}  // namespace bartizan
