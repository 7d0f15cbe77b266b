#include "gateway/launch/own_root.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gateway/process/start_failure.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

// The C library's header for mounts conflicts with the kernel's.
constexpr unsigned long kPrivate = (1UL << 18) | (1UL << 14);  // MS_PRIVATE and MS_REC.
constexpr unsigned long kBind = (1UL << 12) | (1UL << 14);     // MS_BIND and MS_REC.
constexpr unsigned long kClean = (1UL << 1) | (1UL << 2);      // MS_NOSUID and MS_NODEV.
constexpr unsigned long kNoExec = 1UL << 3;                    // MS_NOEXEC.
constexpr unsigned long kRemountReadOnly = (1UL << 5) | 1UL;   // MS_REMOUNT and MS_RDONLY.
constexpr int kDetach = 2;                                     // MNT_DETACH.

/// The folder in which the root is assembled; it exists on every machine.
constexpr const char* kPlace = "/tmp";
/// The machine's root in the new root, during its construction.
constexpr const char* kOld = "/.machine";
constexpr const char* kNew = "/.root";

std::unexpected<Error> failed(std::string_view what, int error) {
  return start_failed(fmt::format("no root of its own: {}: {}", what, reason_of(error)));
}

std::unexpected<Error> unprotected(std::string_view what, int error) {
  return start_failed(fmt::format("files that are not listed cannot be kept from changes: {}: {}",
                                  what, reason_of(error)));
}

int mount_at(const char* source, const std::string& target, const char* type, unsigned long flags,
             const char* data = nullptr) {
  return static_cast<int>(syscall(SYS_mount, source, target.c_str(), type, flags, data));
}

int change_mount(const std::string& target, std::uint64_t set, std::uint64_t cleared = 0) {
  mount_attr attributes = {};
  attributes.attr_set = set;
  attributes.attr_clr = cleared;
  return static_cast<int>(syscall(SYS_mount_setattr, AT_FDCWD, target.c_str(), AT_RECURSIVE,
                                  &attributes, sizeof attributes));
}

/// A file or folder of the machine, and its mount.
struct Listed {
  std::string path;  ///< As configured.
  std::string real;  ///< Without links.
  bool is_folder = false;
  std::uint64_t attributes = 0;
};

/// Resolves the paths while the machine's root is there, so that links have their targets.
Result<std::vector<Listed>> look_up(const FileLists& lists) {
  std::vector<Listed> found;
  const std::uint64_t clean = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  for (const auto& [paths, attributes] : {std::pair(&lists.read, clean | MOUNT_ATTR_RDONLY),
                                          std::pair(&lists.write, clean | MOUNT_ATTR_NOEXEC)}) {
    for (const std::string& path : *paths) {
      std::error_code error;
      const fs::path real = fs::canonical(path, error);
      if (error) return failed(fmt::format("\"{:.200}\"", path), error.value());
      found.push_back({.path = path,
                       .real = real.string(),
                       .is_folder = fs::is_directory(real, error),
                       .attributes = attributes});
    }
  }
  return found;
}

/// The links in the machine's root and their targets: `/bin` and `/lib64` on most.
std::vector<std::pair<std::string, std::string>> links_in_root() {
  std::vector<std::pair<std::string, std::string>> links;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/", ignored)) {
    if (!entry.is_symlink(ignored)) continue;
    links.emplace_back(entry.path().string(), fs::read_symlink(entry.path(), ignored).string());
  }
  return links;
}

