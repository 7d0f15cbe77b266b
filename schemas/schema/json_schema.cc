#include "schemas/schema/json_schema.h"

#include <algorithm>
#include <utility>

#include "schemas/base/bytes.h"
#include "schemas/json/json_pointer.h"
#include "schemas/json/named_members.h"
#include "schemas/schema/folded_properties.h"
#include "schemas/schema/metaschemas.h"
#include "schemas/schema/schema_compiler.h"
#include "schemas/schema/schema_declarations.h"
#include "schemas/schema/schema_evaluation.h"
#include "schemas/schema/schema_program.h"
#include "schemas/schema/schema_validity.h"

namespace bartizan {

struct JsonSchema::State {
  Bytes bytes;
  JsonDocument document;
  std::unique_ptr<SchemaProgram> program;
  std::unique_ptr<const FoldedProperties> folded;
};

namespace {

std::vector<JsonValue> find_unnamed_members(NamedMembers& members, std::size_t most,
                                            StepBudget& budget) {
  members.sort(budget);
  return members.find_unnamed(most, budget);
}

SchemaViolation unnamed_violation(JsonValue value, JsonValue member) {
  std::string pointer = pointer_to(value, member);
  while (pointer.size() > limits::schema_pointer_bytes_max)
    pointer.resize(pointer.rfind('/'));
  return {.pointer = std::move(pointer),
          .keyword = "additionalProperties",
          .expected = "no member that the schema does not name"};
}

}  // namespace

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
  if (!root.has_value()) {
    return std::unexpected(
        SchemaError{SchemaFlaw::not_json, "", root.error().detail, root.error().offset});
  }
  auto index = SchemaIndex::read(*root, documents, options.schemas_max);
  if (!index.has_value()) return std::unexpected(std::move(index).error());
  // Must come before references add other documents to the index.
  const SchemaResult<SchemaDialect> dialect = find_one_dialect(*index);
  if (!dialect.has_value()) return std::unexpected(dialect.error());
  auto program = compile_program(*index, options);
  if (!program.has_value()) return std::unexpected(std::move(program).error());
  if (validity == Validity::check) {
    if (SchemaResult<void> valid = check_validity(*root, *dialect, options.unknown);
        !valid.has_value()) {
      return std::unexpected(std::move(valid).error());
    }
  }
  state->program = std::move(*program);
  state->folded = std::make_unique<const FoldedProperties>(*state->program);
  state->document.trim();
  return JsonSchema(std::move(state));
}

JsonSchema::JsonSchema(std::unique_ptr<State> state) : state_(std::move(state)) {}
JsonSchema::JsonSchema(JsonSchema&&) noexcept = default;
JsonSchema& JsonSchema::operator=(JsonSchema&&) noexcept = default;
JsonSchema::~JsonSchema() = default;

SchemaFit JsonSchema::fit(JsonValue value, const ValidationOptions& options) const {
  NamedMembers members(NamedMembers::By::any_keyword);
  const bool is_closed = options.unnamed == ValidationOptions::Unnamed::refuse;
  SchemaEvaluation evaluation(*state_->program, options,
                              {.members = is_closed ? &members : nullptr});
  const bool fits = evaluation.run(value) &&
                    (!is_closed || find_unnamed_members(members, 1, evaluation.budget()).empty());
  if (evaluation.is_exhausted()) return SchemaFit::too_costly;
  return fits ? SchemaFit::fits : SchemaFit::misfits;
}

SchemaVerdict JsonSchema::judge(JsonValue value, const ValidationOptions& options) const {
  SchemaVerdict verdict;
  NamedMembers members(NamedMembers::By::any_keyword);
  const bool is_closed = options.unnamed == ValidationOptions::Unnamed::refuse;
  SchemaEvaluation evaluation(
      *state_->program, options,
      {.violations = &verdict.violations, .members = is_closed ? &members : nullptr});
  const bool fits = evaluation.run(value);
  if (fits && is_closed) {
    for (const JsonValue member :
         find_unnamed_members(members, options.violations_max, evaluation.budget())) {
      verdict.violations.push_back(unnamed_violation(value, member));
    }
  }
  verdict.is_exhausted = evaluation.is_exhausted();
  verdict.is_valid = fits && verdict.violations.empty() && !verdict.is_exhausted;
  verdict.steps = options.steps_max - evaluation.budget().left;
  return verdict;
}

JsonValue JsonSchema::find_unnamed(JsonValue value, const std::vector<JsonValue>& members,
                                   const ValidationOptions& options) const {
  NamedMembers named(NamedMembers::By::properties);
  SchemaEvaluation evaluation(*state_->program, options, {.members = &named});
  evaluation.run(value);
  named.sort(evaluation.budget());
  const auto unnamed = std::ranges::find_if_not(
      members, [&](JsonValue member) { return !evaluation.is_exhausted() && named.has(member); });
  return unnamed == members.end() ? JsonValue() : *unnamed;
}

bool JsonSchema::declares_any() const {
  return declares_any_member(*state_->program);
}

bool JsonSchema::declares(std::string_view pointer) const {
  return declares_pointer(*state_->program, pointer);
}

bool JsonSchema::may_be(std::string_view pointer, JsonType type) const {
  return may_be_at(*state_->program, pointer, type);
}

std::vector<std::string> JsonSchema::named_pointers() const {
  return bartizan::named_pointers(*state_->program);
}

std::string JsonSchema::without_unnamed(std::string_view pointer) const {
  return bartizan::without_unnamed(*state_->program, pointer);
}

JsonValue JsonSchema::find_folded(JsonValue value) const {
  return find_folded_member(*state_->program, *state_->folded, value);
}

bool JsonSchema::has_alike_names() const {
  return state_->folded->has_alike();
}

const std::vector<std::string>& JsonSchema::ignored_patterns() const {
  return state_->program->ignored_patterns;
}

const std::vector<SchemaNote>& JsonSchema::notes() const {
  return state_->program->notes;
}

std::size_t JsonSchema::memory() const {
  return state_->bytes.view().size() + state_->document.capacity() + state_->program->memory +
         state_->program->pattern_memory + state_->folded->memory();
}

}  // namespace bartizan
