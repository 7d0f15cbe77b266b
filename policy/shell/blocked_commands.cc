#include "policy/shell/blocked_commands.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace bartizan {
namespace {

using Words = std::span<const ShellWord>;

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Programs that have no harmless use beside a tool.
bool is_destroyer(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"blkdiscard", "cfdisk", "fdisk", "gdisk", "halt", "init", "kexec", "mke2fs", "mkswap",
       "parted", "poweroff", "reboot", "sfdisk", "sgdisk", "shutdown", "telinit", "wipefs"});
  return contains(kNames, name) || name == "mkfs" || name.starts_with("mkfs.");
}

/// The components of a path without empty ones, `.`, and what `..` takes back.
struct Folded {
  static constexpr std::size_t kKept = 16;
  std::array<std::string_view, kKept> names = {};  ///< The first ones.
  std::size_t count = 0;
  bool climbs = false;  ///< A relative one that leads above where it starts.
};

Folded fold(std::string_view path) {
  const bool is_absolute = path.starts_with('/');
  Folded folded;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      if (folded.count == 0) folded.climbs = !is_absolute;
      if (folded.count > 0) --folded.count;
      continue;
    }
    if (folded.count < Folded::kKept) folded.names[folded.count] = name;
    ++folded.count;
  }
  return folded;
}

bool is_system_directory(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"Applications", "Library", "System", "Users", "bin",   "boot", "dev", "etc",
       "home",         "lib",     "lib32",  "lib64", "media", "mnt",  "opt", "proc",
       "root",         "run",     "sbin",   "srv",   "sys",   "usr",  "var"});
  return contains(kNames, name);
}

/// Whether everything below a word is the machine's, or somebody's home. `/*` and the like count as
/// the directory they are in.
bool is_precious(const ShellWord& word) {
  std::string_view path = word.text;
  // One of its parts could be anything, whatever stands in front: `{/,x}`, `x{,/../..}`.
  if (!word.is_known && path.contains('{')) return true;
  const std::size_t glob = path.find_first_of("*?[");
  const bool is_open = !word.is_known || glob != std::string_view::npos;
  path = path.substr(0, glob);
  // Nobody knows where it begins: a variable that may be empty, a home.
  if (is_open && path.empty()) return true;
  if (path.starts_with('~')) return fold(path).count <= 1;
  const Folded folded = fold(path);
  if (!path.starts_with('/')) return folded.climbs && folded.count == 0;
  if (folded.count == 0) return true;
  const bool has_homes = folded.names[0] == "home" || folded.names[0] == "Users";
  if (folded.count == 2 && has_homes) return true;
  if (folded.count > 1) return false;
  // `/v*` is what begins so.
  return is_system_directory(folded.names[0]) || (is_open && !path.ends_with('/'));
}

/// Whether a program's words have that option: `-R` in any bundle, `--recursive` or its beginning.
/// What stands behind `--` is none.
bool has_option(Words words, char letter, std::string_view name, std::size_t name_size_min) {
  for (const ShellWord& word : words.subspan(1)) {
    const std::string_view text = word.text;
    if (text == "--" && word.is_known) return false;
    if (text.starts_with("--")) {
      const std::string_view option = text.substr(2);
      if (option.size() >= name_size_min && name.starts_with(option)) return true;
    } else if (text.starts_with('-') && letter != '\0' && text.contains(letter)) {
      return true;
    }
  }
  return false;
}

bool names_precious(Words words) {
  return std::ranges::any_of(words.subspan(1), [](const ShellWord& word) {
    return !word.text.starts_with('-') && is_precious(word);
  });
}

bool is_either(char c, char one, char other) {
  return c == one || c == other;
}

