#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "schemas/base/bytes.h"
#include "schemas/base/result.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Documents to which a schema may refer by their URI. Other documents are never fetched.
///
/// Threads: any number of readers once it is filled.
class SchemaDocuments {
 public:
  /// Adds a document. Does not replace a URI that is already present.
  /// Errors: json_* codes.
  Result<void> add(std::string uri, std::string_view text);
  /// The document's root, or nothing.
  /// Lifetime: that of this object.
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
