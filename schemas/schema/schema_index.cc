#include "schemas/schema/schema_index.h"

#include <utility>

#include "schemas/json/json_pointer.h"
#include "schemas/json/json_text.h"
#include "schemas/schema/uri_reference.h"

namespace bartizan {
namespace {

/// The base URI of a document without one. Relative references then cannot lead outside it.
constexpr std::string_view kOwnUri = "bartizan://schema/";

/// Cuts a quotation of a schema for a message.
std::string cut(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return std::string(utf8_head(text, kMost));
}

bool has_ref(JsonValue schema) {
  return static_cast<bool>(schema.find("$ref"));
}

}  // namespace

std::string_view text(SchemaFlaw flaw) {
  switch (flaw) {
    case SchemaFlaw::not_json:
      return "not_json";
    case SchemaFlaw::too_large:
      return "too_large";
    case SchemaFlaw::too_deep:
      return "too_deep";
    case SchemaFlaw::endless:
      return "endless";
    case SchemaFlaw::unknown_dialect:
      return "unknown_dialect";
    case SchemaFlaw::invalid_keyword:
      return "invalid_keyword";
    case SchemaFlaw::external_reference:
      return "external_reference";
    case SchemaFlaw::unresolved_reference:
      return "unresolved_reference";
    case SchemaFlaw::untranslatable_pattern:
      return "untranslatable_pattern";
    case SchemaFlaw::unknown_keyword:
      return "unknown_keyword";
  }
  return "unknown";
}

SchemaResult<SchemaIndex> SchemaIndex::read(JsonValue root, const SchemaDocuments& documents,
                                            std::size_t schemas_max) {
  SchemaIndex index(documents, schemas_max);
  SchemaResult<std::uint32_t> first =
      index.add_document(std::string(kOwnUri), root, SchemaDialect{});
  if (!first.has_value()) return std::unexpected(std::move(first).error());
  index.root_ = {root, index.resource_of(root, *first)};
  return index;
}

SchemaResult<std::uint32_t> SchemaIndex::add_document(std::string uri, JsonValue root,
                                                      SchemaDialect dialect) {
  const auto number = resources();
  by_uri_.emplace(uri, number);
  resources_.push_back({.uri = std::move(uri),
                        .root = root,
                        .dialect = dialect,
                        .anchors = {},
                        .dynamic_anchors = {}});
  if (SchemaResult<void> done = visit_all({root, number}); !done.has_value()) {
    return std::unexpected(std::move(done).error());
  }
  return number;
}

SchemaResult<void> SchemaIndex::visit_all(SchemaPoint first) {
  std::vector<SchemaPoint> waiting{first};
  while (!waiting.empty()) {
    SchemaPoint point = waiting.back();
    waiting.pop_back();
    if (resource_of_.size() >= schemas_max_) return flawed(SchemaFlaw::too_large, "");
    const SchemaResult<std::uint32_t> entered = enter(point);
    if (!entered.has_value()) return std::unexpected(entered.error());
    point.resource = *entered;
    resource_of_.emplace(point.value.raw().data(), point.resource);
    push_schemas(point, waiting);
  }
  return {};
}

/// The resource of the schema, which the schema may begin itself. Also stores the schema's names.
SchemaResult<std::uint32_t> SchemaIndex::enter(SchemaPoint point) {
  const bool is_document = point.value.raw().data() == resources_[point.resource].root.raw().data();
  const SchemaDialect dialect =
      is_document ? dialect_of(point) : resources_[point.resource].dialect;
  // Until draft-07 a `$ref` hides all other keywords, except those about a whole document.
  const bool is_reference = dialect.is_until_draft_07() && has_ref(point.value);
  if (is_reference && !is_document) return point.resource;
  const std::string_view id = point.value.find(dialect.id_keyword()).text();
  if (dialect.is_until_draft_07() && id.size() > 1 && id.starts_with('#')) {
    if (auto taken = take_name(point.resource, id.substr(1), point.value); !taken) {
      return std::unexpected(std::move(taken).error());
    }
  } else if (!id.empty() || (is_document && point.value.find("$schema"))) {
    SchemaResult<std::uint32_t> begun = begin_resource(point, id);
    if (!begun.has_value()) return begun;
    point.resource = *begun;
  }
  take_recursive_anchor(point);
  if (dialect.is_until_draft_07()) return point.resource;
  for (const std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
    if (keyword == "$dynamicAnchor" && !dialect.is_2020_12()) continue;
    const std::string_view name = point.value.find(keyword).text();
    if (name.empty()) continue;
    if (auto taken = take_name(point.resource, name, point.value); !taken) {
      return std::unexpected(std::move(taken).error());
    }
  }
  const std::string_view name =
      dialect.is_2020_12() ? point.value.find("$dynamicAnchor").text() : std::string_view();
  if (!name.empty()) resources_[point.resource].dynamic_anchors.emplace(name, point.value);
  return point.resource;
}

/// The dialect that a document names, or that of the referring document, which also decides how the
/// name is read.
SchemaDialect SchemaIndex::dialect_of(SchemaPoint document) const {
  const SchemaDialect above = resources_[document.resource].dialect;
  const JsonValue named = document.value.find("$schema");
  return named ? find_dialect(named.text(), *documents_).value_or(above) : above;
}

/// In 2019-09 a whole resource can declare that the referring side resolves references to it.
void SchemaIndex::take_recursive_anchor(SchemaPoint point) {
  SchemaResource& resource = resources_[point.resource];
  const bool is_root = point.value.raw().data() == resource.root.raw().data();
  if (!is_root || !resource.dialect.is_2019_09()) return;
  if (!point.value.find(kRecursiveAnchor).boolean().value_or(false)) return;
  resource.dynamic_anchors.emplace(kRecursiveAnchor, point.value);
}

/// A reference could mean either of two schemas with one name, and another reader may choose the
/// other one. Copies mean the same.
SchemaResult<void> SchemaIndex::take_name(std::uint32_t resource, std::string_view name,
                                          JsonValue schema) {
  const auto [named, is_new] = resources_[resource].anchors.emplace(name, schema);
  if (is_new || is_equal(named->second, schema, budget_)) return {};
  return flawed(SchemaFlaw::invalid_keyword, pointer_to(whole(), schema),
                "another schema has this anchor, too: " + cut(name));
}

SchemaResult<std::uint32_t> SchemaIndex::begin_resource(SchemaPoint point, std::string_view id) {
  const SchemaResource& above = resources_[point.resource];
  const std::string_view keyword = point.value.find("$id") ? "$id" : "id";
  const auto resolved = resolve_uri(above.uri, id);
  if (!resolved.has_value() || !resolved->fragment.empty()) {
    return flawed(SchemaFlaw::invalid_keyword, pointer_to(whole(), point.value.find(keyword)),
                  "no URI reference without a fragment: " + cut(id));
  }
  SchemaResource resource{.uri = resolved->uri,
                          .root = point.value,
                          .dialect = above.dialect,
                          .anchors = {},
                          .dynamic_anchors = {}};
  if (const JsonValue named = point.value.find("$schema")) {
    const auto dialect = find_dialect(named.text(), *documents_);
    if (!dialect.has_value()) {
      return flawed(SchemaFlaw::unknown_dialect, pointer_to(whole(), named),
                    "no dialect that is known here: " + cut(named.text()));
    }
    resource.dialect = *dialect;
  }
  const std::uint32_t number = resources();
  const auto [known, is_new] = by_uri_.try_emplace(resource.uri, number);
  const JsonValue other = resources_[is_new ? point.resource : known->second].root;
  if (!is_new && !is_equal(other, point.value, budget_)) {
    return flawed(SchemaFlaw::invalid_keyword, pointer_to(whole(), point.value.find(keyword)),
                  "another schema has this name, too: " + cut(id));
  }
  known->second = number;
  resources_.push_back(std::move(resource));
  return number;
}

void SchemaIndex::push_schemas(SchemaPoint point, std::vector<SchemaPoint>& waiting) const {
  const SchemaDialect dialect = resources_[point.resource].dialect;
  const bool is_reference = dialect.is_until_draft_07() && has_ref(point.value);
  if (!point.value.is(JsonType::object) || is_reference) return;
  const auto push = [&](JsonValue value) {
    if (value.is(JsonType::object) || value.is(JsonType::boolean))
      waiting.push_back({value, point.resource});
  };
  for (const JsonValue member : point.value) {
    switch (schema_place(member.key(), dialect)) {
      case SchemaPlace::none:
        break;
      case SchemaPlace::one:
        push(member);
        break;
      case SchemaPlace::one_or_list:
        push(member);
        [[fallthrough]];
      case SchemaPlace::list:
        if (!member.is(JsonType::array)) break;
        for (const JsonValue schema : member)
          push(schema);
        break;
      case SchemaPlace::map:
      case SchemaPlace::map_of_schemas_or_lists:
        if (!member.is(JsonType::object)) break;
        for (const JsonValue schema : member)
          push(schema);
        break;
    }
  }
}

std::uint32_t SchemaIndex::resource_of(JsonValue schema, std::uint32_t above) const {
  const auto found = resource_of_.find(schema.raw().data());
  return found == resource_of_.end() ? above : found->second;
}

SchemaResult<std::uint32_t> SchemaIndex::find_resource(const std::string& uri) {
  const auto found = by_uri_.find(uri);
  if (found != by_uri_.end()) return found->second;
  const JsonValue document = documents_->find(uri);
  if (!document) {
    return flawed(SchemaFlaw::external_reference, "");
  }
  // A document without a dialect has that of the referring one.
  const SchemaDialect dialect = resources_[root_.resource].dialect;
  SchemaResult<std::uint32_t> added = add_document(uri, document, dialect);
  if (!added.has_value()) return added;
  // Its own `$id` or `$schema` may have begun another resource.
  const std::uint32_t number = resource_of(document, *added);
  by_uri_.insert_or_assign(uri, number);
  return number;
}

SchemaResult<SchemaPoint> SchemaIndex::resolve(SchemaPoint from, std::string_view reference) {
  const auto resolved = resolve_uri(resources_[from.resource].uri, reference);
  if (!resolved.has_value()) {
    return flawed(SchemaFlaw::unresolved_reference, "", "no URI reference: " + cut(reference));
  }
  const SchemaResult<std::uint32_t> resource = find_resource(resolved->uri);
  if (!resource.has_value()) {
    SchemaError error = resource.error();
    if (error.detail.empty()) error.detail = "nothing is fetched: " + cut(reference);
    return std::unexpected(std::move(error));
  }
  SchemaResult<SchemaPoint> found =
      find_in({resources_[*resource].root, *resource}, resolved->fragment);
  if (budget_.is_spent()) {
    return flawed(SchemaFlaw::too_large, "", "its references pass too many values on their way");
  }
  if (!found.has_value()) {
    return flawed(SchemaFlaw::unresolved_reference, "", "leads to nothing: " + cut(reference));
  }
  // A place that no keyword marks as a schema may still be one.
  if (!resource_of_.contains(found->value.raw().data())) {
    if (SchemaResult<void> done = visit_all(*found); !done.has_value()) {
      return std::unexpected(std::move(done).error());
    }
    found->resource = resource_of(found->value, found->resource);
  }
  return found;
}

SchemaResult<SchemaPoint> SchemaIndex::find_in(SchemaPoint root, const std::string& fragment) {
  if (fragment.empty()) return root;
  if (fragment.starts_with('/')) return follow(root, fragment);
  const auto& anchors = resources_[root.resource].anchors;
  const auto anchor = anchors.find(fragment);
  if (anchor == anchors.end()) return flawed(SchemaFlaw::unresolved_reference, "");
  return SchemaPoint{anchor->second, root.resource};
}

/// Follows a JSON pointer, through all resources on its way.
SchemaResult<SchemaPoint> SchemaIndex::follow(SchemaPoint from, std::string_view pointer) {
  while (!pointer.empty() && budget_.take(from.value.size())) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    from.value = from.value.at_pointer(pointer.substr(0, end));
    if (!from.value) return flawed(SchemaFlaw::unresolved_reference, "");
    from.resource = resource_of(from.value, from.resource);
    pointer.remove_prefix(end);
  }
  return from;
}

}  // namespace bartizan
