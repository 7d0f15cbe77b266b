#include "gateway/launch/file_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gateway/process/start_failure.h"

namespace bartizan {
namespace {

// The kernel headers of the oldest supported system have only a part of these.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;
/// The first version that can forbid truncation.
constexpr long kVersionMin = 3;
constexpr long kVersionOfDevices = 5;
constexpr long kVersionOfScopes = 6;

constexpr std::uint64_t kExecute = 1U << 0;
constexpr std::uint64_t kWriteFile = 1U << 1;
constexpr std::uint64_t kReadFile = 1U << 2;
constexpr std::uint64_t kReadFolder = 1U << 3;
constexpr std::uint64_t kRemoveFolder = 1U << 4;
constexpr std::uint64_t kRemoveFile = 1U << 5;
constexpr std::uint64_t kMakeFolder = 1U << 7;
constexpr std::uint64_t kMakeFile = 1U << 8;
constexpr std::uint64_t kMakeSocket = 1U << 9;
constexpr std::uint64_t kMakeFifo = 1U << 10;
constexpr std::uint64_t kMakeLink = 1U << 12;
constexpr std::uint64_t kMoveBetween = 1U << 13;
constexpr std::uint64_t kTruncate = 1U << 14;
constexpr std::uint64_t kDeviceControl = 1U << 15;
/// All rights of version 3, including the creation of devices.
constexpr std::uint64_t kKnownToVersion3 = (1U << 15) - 1;

constexpr std::uint64_t kScopes = 3;  // Abstract sockets, and signals.

constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate;
constexpr std::uint64_t kRead = kExecute | kReadFile | kReadFolder;
constexpr std::uint64_t kWrite = kReadFile | kReadFolder | kWriteFile | kTruncate | kRemoveFolder |
                                 kRemoveFile | kMakeFolder | kMakeFile | kMakeSocket | kMakeFifo |
                                 kMakeLink | kMoveBetween;

struct RulesetShape {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};

struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t folder;
};

Result<void> allow(const Descriptor& rules, const std::string& path, std::uint64_t allowed,
                   std::string_view key) {
  const auto explain = [&](int error) {
    return start_failed(
        fmt::format("sandbox.{} names \"{:.200}\": {}", key, path, reason_of(error)));
  };
  const Descriptor opened(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (opened.get() < 0) return explain(errno);
  struct stat status = {};
  if (fstat(opened.get(), &status) != 0) return explain(errno);
  if (!S_ISDIR(status.st_mode)) allowed &= kOfFiles;
  const PathRule rule{.allowed = allowed, .folder = opened.get()};
  if (syscall(kAddRule, rules.get(), kPathBeneath, &rule, 0) != 0) return explain(errno);
  return {};
}

}  // namespace

Result<Descriptor> make_file_rules(const FileLists& lists) {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < kVersionMin) {
    return start_failed(
        fmt::format("this kernel cannot bind a process to lists of files: {}; level = "
                    "\"container\" does without",
                    version < 0 ? "Landlock is missing or switched off, " + reason_of(errno)
                                : "its Landlock is older than Linux 6.2"));
  }
  // No ioctl on the devices that it may open.
  RulesetShape shape{
      .files = kKnownToVersion3 | (version >= kVersionOfDevices ? kDeviceControl : 0),
      .network = 0,
      .scopes = version >= kVersionOfScopes ? kScopes : 0};
  // An older kernel accepts a shorter structure.
  const std::size_t size = version >= kVersionOfScopes ? sizeof shape : sizeof shape.files;
  Descriptor rules(static_cast<int>(syscall(kCreateRuleset, &shape, size, 0)));
  if (rules.get() < 0) return start_failed("no rules for files: " + reason_of(errno));
  for (const auto& [paths, allowed, key] :
       {std::tuple(&lists.read, kRead, "read"), std::tuple(&lists.write, kWrite, "write")}) {
    for (const std::string& path : *paths) {
      const Result<void> allowed_now = allow(rules, path, allowed, key);
      if (!allowed_now.has_value()) return std::unexpected(allowed_now.error());
    }
  }
  for (const char* device :
       {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}) {
    // Not every container has all of them.
    if (access(device, F_OK) != 0) continue;
    const Result<void> allowed_now = allow(rules, device, kReadFile | kWriteFile, "read");
    if (!allowed_now.has_value()) return std::unexpected(allowed_now.error());
  }
  return rules;
}

std::optional<Descriptor> make_scope_rules() {
  if (syscall(kCreateRuleset, nullptr, 0, kAskVersion) < kVersionOfScopes) return std::nullopt;
  RulesetShape shape{.files = 0, .network = 0, .scopes = kScopes};
  Descriptor rules(static_cast<int>(syscall(kCreateRuleset, &shape, sizeof shape, 0)));
  if (rules.get() < 0) return std::nullopt;
  return rules;
}

bool enter_file_rules(const Descriptor& rules) {
  return syscall(kRestrictSelf, rules.get(), 0) == 0;
}

}  // namespace bartizan
