#pragma once

#include <string>
#include <vector>

#include "schemas/base/result.h"

namespace bartizan {

/// One key of the configuration, as `config.schema.json` describes it.
struct KeyReference {
  std::string key;
  std::string type;          ///< `duration`, `list of text`, `"watch" or "signal"`.
  std::string fallback;      ///< What holds without it; empty for nothing, `required` for a must.
  std::string example = {};  ///< As TOML.
  std::string text = {};     ///< What it means.
};

/// A table and its own keys. Tables below it are entries of their own.
struct TableReference {
  std::string name;  ///< `listen.tls`, `rule.NAME.when`; empty for the top of the file.
  std::string text;
  std::vector<KeyReference> keys = {};
};

/// All tables in the order of the schema that the program was built with. One that the schema
/// repeats by reference is described once.
/// Errors: those of reading JSON, for a schema that is none: the program was built wrongly.
Result<std::vector<TableReference>> config_reference();

/// The page `docs/reference.md`. Ends with a line end.
std::string reference_page(const std::vector<TableReference>& tables);
/// bartizan.toml(5), in the man macros. Source: man(7).
std::string reference_manual(const std::vector<TableReference>& tables);

}  // namespace bartizan