/// Creates the place of a mount. A place in a mounted folder already exists.
Result<void> make_place(const std::string& target, bool is_folder) {
  std::error_code error;
  if (fs::exists(target, error)) return {};
  fs::create_directories(is_folder ? fs::path(target) : fs::path(target).parent_path(), error);
  if (error) return failed(fmt::format("\"{:.200}\"", target), error.value());
  if (is_folder) return {};
  const Descriptor file(open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (file.get() < 0) return failed(fmt::format("\"{:.200}\"", target), errno);
  return {};
}

Result<void> bind(const Listed& listed) {
  const std::string target = kNew + listed.real;
  if (const Result<void> made = make_place(target, listed.is_folder); !made.has_value())
    return made;
  if (mount_at((kOld + listed.real).c_str(), target, nullptr, kBind) != 0)
    return failed(fmt::format("\"{:.200}\" cannot be mounted", listed.path), errno);
  if (change_mount(target, listed.attributes) != 0)
    return failed(fmt::format("\"{:.200}\" cannot be protected", listed.path), errno);
  if (listed.path == listed.real) return {};
  // The path as configured may differ, by links on the way.
  std::error_code ignored;
  const fs::path name = kNew + listed.path;
  if (fs::exists(fs::symlink_status(name, ignored))) return {};
  fs::create_directories(name.parent_path(), ignored);
  fs::create_symlink(listed.real, name, ignored);
  return {};
}

Result<void> make_devices() {
  std::error_code ignored;
  const std::string folder = std::string(kNew) + "/dev";
  fs::create_directories(folder + "/shm", ignored);
  for (const std::string device : {"null", "zero", "full", "random", "urandom"}) {
    if (!fs::exists(kOld + ("/dev/" + device), ignored)) continue;
    const std::string target = fmt::format("{}/{}", folder, device);
    if (const Result<void> made = make_place(target, false); !made.has_value()) return made;
    if (mount_at((kOld + ("/dev/" + device)).c_str(), target, nullptr, kBind) != 0)
      return failed("/dev/" + device, errno);
  }
  if (mount_at("tmpfs", folder + "/shm", "tmpfs", kClean | kNoExec, "size=16m,mode=1777") != 0)
    return failed("/dev/shm", errno);
  const std::pair<const char*, const char*> links[] = {{"/fd", "/proc/self/fd"},
                                                       {"/stdin", "/proc/self/fd/0"},
                                                       {"/stdout", "/proc/self/fd/1"},
                                                       {"/stderr", "/proc/self/fd/2"}};
  for (const auto& [name, target] : links)
    fs::create_symlink(target, folder + name, ignored);
  return {};
}

Result<void> make_processes() {
  std::error_code ignored;
  const std::string processes = std::string(kNew) + "/proc";
  fs::create_directories(processes, ignored);
  if (mount_at("proc", processes, "proc", kClean | kNoExec) != 0) return failed("/proc", errno);
  return {};
}

Result<void> make_scratch() {
  std::error_code ignored;
  const std::string scratch = std::string(kNew) + "/tmp";
  fs::create_directories(scratch, ignored);
  if (mount_at("tmpfs", scratch, "tmpfs", kClean | kNoExec, "size=64m,mode=1777") != 0)
    return failed("/tmp", errno);
  return {};
}

/// Leaves the machine's root for an empty one with `kOld`, which shows the machine's root, and
/// `kNew`.
Result<void> leave_machine() {
  if (mount_at(nullptr, "/", nullptr, kPrivate) != 0) return failed("mounts are shared", errno);
  if (mount_at("tmpfs", kPlace, "tmpfs", kClean, "mode=0755") != 0)
    return failed("no file system in memory", errno);
  const std::string old = std::string(kPlace) + kOld;
  const std::string place = std::string(kPlace) + kNew;
  if (mkdir(old.c_str(), 0700) != 0 || mkdir(place.c_str(), 0755) != 0)
    return failed("no folder in memory", errno);
  if (syscall(SYS_pivot_root, kPlace, old.c_str()) != 0 || chdir("/") != 0)
    return failed("the root cannot be changed", errno);
  // A separate mount, which can be the next root.
  if (mount_at("tmpfs", kNew, "tmpfs", kClean, "mode=0755") != 0)
    return failed("no file system in memory", errno);
  return {};
}

Result<void> enter_new_root() {
  if (chdir(kNew) != 0 || syscall(SYS_pivot_root, ".", ".") != 0)
    return failed("the root cannot be changed", errno);
  // The former root now covers the new one.
  if (syscall(SYS_umount2, ".", kDetach) != 0 || chdir("/") != 0)
    return failed("the machine's root cannot be left", errno);
  if (mount_at(nullptr, "/", nullptr, kRemountReadOnly | kBind | kClean) != 0)
    return failed("it cannot be protected", errno);
  return {};
}

}  // namespace

Result<void> mount_own_processes() {
  if (mount_at(nullptr, "/", nullptr, kPrivate) != 0 ||
      mount_at("proc", "/proc", "proc", kClean | kNoExec) != 0) {
    return start_failed("no /proc of its own, which its lists have: " + reason_of(errno));
  }
  return {};
}

Result<void> keep_from_changing(const std::vector<std::string>& all_but) {
  if (mount_at(nullptr, "/", nullptr, kPrivate) != 0)
    return unprotected("mounts are shared", errno);
  std::vector<std::string> places;
  for (const std::string& path : all_but) {
    std::error_code error;
    const std::string real = fs::canonical(path, error).string();
    if (error) {
      return unprotected(fmt::format("sandbox.write names \"{:.200}\"", path), error.value());
    }
    // A separate mount, whose attributes can be changed alone.
    if (mount_at(real.c_str(), real, nullptr, kBind) != 0)
      return unprotected(fmt::format("\"{:.200}\"", path), errno);
    places.push_back(real);
  }
  if (change_mount("/", MOUNT_ATTR_RDONLY) != 0) return unprotected("the mounts", errno);
  for (const std::string& place : places) {
    if (change_mount(place, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, MOUNT_ATTR_RDONLY) != 0)
      return unprotected(fmt::format("\"{:.200}\"", place), errno);
  }
  return {};
}

Result<void> enter_own_root(const FileLists& lists) {
  const Result<std::vector<Listed>> listed = look_up(lists);
  if (!listed.has_value()) return std::unexpected(listed.error());
  const auto links = links_in_root();
  // These folders are for every account. The program has the mask that it would have without them.
  const mode_t mask = umask(022);
  if (const Result<void> left = leave_machine(); !left.has_value()) return left;
  // Before the lists, which may include it or a part of it.
  if (const Result<void> made = make_scratch(); !made.has_value()) return made;
  for (const Listed& one : *listed) {
    if (const Result<void> bound = bind(one); !bound.has_value()) return bound;
  }
  std::error_code ignored;
  for (const auto& [name, target] : links)
    fs::create_symlink(target, kNew + name, ignored);
  for (const auto step : {make_devices, make_processes}) {
    if (const Result<void> made = step(); !made.has_value()) return made;
  }
  umask(mask);
  return enter_new_root();
}

}  // namespace bartizan
