#include "schemas/schema/folded_properties.h"

#include <algorithm>

#include "schemas/json/folded_name.h"

namespace bartizan {

FoldedProperties::FoldedProperties(const SchemaProgram& program) {
  for (const CompiledSchema& schema : program.schemas) {
    if (schema.object == nullptr) continue;
    const PropertyTable& table = schema.object->table;
    for (std::uint32_t i = 0; i < table.size(); ++i)
      add(table.name(i));
  }
}

void FoldedProperties::add(std::string_view name) {
  std::string_view form = name;
  if (!is_folded(name)) form = forms_.emplace_back(folded_name(name));
  const std::uint32_t number = folded_.insert(form);
  if (number == names_.size()) names_.emplace_back();
  std::vector<std::string_view>& names = names_[number];
  if (std::ranges::find(names, name) != names.end()) return;
  names.push_back(name);
  has_alike_ |= names.size() > 1;
}

std::span<const std::string_view> FoldedProperties::alike(std::string_view name) const {
  const std::uint32_t number =
      is_folded(name) ? folded_.find(name) : folded_.find(folded_name(name));
  if (number == NameTable::kNone) return {};
  return names_[number];
}

std::size_t FoldedProperties::memory() const {
  std::size_t bytes = folded_.memory();
  for (const std::string& form : forms_)
    bytes += sizeof form + form.capacity();
  for (const auto& names : names_)
    bytes += sizeof names + names.capacity() * sizeof(std::string_view);
  return bytes;
}

}  // namespace bartizan
