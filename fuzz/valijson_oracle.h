#pragma once

#include <memory>
#include <optional>
#include <string_view>

namespace bartizan {

/// A draft-07 schema as valijson understands it: a second opinion, for tests alone. valijson is
/// not safe with hostile input: it recurses as deep as a document does, and `$ref` or `pattern`
/// can crash it.
///
/// Input: JSON that JsonDocument has accepted.
class ValijsonSchema {
 public:
  /// Nothing where valijson throws.
  static std::optional<ValijsonSchema> compile(std::string_view schema);
  /// Nothing where valijson throws.
  std::optional<bool> accepts(std::string_view value) const;

  ValijsonSchema(ValijsonSchema&&) noexcept;
  ValijsonSchema& operator=(ValijsonSchema&&) noexcept;
  ~ValijsonSchema();

 private:
  struct State;
  explicit ValijsonSchema(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bartizan