/// Whether a word that could be any option stands beside a directory that is precious for certain.
bool may_name_precious(Words words) {
  const auto may_be_option = [](const ShellWord& word) {
    return !word.is_known && (word.text.empty() || is_either(word.text.front(), '-', '{'));
  };
  return std::ranges::any_of(words.subspan(1), may_be_option) &&
         std::ranges::any_of(words.subspan(1), [](const ShellWord& word) {
           return !word.text.empty() && is_either(word.text.front(), '/', '{') && is_precious(word);
         });
}

bool has_word(Words words, std::string_view text) {
  return std::ranges::any_of(words.subspan(1),
                             [text](const ShellWord& word) { return word.text == text; });
}

bool removes_too_much(std::string_view name, Words words) {
  if (name == "rm") {
    if (has_option(words, '\0', "no-preserve-root", 4)) return true;
    const bool is_recursive =
        has_option(words, 'r', "recursive", 1) || has_option(words, 'R', "", 1);
    return is_recursive ? names_precious(words) : may_name_precious(words);
  }
  if (name == "find") return has_word(words, "-delete") && names_precious(words);
  const bool changes_access = name == "chmod" || name == "chown" || name == "chgrp";
  return changes_access && has_option(words, 'R', "recursive", 1) && names_precious(words);
}

bool stops_machine(std::string_view name, Words words) {
  static constexpr auto kVerbs = std::to_array<std::string_view>(
      {"emergency", "halt", "kexec", "poweroff", "reboot", "rescue", "soft-reboot"});
  if (name == "systemctl") {
    return std::ranges::any_of(words.subspan(1),
                               [](const ShellWord& word) { return contains(kVerbs, word.text); });
  }
  // Behind the signal, -1 is every process.
  return name == "kill" && words.size() > 2 && has_word(words.subspan(1), "-1");
}

/// `of=/dev/sda`, `--output=/dev/sda` and `/dev/sda` alike.
bool names_device(const ShellWord& word) {
  const std::size_t equals = word.text.find('=');
  return is_device(word.text) ||
         (equals != std::string_view::npos && is_device(word.text.substr(equals + 1)));
}

/// Writes to whatever is in /dev, but for what is no device.
bool fills_device(std::string_view name, Words words) {
  static constexpr auto kHarmless =
      std::to_array<std::string_view>({"of=/dev/null", "of=/dev/stdout", "of=/dev/stderr"});
  if (name != "dd") return false;
  return std::ranges::any_of(words.subspan(1), [](const ShellWord& word) {
    const bool is_output = word.text.starts_with("of=") || word.text.empty();
    if (!is_output || (word.is_known && contains(kHarmless, word.text))) return false;
    const std::string_view path = word.text.substr(std::min<std::size_t>(3, word.text.size()));
    return !word.is_known || fold(path).names[0] == "dev";
  });
}

}  // namespace

std::string_view program_name(std::string_view program) {
  return program.substr(program.rfind('/') + 1);
}

bool is_device(std::string_view path) {
  static constexpr auto kKinds = std::to_array<std::string_view>(
      {"block", "disk",   "dm-", "hd",  "kmem", "loop", "mapper", "md",
       "mem",   "mmcblk", "mtd", "nbd", "nvme", "port", "ram",    "rdisk",
       "sd",    "sr",     "tcp", "udp", "vd",   "xvd",  "zram"});
  if (!path.starts_with('/')) return false;
  const Folded folded = fold(path);
  if (folded.count < 2) return false;
  // What is written there stops the machine.
  if (folded.names[0] == "proc") return folded.names[1] == "sysrq-trigger";
  if (folded.names[0] != "dev") return false;
  const std::string_view name = folded.names[1];
  return std::ranges::any_of(kKinds,
                             [name](std::string_view kind) { return name.starts_with(kind); });
}

bool is_blocked(Words words) {
  const std::string_view name = program_name(words.front().text);
  return is_destroyer(name) || removes_too_much(name, words) || stops_machine(name, words) ||
         fills_device(name, words) || std::ranges::any_of(words.subspan(1), names_device);
}

}  // namespace bartizan
