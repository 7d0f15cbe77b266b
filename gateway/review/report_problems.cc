#include "gateway/review/report_problems.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "gateway/process/read_file.h"
#include "gateway/runtime/version.h"
#include "policy/definition/definition_secrets.h"
#include "policy/text/printable.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

std::string_view word(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

/// Removes a number and the colon before it from the end of a text; 0 if there is none.
std::uint32_t take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return 0;
  const std::string_view digits = text.substr(colon + 1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return 0;
  text = text.substr(0, colon);
  return number;
}

/// The message, the hint and the example, without the place.
std::string message_of(const ConfigProblem& problem) {
  std::string message = problem.message;
  if (!problem.hint.empty()) message += "; " + problem.hint;
  if (!problem.example.empty()) message += "; for example " + problem.example;
  return message;
}

/// Lines of files. Reads each file once.
class SourceLines {
 public:
  /// Nothing if the line does not exist, is long, or may have a secret.
  std::optional<std::string> find(const ProblemPlace& place) {
    constexpr std::size_t kColumnsMax = 160;
    if (place.line == 0) return std::nullopt;
    const auto [file, is_new] = files_.try_emplace(std::string(place.file));
    if (is_new) file->second = read_file(file->first).value_or("");
    std::string_view text = file->second;
    for (std::uint32_t line = 1; line < place.line; ++line) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return std::nullopt;
      text.remove_prefix(end + 1);
    }
    text = text.substr(0, text.find('\n'));
    if (text.ends_with('\r')) text.remove_suffix(1);
    std::string line(text);
    std::ranges::replace(line, '\t', ' ');
    const bool is_shown = !line.empty() && line.size() <= kColumnsMax && printable(line) == line &&
                          without_secrets(line) == line;
    return is_shown ? std::optional(std::move(line)) : std::nullopt;
  }

 private:
  std::map<std::string, std::string> files_;
};

std::string coloured(const ConfigProblem& problem) {
  const bool is_error = problem.severity == Severity::error;
  return fmt::format("{}: {}{}:\x1b[0m {}", problem.where, is_error ? "\x1b[1;31m" : "\x1b[1;33m",
                     word(problem.severity), message_of(problem));
}

