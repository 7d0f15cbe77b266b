#include "config/load/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "config/check_name.h"
#include "config/config_file.h"
#include "config/json_table.h"
#include "config/load/load_described_call.h"
#include "config/load/load_parts.h"
#include "config/load/lock_file.h"
#include "config/problems.h"
#include "config/table_reader.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using Decision = ExpectedAnswer::Decision;

constexpr std::array<std::pair<std::string_view, Decision>, 2> kDecisions{
    {{"permit", Decision::permit}, {"deny", Decision::deny}}};

ExpectedAnswer load_expected(TableReader& of) {
  ExpectedAnswer expected;
  if (!of.has("decision")) {
    of.problems().error(of.where(), "the case has no \"decision\"",
                        "write what is expected: decision = \"permit\" or \"deny\"");
  }
  expected.decision = of.choice<Decision>("decision", kDecisions).value_or(Decision::deny);
  expected.reason = of.text("reason").value_or("");
  expected.rule = of.text("rule").value_or("");
  expected.pointer = of.text("pointer").value_or("");
  const bool is_refused = expected.decision == Decision::deny;
  for (const std::string_view key : {"reason", "pointer"}) {
    if (is_refused || !of.has(key)) continue;
    of.problems().error(of.where(key), fmt::format("what is permitted has no {}", quote(key)));
  }
  return expected;
}

void add_tool(CaseFile& file, std::string name, const TomlEntry& entry, Problems& problems) {
  file.tools.insert_or_assign(
      std::move(name),
      DescribedTool{.entry = load_json_object(entry, problems), .where = entry.where});
}

CaseFile load_root(TableReader& root) {
  CaseFile file;
  Problems& problems = root.problems();
  check_version(root);
  DescribedFacts common;
  if (auto facts = root.table_of_kind("facts", "facts")) {
    common = load_described_facts(*facts, {});
    facts->finish();
  }
  if (const TomlEntry* tools = root.find("definition", TomlValue::Type::table)) {
    for (const TomlEntry& tool : tools->value.entries)
      add_tool(file, tool.key, tool, problems);
  }
  for (auto& [name, table] : root.named_tables("case")) {
    check_name(name, "case", problems);
    PolicyCase& one = file.cases.emplace_back();
    one.name = name.value;
    one.where = name.where;
    one.call = load_described_call(table, common);
    one.expected = load_expected(table);
    table.finish();
  }
  std::ranges::sort(file.cases, {}, [](const PolicyCase& one) {
    return std::pair(one.where.line, one.where.column);
  });
  root.finish();
  return file;
}

CaseFile finish(CaseFile file, const Problems& problems) {
  file.files = problems.files();
  file.problems = problems.sorted();
  return file;
}

CaseFile load_text(std::string_view text, Problems& problems) {
  const auto parsed = parse_toml(text, 0);
  if (!parsed) {
    problems.error(parsed.error().where, parsed.error().message);
    return finish({}, problems);
  }
  TableReader root(*parsed, "cases", "", {.file = 0, .line = 1, .column = 1}, problems);
  return finish(load_root(root), problems);
}

}  // namespace

CaseFile load_cases(const std::filesystem::path& file) {
  Problems problems;
  problems.add_file(file.string());
  const auto bytes = read_config_file(file, kConfigFileBytesMax, {}, problems);
  return bytes ? load_text(*bytes, problems) : finish({}, problems);
}

CaseFile load_cases_text(std::string_view text, const std::string& name) {
  Problems problems;
  problems.add_file(name);
  return load_text(text, problems);
}

CaseFile with_pinned(CaseFile file, const Config& config) {
  if (config.pins.file.empty()) return file;
  Problems problems;
  problems.add_file(config.pins.file);
  const auto bytes = read_config_file(config.pins.file, limits::lock_bytes_max, {}, problems);
  for (ConfigProblem& problem : problems.sorted())
    file.problems.push_back(std::move(problem));
  for (auto& [name, entry] : pinned_definitions(bytes.value_or("")))
    file.tools.try_emplace(name, DescribedTool{.entry = entry});
  return file;
}

CaseFile read_call_json(std::string_view text, const std::string& name) {
  Problems problems;
  problems.add_file(name);
  CaseFile file;
  const std::optional<TomlValue> table = json_table(text, problems);
  if (!table.has_value()) return finish({}, problems);
  TableReader call(*table, "call", {.file = 0, .line = 1, .column = 1}, problems);
  PolicyCase& one = file.cases.emplace_back();
  one.call = load_described_call(call, {});
  if (const TomlEntry* definition = call.find("definition")) {
    add_tool(file, fmt::format("{}/{}", one.call.server, one.call.target), *definition, problems);
  }
  call.finish();
  return finish(std::move(file), problems);
}

}  // namespace bartizan
