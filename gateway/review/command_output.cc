#include "gateway/review/command_output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "gateway/runtime/clock.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

std::string as_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = read_utf8(text).size;
    if (size == 0) {
      clean += "\xEF\xBF\xBD";
    } else {
      clean += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return clean;
}

/// Writes `[…]` with the elements that `append` writes.
template <class Value, class Append>
void append_list(std::string& out, std::span<const Value> values, Append append) {
  out += '[';
  for (const Value& value : values) {
    if (&value != values.data()) out += ',';
    append(value);
  }
  out += ']';
}

}  // namespace

Terminal terminal_of(int descriptor) {
  if (::isatty(descriptor) != 1) return {};
  const char* declined = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  const char* kind = std::getenv("TERM");          // NOLINT(concurrency-mt-unsafe)
  const bool is_dumb = kind == nullptr || std::string_view(kind) == "dumb";
  const bool is_declined = declined != nullptr && declined[0] != '\0';
  return {.shows_source = true, .has_colour = !is_dumb && !is_declined};
}

void JsonObject::begin(std::string_view name) {
  if (!members_.empty()) members_ += ',';
  append_json_string(members_, name);
  members_ += ':';
}

void JsonObject::add(std::string_view name, std::string_view text) {
  begin(name);
  append_json_string(members_, as_utf8(text));
}

void JsonObject::add(std::string_view name, std::uint64_t number) {
  begin(name);
  members_ += std::to_string(number);
}

void JsonObject::add_flag(std::string_view name, bool is_set) {
  begin(name);
  members_ += is_set ? "true" : "false";
}

void JsonObject::add(std::string_view name, std::span<const std::string> texts) {
  begin(name);
  append_list(members_, texts,
              [this](const std::string& text) { append_json_string(members_, as_utf8(text)); });
}

void JsonObject::add(std::string_view name, std::span<const JsonObject> objects) {
  begin(name);
  append_list(members_, objects, [this](const JsonObject& object) { members_ += object.text(); });
}

void JsonObject::add_json(std::string_view name, std::string_view json) {
  begin(name);
  members_ += json;
}

std::vector<JsonObject> problems_json(std::span<const ConfigProblem> problems) {
  std::vector<JsonObject> all;
  all.reserve(problems.size());
  for (const ConfigProblem& problem : problems) {
    JsonObject& json = all.emplace_back();
    const bool is_error = problem.severity == ConfigProblem::Severity::error;
    json.add("severity", is_error ? "error" : "warning");
    json.add("where", problem.where);
    json.add("message", problem.message);
    if (!problem.hint.empty()) json.add("hint", problem.hint);
    if (!problem.example.empty()) json.add_json("example", problem.example);
  }
  return all;
}

std::int64_t command_time() {
  const auto now = system_now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

int finish(const CommandOutput& output, int exit_code) {
  errno = 0;
  output.results.flush();
  if (output.results) return exit_code;
  if (errno != EPIPE) output.problems << "bartizan: the result could not be written\n";
  return kExitFailed;
}

}  // namespace bartizan
