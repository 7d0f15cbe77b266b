#include "schemas/schema/schema_compiler.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "schemas/json/json_pointer.h"
#include "schemas/schema/schema_compilation.h"

namespace bartizan {

SchemaResult<std::unique_ptr<SchemaProgram>> SchemaCompilation::run() {
  program_->root = number_of(index_.root());
  if (const Done done = compile_waiting(); !done) return std::unexpected(done.error());
  if (const Done done = compile_dynamic_anchors(); !done) return std::unexpected(done.error());
  if (const Done done = check_chains(); !done) return std::unexpected(done.error());
  find_always(*program_);
  return std::move(program_);
}

SchemaResult<void> SchemaCompilation::check_chains() const {
  const std::optional<ChainFlaw> found = find_chain_flaw(*program_, options_.chain_max);
  if (!found.has_value()) return {};
  const std::string why = found->flaw == SchemaFlaw::endless
                              ? "a schema applies itself to the same value, again and again"
                              : "more than " + std::to_string(options_.chain_max) +
                                    " schemas apply to one value in a row";
  return flawed(found->flaw, pointer_to(index_.root().value, values_[found->schema]), why);
}

/// The number of a schema. At its first use the schema is queued for compilation.
SchemaNumber SchemaCompilation::number_of(SchemaPoint point) {
  const auto next = static_cast<SchemaNumber>(program_->schemas.size());
  const auto [place, is_new] = numbers_.try_emplace(point.value.raw().data(), next);
  if (is_new) {
    program_->schemas.emplace_back();
    values_.push_back(point.value);
    waiting_.push_back({point, next});
  }
  return place->second;
}

SchemaResult<void> SchemaCompilation::compile_waiting() {
  while (!waiting_.empty()) {
    if (program_->schemas.size() > options_.schemas_max) {
      return flawed(SchemaFlaw::too_large, "", "too many schemas");
    }
    const Waiting next = waiting_.back();
    waiting_.pop_back();
    if (const Done done = compile_one(next); !done) return done;
  }
  return {};
}

/// A dynamic reference may lead to any of them, through any resource.
SchemaResult<void> SchemaCompilation::compile_dynamic_anchors() {
  for (std::uint32_t number = 0; has_dynamic_ && number < index_.resources(); ++number) {
    auto& anchors = program_->dynamic_anchors.emplace_back();
    const auto named = index_.resource(number).dynamic_anchors;
    for (const auto& [name, value] : named)
      anchors.emplace(name, number_of({value, number}));
    if (const Done done = compile_waiting(); !done) return done;
  }
  return {};
}

SchemaResult<void> SchemaCompilation::compile_one(const Waiting& next) {
  point_ = next.point;
  compiled_ = CompiledSchema{};
  compiled_.resource = point_.resource;
  dialect_ = index_.resource(point_.resource).dialect;
  if (const Done done = compile_value(); !done) return done;
  program_->memory += compiled_.memory();
  program_->schemas[next.number] = std::move(compiled_);
  if (program_->memory <= options_.program_bytes_max) return {};
  return flawed(SchemaFlaw::too_large, pointer_to(index_.root().value, point_.value),
                "it compiles to too much");
}

SchemaResult<void> SchemaCompilation::compile_value() {
  if (const auto verdict = point_.value.boolean()) {
    compiled_.is_always = *verdict;
    compiled_.is_never = !*verdict;
    compiled_.is_type_only = true;
    compiled_.types = *verdict ? kAllTypes : JsonTypeSet{0};
    return {};
  }
  if (!point_.value.is(JsonType::object)) return invalid(point_.value, "no schema");
  if (Done known = check_known(); !known) return known;
  if (dialect_.is_until_draft_07() && point_.value.find("$ref")) return take_reference("$ref");
  for (const auto step : {&SchemaCompilation::take_types, &SchemaCompilation::take_number,
                          &SchemaCompilation::take_string, &SchemaCompilation::take_array,
                          &SchemaCompilation::take_required, &SchemaCompilation::take_dependents,
                          &SchemaCompilation::take_object, &SchemaCompilation::take_in_place}) {
    if (const Done done = (this->*step)(); !done) return done;
  }
  compiled_.is_type_only = !has_rules();
  compiled_.is_always = compiled_.is_type_only && compiled_.types == kAllTypes;
  if (ObjectRules* object = compiled_.object.get()) {
    object->is_plain = object->patterns.empty() && object->names == kNoSchema;
  }
  return {};
}

/// Why a keyword has no meaning in its place. Empty if it has one.
std::string_view SchemaCompilation::why_meaningless(JsonValue member) const {
  const std::string_view name = member.key();
  if (!is_known_keyword(name, dialect_)) {
    const std::vector<std::string_view> known = known_keywords();
    const bool is_other = std::ranges::find(known, name) != known.end();
    if (is_other) return "a keyword of another dialect than the schema's";
    const bool may_be_member = member.is(JsonType::object);
    return may_be_member ? "no keyword of JSON Schema; names of members stand in \"properties\""
                         : "no keyword of JSON Schema";
  }
  const auto lacks = [this](std::string_view other) { return !keyword(other); };
  const bool is_branch = name == "then" || name == "else";
  if (is_branch && lacks("if")) return "means nothing without \"if\"";
  const bool is_count = name == "minContains" || name == "maxContains";
  if (is_count && lacks("contains")) return "means nothing without \"contains\"";
  const bool stands_alone = dialect_.is_until_draft_07() && !lacks("$ref");
  if (stands_alone && name != "$ref" && is_rule(name)) {
    return "means nothing beside \"$ref\" until draft-07";
  }
  return {};
}

SchemaResult<void> SchemaCompilation::check_known() const {
  if (options_.unknown == SchemaOptions::Unknown::ignore) return {};
  for (const JsonValue member : point_.value) {
    const std::string_view why = why_meaningless(member);
    if (why.empty()) continue;
    return flawed(SchemaFlaw::unknown_keyword, pointer_to(index_.root().value, member),
                  std::string(why));
  }
  const JsonValue format = keyword("format");
  if (!format || find_string_format(format.text()).has_value()) return {};
  return flawed(SchemaFlaw::unknown_keyword, pointer_to(index_.root().value, format),
                "a format that is not asserted");
}

void SchemaCompilation::note(JsonValue at, std::string_view meaning) {
  if (program_->notes.size() >= limits::schema_notes_max) return;
  program_->notes.push_back({cut_pointer(pointer_to(index_.root().value, at)), meaning});
}

bool SchemaCompilation::has_rules() const {
  return compiled_.number != nullptr || compiled_.string != nullptr || compiled_.array != nullptr ||
         compiled_.object != nullptr || compiled_.in_place != nullptr ||
         compiled_.values != nullptr;
}

std::unexpected<SchemaError> SchemaCompilation::invalid(JsonValue at, std::string_view why) const {
  return flawed(SchemaFlaw::invalid_keyword, pointer_to(index_.root().value, at), std::string(why));
}

SchemaResult<void> SchemaCompilation::take_schemas(std::string_view name,
                                                   std::vector<SchemaNumber>& kept) {
  const JsonValue list = keyword(name);
  if (!list) return {};
  if (!list.is(JsonType::array) || list.begin() == list.end()) {
    return invalid(list, "not an array of schemas");
  }
  for (const JsonValue schema : list)
    kept.push_back(schema_at(schema));
  return {};
}

SchemaResult<void> SchemaCompilation::take_in_place() {
  InPlaceRules rules;
  Done done = take_schemas("allOf", rules.all);
  if (done) done = take_schemas("anyOf", rules.any);
  if (done) done = take_schemas("oneOf", rules.one);
  struct Named {
    std::string_view name;
    SchemaNumber& kept;
    SchemaDialect::Draft first = SchemaDialect::Draft::draft_07;
  };
  for (const Named& named :
       {Named{"not", rules.negated, SchemaDialect::Draft::draft_04}, Named{"if", rules.condition},
        Named{"then", rules.consequence}, Named{"else", rules.alternative},
        Named{"unevaluatedItems", rules.unevaluated_items, SchemaDialect::Draft::draft_2019_09},
        Named{"unevaluatedProperties", rules.unevaluated_properties,
              SchemaDialect::Draft::draft_2019_09}}) {
    if (dialect_.draft < named.first) continue;
    if (done) done = take_schema(named.name, [&](SchemaNumber schema) { named.kept = schema; });
  }
  if (!done) return done;
  const bool is_empty =
      rules.all.empty() && rules.any.empty() && rules.one.empty() &&
      std::ranges::all_of(std::array{rules.negated, rules.condition, rules.unevaluated_items,
                                     rules.unevaluated_properties},
                          [](SchemaNumber n) { return n == kNoSchema; });
  if (!is_empty) compiled_.in_place = std::make_unique<InPlaceRules>(std::move(rules));
  if (dialect_.is_until_draft_07()) return {};
  if (done = take_reference("$ref"); !done) return done;
  return dialect_.is_2019_09() ? take_recursive_reference() : take_dynamic_reference();
}

SchemaResult<void> SchemaCompilation::take_reference(std::string_view name) {
  const JsonValue reference = keyword(name);
  if (!reference) return {};
  const SchemaResult<SchemaPoint> target = resolve(reference);
  if (!target.has_value()) return std::unexpected(target.error());
  made(compiled_.in_place).all.push_back(number_of(*target));
  return {};
}

SchemaResult<SchemaPoint> SchemaCompilation::resolve(JsonValue reference) {
  if (!reference.is(JsonType::string)) return invalid(reference, "not a string");
  SchemaResult<SchemaPoint> target = index_.resolve(point_, reference.text());
  if (!target.has_value()) {
    SchemaError error = std::move(target).error();
    error.pointer = pointer_to(index_.root().value, reference);
    return std::unexpected(std::move(error));
  }
  return target;
}

SchemaResult<void> SchemaCompilation::take_dynamic_reference() {
  const JsonValue reference = keyword("$dynamicRef");
  if (!reference) return {};
  const SchemaResult<SchemaPoint> target = resolve(reference);
  if (!target.has_value()) return std::unexpected(target.error());
  const std::string_view text = reference.text();
  refer(*target, text.substr(std::min(text.find('#') + 1, text.size())));
  return {};
}

SchemaResult<void> SchemaCompilation::take_recursive_reference() {
  const JsonValue reference = keyword("$recursiveRef");
  if (!reference) return {};
  const SchemaResult<SchemaPoint> target = resolve(reference);
  if (!target.has_value()) return std::unexpected(target.error());
  refer(*target, kRecursiveAnchor);
  return {};
}

void SchemaCompilation::refer(SchemaPoint target, std::string_view anchor) {
  InPlaceRules& rules = made(compiled_.in_place);
  const auto& anchors = index_.resource(target.resource).dynamic_anchors;
  const auto found = anchors.find(anchor);
  if (found == anchors.end() || found->second.raw().data() != target.value.raw().data()) {
    rules.all.push_back(number_of(target));
    return;
  }
  has_dynamic_ = true;
  rules.dynamic_name = anchor;
  rules.dynamic_default = number_of(target);
}

SchemaResult<std::unique_ptr<SchemaProgram>> compile_program(SchemaIndex& index,
                                                             const SchemaOptions& options) {
  return SchemaCompilation(index, options).run();
}

}  // namespace bartizan
