#include "gateway/command/command_roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include "audit/chain_files.h"
#include "audit/digest.h"
#include "audit/file_name.h"
#include "audit/find_hash.h"
#include "audit/follow_chain.h"
#include "audit/verify.h"
#include "gateway/command/command_audit.h"
#include "gateway/process/read_file.h"

namespace bartizan {
namespace {

/// An existing record.
struct FoundRecord {
  std::string path;
  std::string chain;
  AuditVerdict verdict;
};

/// The report on one gateway.
struct Line {
  std::string name;
  std::string state;
  bool is_good = false;
};

/// Chain → name. Reports an invalid line and returns nothing.
std::optional<std::map<std::string, std::string>> read_roster(const std::string& path,
                                                              const CommandOutput& output) {
  const auto text = read_file(path);
  if (!text.has_value()) {
    refuse_audit(output, text.error().detail);
    return std::nullopt;
  }
  std::istringstream file(*text);
  std::map<std::string, std::string> names;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream words(line);
    std::string name;
    std::string chain;
    std::string more;
    if (!(words >> name) || name.starts_with('#')) continue;
    const bool is_entry = (words >> chain) && !(words >> more) && parse_hex(chain).has_value();
    if (!is_entry) {
      refuse_audit(output, fmt::format("{}:{}: write NAME and CHAIN, 64 digits of hexadecimal",
                                       path, number));
      return std::nullopt;
    }
    if (!names.emplace(chain, name).second) {
      refuse_audit(output, fmt::format("{}:{}: this chain is listed twice", path, number));
      return std::nullopt;
    }
  }
  return names;
}

/// The newest files of chains: those without the name of a closed file.
std::vector<std::string> find_records_in(const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::error_code error;
  const auto add = [&found](const fs::path& path) {
    if (path.extension() != ".jsonl") return;
    std::error_code ignored;
    if (!fs::is_regular_file(fs::symlink_status(path, ignored))) return;
    const std::string name = path.filename();
    // `audit-20261121T120000Z-000000000001.jsonl` belongs to `audit.jsonl` beside it.
    const std::size_t dash = name.find('-');
    const bool is_closed =
        dash != name.npos &&
        rotated_sequence((path.parent_path() / (name.substr(0, dash) + ".jsonl")).string(), name);
    if (!is_closed) found.push_back(path);
  };
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (!entry.is_directory(error)) {
        add(entry.path());
        continue;
      }
      std::error_code ignored;
      for (const auto& below : fs::directory_iterator(entry.path(), ignored))
        add(below.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

/// Whether the shorter record is a prefix of the other.
bool is_copy(const FoundRecord& one, const FoundRecord& other) {
  const bool is_shorter = one.verdict.head.sequence <= other.verdict.head.sequence;
  const FoundRecord& small = is_shorter ? one : other;
  const FoundRecord& large = is_shorter ? other : one;
  const Result<Hash> hash = find_hash(large.path, small.verdict.head.sequence);
  return hash.has_value() && *hash == small.verdict.head.hash;
}

std::string state_of(const FoundRecord& record) {
  const std::string head = "head " + record.verdict.head.text();
  if (record.verdict.intact) return fmt::format("chain ok, {}, {}", head, record.path);
  return fmt::format("chain BROKEN, {}", record.verdict.first_problem);
}

std::vector<Line> compare(const std::map<std::string, std::string>& names,
                          const std::vector<FoundRecord>& records) {
  std::vector<Line> lines;
  for (const auto& [chain, name] : names) {
    std::vector<const FoundRecord*> its;
    for (const FoundRecord& record : records) {
      if (record.chain == chain) its.push_back(&record);
    }
    if (its.empty()) {
      lines.push_back({name, "MISSING: there is no record of this chain"});
      continue;
    }
    const auto broken =
        std::ranges::find_if_not(its, [](const FoundRecord* one) { return one->verdict.intact; });
    if (broken != its.end()) {
      lines.push_back({name, (*broken)->path + ": " + state_of(**broken)});
      continue;
    }
    const FoundRecord& longest = **std::ranges::max_element(
        its, {}, [](const FoundRecord* one) { return one->verdict.head.sequence; });
    const auto other = std::ranges::find_if_not(
        its, [&](const FoundRecord* one) { return is_copy(longest, *one); });
    if (other != its.end()) {
      lines.push_back(
          {name, fmt::format("FORKED: {} and {} have the same beginning and differ later",
                             longest.path, (*other)->path)});
      continue;
    }
    lines.push_back({name, state_of(longest), longest.verdict.intact});
  }
  for (const FoundRecord& record : records) {
    if (names.contains(record.chain)) continue;
    lines.push_back({record.path, "UNKNOWN: the roster has no chain " + record.chain});
  }
  return lines;
}

}  // namespace

int verify_roster(const RosterOptions& options, const CommandOutput& output) {
  if (options.folders.empty()) {
    return refuse_audit(output, "name the folders that hold the records", kExitUsage);
  }
  const auto names = read_roster(options.file, output);
  if (!names) return kExitFailed;
  for (const std::string& folder : options.folders) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      return refuse_audit(
          output,
          folder + " is not a folder: with --roster, name the folders that hold the records");
    }
  }
  std::vector<FoundRecord> records;
  for (const std::string& path : find_records_in(options.folders)) {
    const Result<std::string> chain = find_chain_name(path);
    if (!chain.has_value()) {
      output.problems << "bartizan audit: " << path << ": " << chain.error().detail << '\n';
      continue;
    }
    records.push_back({path, *chain, verify_audit(chain_paths(path), std::nullopt)});
  }
  const std::vector<Line> lines = compare(*names, records);
  const bool is_good = std::ranges::all_of(lines, &Line::is_good);
  if (output.format == OutputFormat::json) {
    std::vector<JsonObject> objects;
    for (const Line& line : lines) {
      objects.emplace_back().add("name", line.name);
      objects.back().add_flag("ok", line.is_good);
      objects.back().add("state", line.state);
    }
    JsonObject json;
    json.add_flag("ok", is_good);
    json.add("records", objects);
    output.results << json.text() << '\n';
  } else {
    for (const Line& line : lines)
      output.results << fmt::format("{}: {}\n", visible(line.name), visible(line.state));
  }
  return finish(output, is_good ? kExitDone : kExitFailed);
}

}  // namespace bartizan
