#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "policy/path/path.h"

/// What passes stays within its root for a plain reader, however it decodes and whatever it takes
/// for a separator; and whatever surely leads elsewhere is refused.

namespace {

using namespace bartizan;

constexpr std::string_view kRoot = "/srv/data";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                           hex_digit(text[i + 2]) >= 0;
    if (!is_escape) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
    i += 2;
  }
  return out;
}

/// Where a program that knows nothing of links would go, from a directory.
std::string resolved(std::string_view path, std::string_view from) {
  std::string whole = path.starts_with('/') ? "" : std::string(from) + "/";
  whole += path;
  std::vector<std::string> parts;
  std::string part;
  for (const char c : whole + "/") {
    if (c != '/') {
      part += c;
      continue;
    }
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
    part.clear();
  }
  std::string out;
  for (const std::string& one : parts)
    out += "/" + one;
  return out;
}

bool is_inside(std::string_view path) {
  const std::string place = resolved(path, kRoot);
  return place == kRoot || place.starts_with(std::string(kRoot) + "/");
}

/// All readings of 0 to 3 rounds, each with and without its backslashes as separators.
bool stays_inside(std::string_view path) {
  std::string reading(path);
  for (int round = 0; round <= 3; ++round) {
    std::string folded = reading;
    for (char& c : folded) {
      if (c == '\\') c = '/';
    }
    if (!is_inside(reading) || !is_inside(folded) || reading.contains('\0')) return false;
    reading = decoded(reading);
  }
  return true;
}

PathConfig config(bool is_strict) {
  PathConfig path{.root = std::string(kRoot)};
  if (!is_strict) return path;
  path.kind = PathConfig::Kind::file;
  path.extensions = {".md", ".txt"};
  path.refuse_hidden = true;
  path.deny = {"secrets/*"};
  path.folds_case = true;
  return path;
}

Reason judge(std::string_view path, const PathRules& rules) {
  ValueFacts facts{.cwd = kRoot};
  return judge_path(path, rules, facts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const PathRules plain = compile_path_rules(config(false));
  static const PathRules strict = compile_path_rules(config(true));
  if (size > 4096) return 0;
  const std::string_view path(reinterpret_cast<const char*>(data), size);
  const bool passes = judge(path, plain) == Reason::none;
  if (passes) require(stays_inside(path));
  // What leads elsewhere is refused, also below the root's own name.
  if (leads_elsewhere(path, plain, kRoot)) require(!passes && !is_inside(path));
  if (judge(path, strict) == Reason::none) {
    require(passes);
    const std::string place = resolved(path, kRoot);
    require(place.ends_with(".md") || place.ends_with(".txt"));
    require(!place.contains("/."));
    require(!place.starts_with(std::string(kRoot) + "/secrets/"));
  }
  // Below the root, a path that climbs out of it passes no more than the same elsewhere.
  const std::string below = std::string(kRoot) + "/" + std::string(path);
  if (judge(below, plain) == Reason::none) require(stays_inside(below));
  return 0;
}
