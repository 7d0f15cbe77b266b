#include "policy/shell/blocked_commands.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bartizan {
namespace {

using Words = std::span<const ShellWord>;

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Programs without a harmless use in a tool.
bool is_destroyer(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"blkdiscard", "cfdisk", "fdisk", "gdisk", "halt", "init", "kexec", "mke2fs", "mkswap",
       "parted", "poweroff", "reboot", "sfdisk", "sgdisk", "shutdown", "telinit", "wipefs"});
  return contains(kNames, name) || name == "mkfs" || name.starts_with("mkfs.");
}

/// The components of a path, without empty ones and `.`, and with `..` resolved.
struct Folded {
  static constexpr std::size_t kKept = 16;
  std::array<std::string_view, kKept> names = {};  ///< The first components.
  std::size_t count = 0;
  bool climbs = false;  ///< A relative path that leads above its start.
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

/// Directories of the system, of devices, and of kernel files.
constexpr auto kSystemNames = std::to_array<std::string_view>(
    {"bin", "boot", "dev", "etc", "lib", "proc", "root", "sbin", "sys", "usr"});

/// Whether everything below a directory belongs to the system, at any depth.
bool is_all_system(const Folded& folded) {
  if (folded.count == 0) return false;
  const std::string_view first = folded.names[0];
  if (contains(kSystemNames, first) || first.starts_with("lib")) return true;
  return folded.count > 1 && first == "var" && folded.names[1] == "lib";
}

/// Whether everything below a word belongs to the system, or is a home. `/*` and similar words
/// count as their directory.
bool is_precious(const ShellWord& word) {
  std::string_view path = word.text;
  // One of its alternatives may be anything, whatever precedes it: `{/,x}`, `x{,/../..}`.
  if (!word.is_known && path.contains('{')) return true;
  const std::size_t glob = path.find_first_of("*?[");
  const bool is_open = !word.is_known || glob != std::string_view::npos;
  path = path.substr(0, glob);
  // Its beginning is unknown: a variable that may be empty, or a home.
  if (is_open && path.empty()) return true;
  const Folded folded = fold(path);
  if (path.starts_with('~')) return folded.count <= 1 || folded.climbs;
  if (!path.starts_with('/')) return folded.climbs && folded.count == 0;
  if (folded.count == 0 || is_all_system(folded)) return true;
  // `/var/l*` matches all names with that beginning.
  const bool may_be_state = folded.count == 2 && folded.names[0] == "var" && is_open;
  if (may_be_state && std::string_view("lib").starts_with(folded.names[1])) return true;
  const bool has_homes = folded.names[0] == "home" || folded.names[0] == "Users";
  if (folded.count == 2 && has_homes) return true;
  if (folded.count > 1) return false;
  // `/v*` matches all names with that beginning.
  return is_system_directory(folded.names[0]) || (is_open && !path.ends_with('/'));
}

/// Whether the words of a program have that option: `-R` in any bundle, `--recursive` or an
/// abbreviation. Words after `--` do not count.
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

/// Whether a word may be an option and another is certainly a precious directory.
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

/// Whether a path leads into the system. A path with an unknown rest may lead to anything with its
/// beginning.
bool may_be_system(const ShellWord& word) {
  const std::size_t glob = word.text.find_first_of(word.is_known ? "*?[" : "*?[{");
  const std::string_view path = word.text.substr(0, glob);
  if (!path.starts_with('/')) return false;
  const Folded folded = fold(path);
  if (is_all_system(folded)) return true;
  const bool is_open = !word.is_known || glob != std::string_view::npos;
  if (!is_open || folded.count > 2) return false;
  std::string begun;
  for (std::size_t i = 0; i < folded.count; ++i)
    begun.append(i == 0 ? "" : "/").append(folded.names[i]);
  if (folded.count > 0 && path.ends_with('/')) begun += '/';
  return std::string_view("var/lib").starts_with(begun) ||
         std::ranges::any_of(kSystemNames,
                             [&begun](std::string_view name) { return name.starts_with(begun); });
}

/// The sources and the destination of `mv`. An option may name the destination: `-t DIR`, `-tDIR`,
/// `--target-directory=DIR`, or an abbreviation.
struct Move {
  std::vector<ShellWord> sources;
  std::optional<ShellWord> target;
};

Move read_move(Words words) {
  constexpr std::string_view kTarget = "--target-directory";
  constexpr std::size_t kShortest = std::string_view("--t").size();
  Move move;
  bool is_target = false;
  bool has_options = true;
  for (const ShellWord& word : words.subspan(1)) {
    const std::string_view text = word.text;
    const auto rest = [&word](std::size_t from) {
      ShellWord target = word;
      target.text = word.text.substr(from);
      return target;
    };
    if (std::exchange(is_target, false)) {
      move.target = word;
    } else if (!has_options || text.size() < 2 || text.front() != '-') {
      move.sources.push_back(word);
    } else if (text == "--") {
      has_options = false;
    } else if (text.starts_with("--")) {
      const std::size_t equals = std::min(text.find('='), text.size());
      if (equals < kShortest || !kTarget.starts_with(text.substr(0, equals))) continue;
      if (equals < text.size()) move.target = rest(equals + 1);
      is_target = equals == text.size();
    } else if (const std::size_t letter = text.find('t'); letter != std::string_view::npos) {
      if (letter + 1 < text.size()) move.target = rest(letter + 1);
      is_target = letter + 1 == text.size();
    }
  }
  if (!move.target && move.sources.size() > 1) {
    move.target = move.sources.back();
    move.sources.pop_back();
  }
  return move;
}

/// Whether a command moves a part of the system or a home away, or something over a part of the
/// system. A home may be a destination. A source that begins with an expansion mostly means names
/// in the present directory (`*.log`). It is allowed, as for `rm` without `-r`.
bool moves_too_much(std::string_view name, Words words) {
  if (name != "mv") return false;
  const Move move = read_move(words);
  if (move.target && may_be_system(*move.target)) return true;
  return std::ranges::any_of(move.sources, [](const ShellWord& source) {
    return may_be_system(source) ||
           ((source.is_known || !source.text.empty()) && is_precious(source));
  });
}

bool stops_machine(std::string_view name, Words words) {
  static constexpr auto kVerbs = std::to_array<std::string_view>(
      {"emergency", "halt", "kexec", "poweroff", "reboot", "rescue", "soft-reboot"});
  if (name == "systemctl") {
    return std::ranges::any_of(words.subspan(1),
                               [](const ShellWord& word) { return contains(kVerbs, word.text); });
  }
  // After the signal, -1 is every process.
  return name == "kill" && words.size() > 2 && has_word(words.subspan(1), "-1");
}

/// `of=/dev/sda`, `--output=/dev/sda` and `/dev/sda` alike.
bool names_device(const ShellWord& word) {
  const std::size_t equals = word.text.find('=');
  return is_device(word.text) ||
         (equals != std::string_view::npos && is_device(word.text.substr(equals + 1)));
}

/// Whether `dd` writes to a device in /dev.
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
  // Writing there stops the machine.
  if (folded.names[0] == "proc") return folded.names[1] == "sysrq-trigger";
  if (folded.names[0] != "dev") return false;
  const std::string_view name = folded.names[1];
  return std::ranges::any_of(kKinds,
                             [name](std::string_view kind) { return name.starts_with(kind); });
}

bool is_blocked(Words words) {
  const std::string_view name = program_name(words.front().text);
  return is_destroyer(name) || removes_too_much(name, words) || moves_too_much(name, words) ||
         stops_machine(name, words) || fills_device(name, words) ||
         std::ranges::any_of(words.subspan(1), names_device);
}

}  // namespace bartizan