/// Escapes a text for a workflow command. `is_property`: before the `::`.
std::string github_text(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

/// Escapes a text for XML 1.0, in an attribute or between tags.
std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (byte >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

/// A message of SARIF.
std::string sarif_text(std::string_view text) {
  JsonObject message;
  message.add("text", text);
  return message.text();
}

JsonObject sarif_place(const ConfigProblem& problem) {
  const ProblemPlace place = place_of_problem(problem.where);
  JsonObject artifact;
  artifact.add("uri", place.file);
  JsonObject physical;
  physical.add_json("artifactLocation", artifact.text());
  if (place.line > 0) {
    JsonObject region;
    region.add("startLine", std::uint64_t{place.line});
    if (place.column > 0) region.add("startColumn", std::uint64_t{place.column});
    physical.add_json("region", region.text());
  }
  JsonObject location;
  location.add_json("physicalLocation", physical.text());
  return location;
}

}  // namespace

ProblemPlace place_of_problem(std::string_view where) {
  std::string_view file = where;
  const std::uint32_t last = take_number(file);
  std::string_view front = file;
  const std::uint32_t before = take_number(front);
  if (before > 0) return {.file = front, .line = before, .column = last};
  return {.file = file, .line = last, .column = 0};
}

void write_problems(std::span<const ConfigProblem> problems, const CommandOutput& output) {
  SourceLines lines;
  for (const ConfigProblem& problem : problems) {
    output.problems << (output.terminal.has_colour ? coloured(problem) : text(problem)) << '\n';
    if (!output.terminal.shows_source) continue;
    const ProblemPlace place = place_of_problem(problem.where);
    const auto line = lines.find(place);
    if (!line.has_value() || place.column > line->size() + 1) continue;
    output.problems << "  " << *line << '\n';
    if (place.column > 0) output.problems << std::string(place.column + 1, ' ') << "^\n";
  }
}

std::string sarif_report(std::string_view driver, std::span<const JsonObject> rules,
                         std::span<const JsonObject> results) {
  JsonObject component;
  component.add("name", driver);
  component.add("version", kVersion);
  component.add("rules", rules);
  JsonObject tool;
  tool.add_json("driver", component.text());
  JsonObject run;
  run.add_json("tool", tool.text());
  run.add("results", results);
  JsonObject sarif;
  sarif.add(
      "$schema",
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
  sarif.add("version", "2.1.0");
  sarif.add("runs", std::span<const JsonObject>(&run, 1));
  return sarif.text();
}

std::string problems_github(std::span<const ConfigProblem> problems) {
  std::string out;
  for (const ConfigProblem& problem : problems) {
    const ProblemPlace place = place_of_problem(problem.where);
    out += fmt::format("::{} ", word(problem.severity));
    if (!place.file.empty()) out += "file=" + github_text(place.file, true);
    if (place.line > 0) out += fmt::format(",line={}", place.line);
    if (place.column > 0) out += fmt::format(",col={}", place.column);
    out += "::" + github_text(message_of(problem), false) + "\n";
  }
  return out;
}

std::string problems_sarif(std::span<const ConfigProblem> problems,
                           std::span<const std::size_t> rule_of, std::span<const ReportRule> rules,
                           std::string_view command) {
  std::vector<JsonObject> results;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const ConfigProblem& problem = problems[i];
    JsonObject& result = results.emplace_back();
    result.add("ruleId", rules[rule_of[i]].id);
    result.add("ruleIndex", std::uint64_t{rule_of[i]});
    result.add("kind", "fail");
    result.add("level", word(problem.severity));
    result.add_json("message", sarif_text(message_of(problem)));
    if (problem.where.empty()) continue;
    const JsonObject place = sarif_place(problem);
    result.add("locations", std::span<const JsonObject>(&place, 1));
  }
  std::vector<JsonObject> descriptors;
  for (const ReportRule& rule : rules) {
    JsonObject& descriptor = descriptors.emplace_back();
    descriptor.add("id", rule.id);
    descriptor.add_json("shortDescription", sarif_text(rule.description));
  }
  return sarif_report(command, descriptors, results) + "\n";
}

std::string junit_report(std::string_view suite, std::span<const CheckedCase> cases) {
  const auto failures =
      std::ranges::count_if(cases, [](const CheckedCase& one) { return !one.failure.empty(); });
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
      xml_text(suite), cases.size(), failures);
  for (const CheckedCase& one : cases) {
    out += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", xml_text(suite),
                       xml_text(one.name));
    if (one.failure.empty() && one.note.empty()) {
      out += "/>\n";
      continue;
    }
    out += ">\n";
    if (!one.failure.empty()) {
      out += fmt::format("    <failure message=\"{}\"/>\n", xml_text(one.failure));
    }
    if (!one.note.empty()) out += "    <system-out>" + xml_text(one.note) + "</system-out>\n";
    out += "  </testcase>\n";
  }
  return out + "</testsuite>\n";
}

std::string problems_junit(std::span<const ConfigProblem> problems, std::string_view command,
                           std::string_view file, bool fails_on_warning) {
  std::vector<CheckedCase> cases;
  for (const ConfigProblem& problem : problems) {
    const bool fails = problem.severity == Severity::error || fails_on_warning;
    const std::string message = fmt::format("{}: {}", word(problem.severity), message_of(problem));
    cases.push_back({.name = problem.where.empty() ? std::string(file) : problem.where,
                     .failure = fails ? message : "",
                     .note = fails ? "" : message});
  }
  if (cases.empty()) cases.push_back({.name = std::string(file)});
  return junit_report(command, cases);
}

}  // namespace bartizan
