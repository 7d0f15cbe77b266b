#pragma once

#include <string>
#include <vector>

#include "schemas/base/result.h"

namespace bartizan {

/// One configuration key, from `config.schema.json`.
struct KeyReference {
  std::string key;
  std::string type;          ///< `duration`, `list of text`, `"watch" or "signal"`.
  std::string fallback;      ///< The default; empty: none; `required`: mandatory.
  std::string example = {};  ///< As TOML.
  std::string text = {};     ///< Its meaning.
};

/// A table and its own keys. Its sub-tables are separate entries.
struct TableReference {
  std::string name;  ///< `listen.tls`, `rule.NAME.when`; empty for the top of the file.
  std::string text;
  std::vector<KeyReference> keys = {};
};

/// All tables, in the order of the embedded schema. A table that the schema references repeatedly
/// is described once.
/// Errors: those of reading JSON, if the build embedded an invalid schema.
Result<std::vector<TableReference>> config_reference();

/// The page `docs/reference.md`. Ends with a line end.
std::string reference_page(const std::vector<TableReference>& tables);
/// bartizan.toml(5), in the man macros. Source: man(7).
std::string reference_manual(const std::vector<TableReference>& tables);

}  // namespace bartizan
