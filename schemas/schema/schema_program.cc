#include "schemas/schema/schema_program.h"

#include <re2/re2.h>

namespace bartizan {

SchemaProgram::SchemaProgram() = default;
SchemaProgram::~SchemaProgram() = default;

std::size_t CompiledSchema::memory() const {
  std::size_t bytes = sizeof *this;
  if (number != nullptr)
    bytes += sizeof *number + number->bounds.size() * sizeof(NumberRules::Bound);
  if (string != nullptr) bytes += sizeof *string;
  if (array != nullptr) bytes += sizeof *array + array->prefix.size() * sizeof(SchemaNumber);
  if (object != nullptr) {
    bytes += sizeof *object + object->patterns.size() * sizeof(ObjectRules::Pattern) +
             object->table.memory();
  }
  if (in_place != nullptr) {
    const std::size_t applied = in_place->all.size() + in_place->any.size() + in_place->one.size();
    bytes += sizeof *in_place + applied * sizeof(SchemaNumber);
  }
  if (values != nullptr) bytes += sizeof *values + values->one.memory() + values->listed.memory();
  return bytes;
}

std::uint32_t PropertyTable::insert(std::string_view name) {
  const std::uint32_t entry = names_.insert(name);
  if (entry == entries_.size()) entries_.emplace_back();
  return entry;
}

std::size_t PropertyTable::memory() const {
  std::size_t bytes = names_.memory() + entries_.size() * sizeof(Entry);
  for (const Entry& entry : entries_)
    bytes += entry.needs.size() * sizeof(std::uint32_t);
  return bytes;
}

std::size_t Choices::memory() const {
  return texts.memory() + others.size() * sizeof(JsonValue);
}

void Choices::add(JsonValue value) {
  if (value.is(JsonType::string)) {
    texts.insert(value.text());
  } else {
    others.push_back(value);
  }
}

}  // namespace bartizan
