#include "config/schema_files.h"

#include <utility>

#include "config/config_file.h"
#include "schemas/base/limits.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

constexpr std::string_view kFile = "file:";

/// The absolute paths that the profiles name, each with its first mention.
NamedFiles find_schema_files(const TomlValue& root, const Problems& problems) {
  NamedFiles files;
  const TomlEntry* tools = find_entry(root, "tool");
  if (tools == nullptr) return files;
  for (const TomlEntry& profile : tools->value.entries) {
    const TomlEntry* schema = find_entry(profile.value, "schema");
    if (schema == nullptr) continue;
    if (auto path = named_schema_file(schema->value, problems)) {
      files.try_emplace(std::move(*path), schema->value.where);
    }
  }
  return files;
}

}  // namespace

std::optional<std::string> named_schema_file(const TomlValue& schema, const Problems& problems) {
  if (schema.type != Type::text || !schema.text.starts_with(kFile)) return std::nullopt;
  const std::string_view path = std::string_view(schema.text).substr(kFile.size());
  // A NUL would truncate the path in the kernel.
  if (path.empty() || path.contains('\0')) return std::nullopt;
  return absolute_path(path, problems.files().at(schema.where.file));
}

SchemaFiles read_schema_files(const TomlValue& root, std::size_t& bytes_left, Problems& problems) {
  constexpr FileBounds kBounds{.holding = "schemas",
                               .bytes_max = "256 KiB",
                               .size = SchemaOptions{}.bytes_max,
                               .count = limits::schema_files_max};
  return read_named_files(find_schema_files(root, problems), kBounds, bytes_left, problems);
}

void refuse_schema_files(const TomlValue& root, Problems& problems) {
  for (const auto& [path, where] : find_schema_files(root, problems)) {
    problems.error(where, "\"schema\" as \"file:PATH\" needs a file that it stands in");
  }
}

}  // namespace bartizan
