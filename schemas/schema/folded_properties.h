#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/name_table.h"
#include "schemas/schema/schema_program.h"

namespace bartizan {

/// All member names of a schema, indexed by their folded form (`folded_name`).
///
/// Lifetime: points into the document that the program was read from.
class FoldedProperties {
 public:
  explicit FoldedProperties(const SchemaProgram& program);
  FoldedProperties(const FoldedProperties&) = delete;
  FoldedProperties& operator=(const FoldedProperties&) = delete;

  /// The schema's names that fold like `name`. They may include `name` itself.
  std::span<const std::string_view> alike(std::string_view name) const;
  /// Whether two of the names fold alike.
  bool has_alike() const { return has_alike_; }
  /// Approximate, in bytes.
  std::size_t memory() const;

 private:
  void add(std::string_view name);

  std::deque<std::string> forms_;  ///< Of names that differ from their folded form.
  NameTable folded_;
  std::vector<std::vector<std::string_view>> names_;  ///< By the number of their folded form.
  bool has_alike_ = false;
};

}  // namespace bartizan
