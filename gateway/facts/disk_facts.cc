#include "gateway/facts/disk_facts.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "gateway/process/descriptor.h"
#include "gateway/process/file_digest.h"
#include "policy/path/path_components.h"
#include "policy/path/text_beginning.h"
#include "schemas/base/error_code.h"

namespace bartizan {
namespace {

/// The kernel fails if something in the tree was renamed while it walked.
constexpr int kAttemptsMax = 8;

/// A descriptor, or the error.
struct Opened {
  Descriptor descriptor;
  int error = 0;

  bool is_there() const { return error == 0; }
  bool leads_out() const { return error == EXDEV; }
};

Opened open_beneath(const Descriptor& root, const std::string& name, std::uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const char* const path = name.empty() ? "." : name.c_str();
  Opened opened;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    const auto fd = ::syscall(SYS_openat2, root.get(), path, &how, sizeof how);
    opened.error = fd < 0 ? errno : 0;
    opened.descriptor = Descriptor(static_cast<int>(fd));
    if (opened.error != EAGAIN && opened.error != EINTR) break;
  }
  return opened;
}

using Why = NotFoundOut::Why;

/// Classifies an error of the kernel: permanent for everybody, or possibly gone in another attempt.
NotFoundOut not_found(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
    case ENOENT:
    case ENOTDIR:
      return {.why = Why::not_reachable};
    case ELOOP:
      return {.why = Why::leads_in_circles};
    case ENAMETOOLONG:
      return {.why = Why::too_long};
    default:
      return {.why = Why::unanswered};
  }
}

Descriptor open_root(const std::string& root) {
  return Descriptor(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

std::string own_link(const Descriptor& descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor.get());
}

/// The path of an open file or folder, without any link; nothing if it is unknown.
std::optional<std::string> place_of(const Descriptor& descriptor) {
  std::array<char, PATH_MAX> text{};
  const ssize_t size = ::readlink(own_link(descriptor).c_str(), text.data(), text.size());
  if (size <= 0 || static_cast<std::size_t>(size) == text.size()) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(size));
}

/// The path below the root; nothing for a place outside.
std::optional<std::string> below(std::string_view place, std::string_view root) {
  if (root != "/") {
    if (!place.starts_with(root)) return std::nullopt;
    place.remove_prefix(root.size());
  }
  if (place.empty()) return std::string();
  if (place.front() != '/') return std::nullopt;
  return std::string(place.substr(1));
}

std::vector<std::string> steps_of(std::string_view name) {
  std::vector<std::string> steps;
  Components components(name);
  while (const auto step = components.next())
    steps.emplace_back(*step);
  return steps;
}

std::string joined(const std::vector<std::string>& steps, std::size_t count) {
  std::string name;
  for (std::size_t i = 0; i < count; ++i)
    name += (i > 0 ? "/" : "") + steps[i];
  return name;
}

FoundPlace::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FoundPlace::Kind::file;
  return S_ISDIR(mode) ? FoundPlace::Kind::directory : FoundPlace::Kind::other;
}

/// A search for one name below one root.
class Search {
 public:
  Search(const Descriptor& root, const std::string& name) : root_(root), name_(name) {}

  Finding run() {
    const Opened opened = open_beneath(root_, name_, O_PATH);
    if (opened.leads_out()) return FoundPlace{.where = FoundPlace::Where::outside};
    if (opened.error == ENOENT) return find_above();
    if (!opened.is_there()) return not_found(opened.error);
    return describe(opened.descriptor);
  }

 private:
  /// Reads the path last, so that a file that was moved out of the root meanwhile counts as
  /// outside.
  Finding describe(const Descriptor& found) const {
    struct stat status{};
    if (::fstat(found.get(), &status) != 0 || status.st_nlink == 0) return NotFoundOut();
    const auto root = place_of(root_);
    const auto place = place_of(found);
    if (!root || !place) return NotFoundOut();
    auto inside = below(*place, *root);
    if (!inside) return FoundPlace{.where = FoundPlace::Where::outside};
    FoundPlace answer{.where = FoundPlace::Where::inside, .kind = kind_of(status.st_mode)};
    if (S_ISREG(status.st_mode)) answer.bytes = static_cast<std::uint64_t>(status.st_size);
    if (*inside != name_) answer.leads_to = std::move(inside);
    return answer;
  }

  /// For a missing file, the nearest existing folder. The rest must not be a dangling link, since a
  /// file that is written through one ends up elsewhere.
  Finding find_above() const {
    const std::vector<std::string> steps = steps_of(name_);
    for (std::size_t count = steps.size(); count-- > 0;) {
      const Opened above = open_beneath(root_, joined(steps, count), O_PATH | O_DIRECTORY);
      if (above.leads_out()) return FoundPlace{.where = FoundPlace::Where::outside};
      if (above.error == ENOENT) continue;
      if (!above.is_there()) return not_found(above.error);
      const std::vector<std::string> missing(steps.begin() + static_cast<std::ptrdiff_t>(count),
                                             steps.end());
      return describe_absent(above.descriptor, missing);
    }
    return NotFoundOut();
  }

