#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "policy/diff/diff_targets.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {

/// The schemas that arguments of a tool must fit under either of two configurations: those of
/// pinned definitions and of profiles. A call that both refuse by a schema shows no difference
/// between predicates.
class EdgeSchemas {
 public:
  /// Cost: compiles every schema.
  EdgeSchemas(const Config& older, const Config& newer, const DiffTarget& target);

  bool is_empty() const { return schemas_.empty(); }
  /// Whether both configurations have the same schemas.
  bool are_the_same() const { return are_the_same_; }
  /// Whether a schema ties arguments to each other, so that one argument alone is not enough to
  /// judge.
  bool ties_arguments() const { return ties_arguments_; }

  /// Values, as JSON, that the schemas name for the pointer: `const`, `default`, and the first of
  /// `enum` and `examples`.
  std::vector<std::string> named_values(const std::string& pointer) const;

  /// The violations of arguments that have only this value. The schemas do not distinguish two
  /// values with the same violations.
  std::vector<std::string> judge(const std::string& pointer, const std::string& json) const;

 private:
  void add(const std::string& text);

  std::vector<std::string> texts_;
  std::vector<JsonSchema> schemas_;
  bool are_the_same_ = true;
  bool ties_arguments_ = false;
};

}  // namespace bartizan
