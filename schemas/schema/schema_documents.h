#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "schemas/base/bytes.h"
#include "schemas/base/result.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Documents that a schema may refer to by their URI. What is not among them is never fetched.
///
/// Threads: read by any number once it is filled.
class SchemaDocuments {
 public:
  /// Errors: json_* codes; a URI that is there already is not replaced.
  Result<void> add(std::string uri, std::string_view text);
  /// The document's root, or nothing. Lifetime: that of this object.
  JsonValue find(std::string_view uri) const;

 private:
  struct Document {
    Bytes bytes;
    JsonDocument json;
  };
  std::deque<Document> documents_;
  std::map<std::string, JsonValue, std::less<>> by_uri_;
};

}  // namespace bartizan
