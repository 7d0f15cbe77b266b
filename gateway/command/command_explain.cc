#include "gateway/command/command_explain.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/chain.h"
#include "audit/chain_files.h"
#include "audit/decode_record.h"
#include "audit/encode_record.h"
#include "audit/verify.h"
#include "config/check_name.h"
#include "config/config_file.h"
#include "config/load/load_config.h"
#include "config/problems.h"
#include "gateway/command/explain_predicate.h"
#include "gateway/command/format_trace.h"
#include "gateway/command/read_arguments.h"
#include "gateway/command/read_moment.h"
#include "gateway/record/read_capture.h"
#include "policy/explain/explain_call.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

int refuse(const CommandOutput& output, const std::vector<ConfigProblem>& problems) {
  for (const ConfigProblem& problem : problems)
    output.problems << text(problem) << '\n';
  return kExitFailed;
}

/// Reads at most one byte more than the largest call.
std::string read_all(std::istream& input) {
  std::string all;
  std::array<char, 16384> block{};
  while (input && all.size() <= limits::request_bytes_max) {
    input.read(block.data(), block.size());
    all.append(block.data(), static_cast<std::size_t>(input.gcount()));
  }
  return all;
}

CaseFile read_call(const std::string& asked, std::istream& input) {
  if (asked == "-") return read_call_json(read_all(input), "standard input");
  Problems problems;
  problems.add_file(asked);
  const auto bytes = read_config_file(asked, limits::request_bytes_max, {}, problems);
  if (bytes.has_value()) return read_call_json(*bytes, asked);
  return {.problems = problems.sorted()};
}

CaseFile no_call(const std::string& where, std::string message);

/// The call on the command line.
CaseFile described_call(const ExplainOptions& options, const Config& config) {
  const std::string place = "the command line";
  const std::size_t slash = options.asked.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == options.asked.size()) {
    return no_call(place, fmt::format("{} is not SERVER/TOOL: with --as, write for example "
                                      "files/read_file path=a.md",
                                      quote(options.asked)));
  }
  const auto arguments = read_arguments(options.arguments);
  if (!arguments.has_value()) return no_call(place, arguments.error());
  JsonObject call;
  if (config.principals.contains(options.as)) {
    call.add("principal", options.as);
  } else if (config.roles.contains(options.as)) {
    call.add("roles", std::vector{options.as});
  } else {
    const std::string hint = hint_near(options.as, names_of(config.principals));
    return no_call(place, fmt::format("the policy has no principal and no role {}{}{}",
                                      quote(options.as), hint.empty() ? "" : "; ", hint));
  }
  call.add("tool", options.asked);
  call.add_json("arguments", arguments->empty() ? std::string("{}") : *arguments);
  return read_call_json(call.text(), place);
}

CaseFile no_call(const std::string& where, std::string message) {
  Problems problems;
  problems.add_file(where);
  problems.error({.file = 0}, std::move(message));
  return {.problems = problems.sorted()};
}

/// The captured call of a decision, and the tool's definition as its server listed it.
CaseFile find_captured(const std::string& capture_file, const std::string& id) {
  const Result<Capture> capture = read_capture(capture_file);
  if (!capture.has_value()) return no_call(capture_file, capture.error().detail);
  const CapturedCall* found = nullptr;
  for (const Capture::Run& run : capture->runs) {
    for (const CapturedCall& call : run.calls) {
      if (!call.decision_id.starts_with(id)) continue;
      if (found != nullptr) {
        return no_call(capture_file, fmt::format("several decision ids begin with {}", quote(id)));
      }
      found = &call;
    }
  }
  if (found == nullptr) {
    return no_call(capture_file, fmt::format("it has no call with the decision id {}", quote(id)));
  }
  CaseFile file{.files = {capture_file},
                .cases = {{.name = found->decision_id, .call = found->call}}};
  const auto definition = capture->definitions.find(found->definition);
  if (definition != capture->definitions.end()) {
    file.tools[fmt::format("{}/{}", found->call.server, found->call.target)] = {
        .entry = definition->second};
  }
  return file;
}