  Finding describe_absent(const Descriptor& above, const std::vector<std::string>& missing) const {
    if (std::ranges::find(missing, "..") != missing.end()) return not_found(ENOENT);
    const Opened next = open_beneath(above, missing.front(), O_PATH | O_NOFOLLOW);
    if (next.is_there()) return describe_lost(next.descriptor);
    if (next.error != ENOENT) return not_found(next.error);
    Finding folder = describe(above);
    auto* place = std::get_if<FoundPlace>(&folder);
    if (place == nullptr || place->where != FoundPlace::Where::inside) return folder;
    std::string leads_to = place->leads_to.value_or(name_);
    if (!leads_to.empty()) leads_to += '/';
    leads_to += joined(missing, missing.size());
    FoundPlace absent{.where = FoundPlace::Where::absent};
    if (leads_to != name_) absent.leads_to = std::move(leads_to);
    return absent;
  }

  /// A dangling link, or a file that was created just now.
  static Finding describe_lost(const Descriptor& found) {
    struct stat status{};
    const bool is_link = ::fstat(found.get(), &status) == 0 && S_ISLNK(status.st_mode);
    return NotFoundOut{.why = is_link ? Why::leads_nowhere : Why::unanswered};
  }

  const Descriptor& root_;
  const std::string& name_;
};

/// Opens a found file again, this time to read: its name may refer to another file by now.
Opened open_to_read(const Descriptor& found) {
  Opened file;
  file.descriptor =
      Descriptor(::open(own_link(found).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.descriptor.get() < 0) file.error = errno;
  return file;
}

NotFoundOut not_readable(int error) {
  const bool is_forbidden = error == EACCES || error == EPERM;
  return is_forbidden ? NotFoundOut{.why = Why::not_readable} : not_found(error);
}

/// The beginning of a file, as much as fits; nothing if it cannot be read.
std::optional<std::string_view> read_beginning(const Descriptor& file, std::span<char> room) {
  std::size_t total = 0;
  while (total < room.size()) {
    const ssize_t size = ::read(file.get(), &room[total], room.size() - total);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) break;
    total += static_cast<std::size_t>(size);
  }
  return std::string_view(room.data(), total);
}

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

}  // namespace

Finding find_place(const std::string& root, const std::string& name) {
  const Descriptor folder = open_root(root);
  if (folder.get() < 0) return not_found(errno);
  return Search(folder, name).run();
}

Finding digest_file(const std::string& root, const std::string& name) {
  const Descriptor folder = open_root(root);
  if (folder.get() < 0) return not_found(errno);
  const Opened found = open_beneath(folder, name, O_PATH);
  if (found.leads_out() || found.error == ENOENT) return FoundContent();
  if (!found.is_there()) return not_found(found.error);
  struct stat status{};
  if (::fstat(found.descriptor.get(), &status) != 0) return NotFoundOut();
  const bool is_small =
      static_cast<std::uint64_t>(status.st_size) <= limits::digested_file_bytes_max;
  if (!S_ISREG(status.st_mode) || !is_small) return FoundContent();
  const Opened file = open_to_read(found.descriptor);
  if (!file.is_there()) return not_readable(file.error);
  auto digest = digest_rest(file.descriptor, limits::digested_file_bytes_max);
  if (!digest) return NotFoundOut();
  return FoundContent{*std::move(digest)};
}

Finding find_text(const std::string& root, const std::string& name) {
  const Descriptor folder = open_root(root);
  if (folder.get() < 0) return not_found(errno);
  const Opened found = open_beneath(folder, name, O_PATH);
  if (!found.is_there()) return NotFoundOut();
  struct stat status{};
  if (::fstat(found.descriptor.get(), &status) != 0) return NotFoundOut();
  // Policy asks about a file; it has become something else meanwhile.
  if (!S_ISREG(status.st_mode)) return NotFoundOut();
  const Opened file = open_to_read(found.descriptor);
  if (!file.is_there()) return not_readable(file.error);
  std::array<char, limits::text_window_bytes> room{};
  const auto beginning = read_beginning(file.descriptor, room);
  if (!beginning) return NotFoundOut();
  return FoundText{begins_as_text(*beginning, beginning->size() < room.size())};
}

Result<void> probe_root(const std::string& root) {
  const auto refuse = [](std::string detail) {
    return fail(ErrorCode::config_invalid, Fault::gateway, std::move(detail));
  };
  const Descriptor folder = open_root(root);
  if (folder.get() < 0) return refuse("the root cannot be opened: " + reason_of(errno));
  const Opened opened = open_beneath(folder, "", O_PATH | O_DIRECTORY);
  if (opened.error == ENOSYS || opened.error == EPERM) {
    return refuse(
        "openat2 cannot be called: the kernel is older than Linux 5.6, or a seccomp "
        "profile forbids it");
  }
  if (!opened.is_there()) return refuse("the root cannot be entered: " + reason_of(opened.error));
  if (!place_of(opened.descriptor)) return refuse("/proc is not there to say where a link leads");
  return {};
}

}  // namespace bartizan
