#include "schemas/json_schema.h"

#include <algorithm>
#include <utility>

#include "schemas/bytes.h"
#include "schemas/metaschemas.h"
#include "schemas/schema_compiler.h"
#include "schemas/schema_declarations.h"
#include "schemas/schema_evaluation.h"
#include "schemas/schema_program.h"
#include "schemas/schema_validity.h"

namespace bartizan {

struct JsonSchema::State {
  Bytes bytes;
  JsonDocument document;
  std::unique_ptr<SchemaProgram> program;
};

SchemaResult<JsonSchema> JsonSchema::compile(std::string_view bytes,
                                             const SchemaDocuments& documents,
                                             const SchemaOptions& options) {
  return compile(bytes, documents, options, Validity::check);
}

SchemaResult<JsonSchema> JsonSchema::compile_published(std::string_view bytes) {
  return compile(bytes, metaschemas(), {}, Validity::is_known);
}

SchemaResult<JsonSchema> JsonSchema::compile(std::string_view bytes,
                                             const SchemaDocuments& documents,
                                             const SchemaOptions& options, Validity validity) {
  auto state = std::make_unique<State>();
  if (bytes.size() > options.bytes_max) {
    return flawed(SchemaFlaw::too_large, "",
                  "more than " + std::to_string(options.bytes_max) + " bytes");
  }
  state->bytes.assign(bytes);
  const Result<JsonValue> root = state->document.read(state->bytes);
  if (!root.has_value()) return flawed(SchemaFlaw::not_json, "", root.error().detail);
  auto index = SchemaIndex::read(*root, documents, options.schemas_max);
  if (!index.has_value()) return std::unexpected(std::move(index).error());
  // Before references add other documents to the index.
  const SchemaResult<SchemaDialect> dialect = find_one_dialect(*index);
  if (!dialect.has_value()) return std::unexpected(dialect.error());
  auto program = compile_program(*index, options);
  if (!program.has_value()) return std::unexpected(std::move(program).error());
  if (validity == Validity::check) {
    if (SchemaResult<void> valid = check_validity(*root, *dialect); !valid.has_value()) {
      return std::unexpected(std::move(valid).error());
    }
  }
  state->program = std::move(*program);
  state->document.trim();
  return JsonSchema(std::move(state));
}

JsonSchema::JsonSchema(std::unique_ptr<State> state) : state_(std::move(state)) {}
JsonSchema::JsonSchema(JsonSchema&&) noexcept = default;
JsonSchema& JsonSchema::operator=(JsonSchema&&) noexcept = default;
JsonSchema::~JsonSchema() = default;

bool JsonSchema::accepts(JsonValue value, const ValidationOptions& options) const {
  return SchemaEvaluation(*state_->program, options, {}).run(value);
}

SchemaVerdict JsonSchema::judge(JsonValue value, const ValidationOptions& options) const {
  SchemaVerdict verdict;
  SchemaEvaluation evaluation(*state_->program, options, {.violations = &verdict.violations});
  verdict.is_valid = evaluation.run(value);
  verdict.is_exhausted = evaluation.is_exhausted();
  verdict.steps = options.steps_max - evaluation.steps_left();
  return verdict;
}

JsonValue JsonSchema::find_unnamed(JsonValue value, const std::vector<JsonValue>& members,
                                   const ValidationOptions& options) const {
  std::vector<const char*> named;
  SchemaEvaluation(*state_->program, options, {.named = &named}).run(value);
  std::ranges::sort(named);
  const auto unnamed = std::ranges::find_if_not(members, [&named](JsonValue member) {
    return std::ranges::binary_search(named, member.raw().data());
  });
  return unnamed == members.end() ? JsonValue() : *unnamed;
}

bool JsonSchema::declares(std::string_view pointer) const {
  return declares_pointer(*state_->program, pointer);
}

std::vector<std::string> JsonSchema::named_pointers() const {
  return bartizan::named_pointers(*state_->program);
}

const std::vector<std::string>& JsonSchema::ignored_patterns() const {
  return state_->program->ignored_patterns;
}

std::size_t JsonSchema::memory() const {
  return state_->bytes.view().size() + state_->document.capacity() + state_->program->memory +
         state_->program->pattern_memory;
}

}  // namespace bartizan