/// Puts the time of the command line in the place of the call's own. False, with the reason said,
/// where it is no time.
bool set_time(const ExplainOptions& options, CaseFile& file, const CommandOutput& output) {
  if (options.time.empty()) return true;
  const auto moment = read_moment(options.time, command_time());
  if (!moment) {
    output.problems << fmt::format("bartizan explain: {} is not a time: write {}\n",
                                   quote(options.time), kMomentHint);
    return false;
  }
  const std::chrono::microseconds since(*moment);
  for (PolicyCase& one : file.cases)
    one.call.facts.time = std::chrono::floor<std::chrono::seconds>(since).count();
  return true;
}

int explain_described(const ExplainOptions& options, std::istream& input,
                      const CommandOutput& output) {
  const LoadedConfig loaded = load_config(options.policy);
  if (!loaded.usable()) return refuse(output, loaded.problems);
  CaseFile asked = !options.as.empty()       ? described_call(options, loaded.config)
                   : options.capture.empty() ? read_call(options.asked, input)
                                             : find_captured(options.capture, options.asked);
  if (!set_time(options, asked, output)) return kExitUsage;
  const CaseFile file = with_pinned(std::move(asked), loaded.config);
  if (!file.problems.empty()) return refuse(output, file.problems);
  const auto explained = explain_call(loaded.config, file, command_time());
  if (!explained.has_value()) return refuse(output, explained.error());
  const DescribedCall& call = file.cases.front().call;
  switch (output.format) {
    case OutputFormat::text:
      write_trace(call, *explained, output);
      break;
    case OutputFormat::json:
      output.results << trace_json(call, *explained).text() << '\n';
      break;
  }
  return finish(output, kExitDone);
}

/// A recorded decision, and its call as far as it is known.
struct RecordedCall {
  std::string call;                       ///< JSON in the form of `read_call_json`.
  std::vector<std::string> missing = {};  ///< Required facts that are not recorded.
  std::string policy = {};                ///< Digest of the policy that decided.
};

/// The key of a target in a description; empty if the call has only a method.
std::string_view target_key(const Record& record) {
  if (record.server.empty() || record.target.empty()) return {};
  if (record.method == "tools/call") return "tool";
  if (record.method.starts_with("prompts/")) return "prompt";
  return record.method.starts_with("resources/") ? std::string_view("resource")
                                                 : std::string_view();
}

/// The address without its port: `10.0.0.7:4711`, `[::1]:4711`. Empty if it is not an address.
std::string_view address_in(std::string_view source) {
  const std::size_t colon = source.rfind(':');
  if (colon == std::string_view::npos || source.starts_with("uid:")) return {};
  std::string_view address = source.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  return address;
}

JsonObject facts_of(const Record& record) {
  JsonObject facts;
  const auto time = time_text(record.time);
  facts.add("time", std::string_view(time.data(), time.size()));
  for (const auto& [name, transport] : kTransportNames) {
    if (record.transport == name) facts.add("transport", name);
  }
  if (!record.endpoint.empty()) facts.add("endpoint", record.endpoint);
  const std::string_view address = address_in(record.source);
  if (!address.empty()) facts.add("client_address", address);
  if (!record.protocol.empty()) facts.add("revision", record.protocol);
  return facts;
}

