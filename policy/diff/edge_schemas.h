#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "policy/diff/diff_targets.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {

/// The schemas that arguments of a tool must fit under either of two configurations: of what is
/// pinned, and of profiles. What both refuse by a schema hides what predicates would tell apart.
class EdgeSchemas {
 public:
  /// Cost: compiles every one of them.
  EdgeSchemas(const Config& older, const Config& newer, const DiffTarget& target);

  bool is_empty() const { return schemas_.empty(); }
  /// Whether both configurations have the same ones.
  bool are_the_same() const { return are_the_same_; }
  /// Whether one of them ties arguments to each other, so that one alone says little.
  bool ties_arguments() const { return ties_arguments_; }

  /// Values, as JSON, that they themselves name for the pointer: the first of an `enum`, a `const`,
  /// examples.
  std::vector<std::string> named_values(const std::string& pointer) const;

  /// What is wrong with arguments that are this value alone. Of two values of which the same is
  /// wrong, the schemas tell nothing apart.
  std::vector<std::string> judge(const std::string& pointer, const std::string& json) const;

 private:
  void add(const std::string& text);

  std::vector<std::string> texts_;
  std::vector<JsonSchema> schemas_;
  bool are_the_same_ = true;
  bool ties_arguments_ = false;
};

}  // namespace bartizan
