#include "schemas/schema/schema_documents.h"

#include <utility>

namespace bartizan {

Result<void> SchemaDocuments::add(std::string uri, std::string_view text) {
  if (by_uri_.contains(uri)) return {};
  Document& document = documents_.emplace_back();
  document.bytes.assign(text);
  Result<JsonValue> root = document.json.read(document.bytes);
  if (!root.has_value()) {
    documents_.pop_back();
    return std::unexpected(std::move(root).error());
  }
  by_uri_.emplace(std::move(uri), *root);
  return {};
}

JsonValue SchemaDocuments::find(std::string_view uri) const {
  const auto found = by_uri_.find(uri);
  return found == by_uri_.end() ? JsonValue() : found->second;
}

}  // namespace bartizan