RecordedCall recorded_call(const Record& record) {
  RecordedCall recorded{.policy = std::string(record.policy)};
  JsonObject call;
  call.add("principal", record.principal);
  const std::string_view key = target_key(record);
  const std::string_view between = key == "resource" ? ":" : "/";
  if (!key.empty()) call.add(key, fmt::format("{}{}{}", record.server, between, record.target));
  if (key.empty() || key == "resource") call.add("method", record.method);
  if (key == "tool" || key == "prompt") {
    call.add_json("arguments", "{}");
    recorded.missing.push_back(
        record.argument_digest.empty()
            ? std::string("the arguments")
            : fmt::format("the arguments, of which the record has the digest {}",
                          record.argument_digest));
  }
  if (key == "tool") recorded.missing.emplace_back("the definition that the server listed");
  if (!record.addresses.empty()) {
    recorded.missing.push_back(
        fmt::format("the names in its URLs, which the record has only as addresses: {}; write them "
                    "into facts, addresses = {{ NAME = [ADDRESS] }}",
                    fmt::join(record.addresses, ", ")));
  }
  if (told_argument(record.detail).outside != OutsideRefusal::none ||
      record.reason == text(Reason::path_unresolved)) {
    recorded.missing.emplace_back("further answers of the disk, for places and contents in facts");
  }
  if (key.empty()) recorded.missing.emplace_back("the params of the request");
  call.add_json("facts", facts_of(record).text());
  recorded.call = call.text();
  return recorded;
}

/// The call from the decision's first record with one.
std::optional<RecordedCall> find_recorded(const std::vector<std::string>& files,
                                          const std::string& id) {
  std::optional<RecordedCall> recorded;
  find_records(files, id, [&recorded](std::string_view line) {
    const auto parts = split_chain_line(line);
    if (recorded.has_value() || !parts) return;
    RecordReader reader;
    const auto record = reader.read(parts->body);
    if (!record.has_value() || (*record)->kind != RecordKind::decision) return;
    recorded = recorded_call(**record);
  });
  return recorded;
}

/// Whether the current policy is the one that decided; empty if none is named.
std::string compare_policies(const ExplainOptions& options, const RecordedCall& recorded,
                             const CommandOutput& output) {
  if (options.policy.empty()) return {};
  const LoadedConfig loaded = load_config(options.policy);
  if (!loaded.usable()) {
    refuse(output, loaded.problems);
    return {};
  }
  return loaded.config.digest == recorded.policy
             ? fmt::format("{} is the policy that decided", options.policy)
             : fmt::format("{} is not the policy that decided", options.policy);
}

void write_recorded(const ExplainOptions& options, const RecordedCall& recorded,
                    const CommandOutput& output) {
  if (output.format == OutputFormat::json) {
    JsonObject json;
    json.add_json("call", recorded.call);
    json.add("policy", recorded.policy);
    json.add("missing", recorded.missing);
    output.results << json.text() << '\n';
    return;
  }
  output.results << "\nmissing for deciding the call again:\n";
  for (const std::string& missing : recorded.missing)
    output.results << "  " << missing << '\n';
  const std::string compared = compare_policies(options, recorded, output);
  if (!compared.empty()) output.results << compared << '\n';
  output.results << "the call from the record, for bartizan explain --policy FILE -\n"
                 << recorded.call << '\n';
}

/// The grounds of a decision are not recorded, only its result.
int explain_recorded(const ExplainOptions& options, const CommandOutput& output) {
  if (output.format == OutputFormat::text) {
    const int shown = show_record({.id = options.asked, .record = options.record}, output);
    if (shown != kExitDone) return shown;
  }
  const auto named = record_files(options.record, output);
  if (!named) return kExitFailed;
  const auto recorded =
      find_recorded(named->size() == 1 ? chain_paths(named->front()) : *named, options.asked);
  if (!recorded.has_value()) {
    output.problems << "bartizan explain: no decision about a call has that id\n";
    return kExitFailed;
  }
  write_recorded(options, *recorded, output);
  return finish(output, kExitDone);
}

}  // namespace

int explain(const ExplainOptions& options, std::istream& input, const CommandOutput& output) {
  return options.record.files.empty() ? explain_described(options, input, output)
                                      : explain_recorded(options, output);
}

}  // namespace bartizan
