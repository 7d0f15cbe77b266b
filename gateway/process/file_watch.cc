#include "gateway/process/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "config/read_document.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

using std::filesystem::path;

/// As the kernel's own bound of links on one path.
constexpr int kLinksMax = 40;

/// Not IN_MODIFY: the record may lie in the same directory and grow with every call.
constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE |
                                  IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
                                  IN_ONLYDIR;
/// What happened to a watched directory itself, or that events were lost.
constexpr std::uint32_t kWhole = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_Q_OVERFLOW;

std::unexpected<Error> refuse(std::string_view what) {
  return fail(ErrorCode::io_failed, Fault::gateway,
              std::string(what) + ": " + std::strerror(errno));
}

void add_secret(std::vector<path>& paths, const SecretReference& secret) {
  if (secret.kind == SecretReference::Kind::file) paths.emplace_back(secret.name);
}

/// What is left of a path after one step of following it.
struct Rest {
  path done;   ///< The directory that was reached.
  path whole;  ///< The parts that are still to be followed.
};

/// Follows the first part of `rest.whole`, and adds the point where it stands.
std::optional<Rest> follow(Rest rest, WatchPoints& points) {
  const path part = *rest.whole.begin();
  path remaining;
  for (auto next = std::next(rest.whole.begin()); next != rest.whole.end(); ++next)
    remaining /= *next;
  if (part == "." || part.empty()) return Rest{rest.done, remaining};
  if (part == "..") return Rest{rest.done.parent_path(), remaining};
  const path here = rest.done / part;
  std::error_code error;
  const path target = std::filesystem::read_symlink(here, error);
  const bool is_link = !error;
  if (is_link || remaining.empty() || !std::filesystem::exists(here, error)) {
    points.insert({rest.done, part.string()});
  }
  if (!is_link) {
    if (!std::filesystem::exists(here, error)) return std::nullopt;
    return Rest{here, remaining};
  }
  const path whole = remaining.empty() ? target : target / remaining;
  if (whole.is_absolute()) return Rest{whole.root_path(), whole.relative_path()};
  return Rest{rest.done, whole};
}

}  // namespace

WatchPoints watch_points(const path& file) {
  WatchPoints points;
  std::error_code error;
  const path whole = std::filesystem::absolute(file, error);
  std::optional<Rest> rest = Rest{whole.root_path(), whole.relative_path()};
  // Each link makes the path longer by its target; a loop of links ends at the bound.
  for (int steps = 0; rest.has_value() && !rest->whole.empty() && steps < 64 * kLinksMax; ++steps)
    rest = follow(std::move(*rest), points);
  return points;
}

WatchPoints watch_points(const LoadedConfig& loaded) {
  const Config& config = loaded.config;
  std::vector<path> paths(config.files.begin(), config.files.end());
  paths.insert(paths.end(), loaded.include_patterns.begin(), loaded.include_patterns.end());
  if (config.listen.tls.has_value()) {
    paths.emplace_back(config.listen.tls->cert);
    add_secret(paths, config.listen.tls->key);
    for (const std::string& file : {config.listen.tls->client_ca, config.listen.tls->client_crl}) {
      if (!file.empty()) paths.emplace_back(file);
    }
  }
  for (const auto& [name, server] : config.servers) {
    add_secret(paths, server.bearer);
    add_secret(paths, server.password);
    for (const ServerHeader& header : server.headers)
      add_secret(paths, header.secret);
    for (const auto& [variable, secret] : server.env_secrets)
      add_secret(paths, secret);
    if (!server.ca_file.empty()) paths.emplace_back(server.ca_file);
  }
  WatchPoints points;
  for (const path& one : paths)
    points.merge(watch_points(one));
  return points;
}

FileWatch::FileWatch(Executor executor) : inotify_(executor), timer_(executor) {}

Result<void> FileWatch::open() {
  const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) return refuse("files cannot be watched");
  error_code error;
  inotify_.assign(descriptor, error);
  if (!error) return {};
  ::close(descriptor);
  return fail(ErrorCode::io_failed, Fault::gateway, "files cannot be watched: " + error.message());
}

Result<bool> FileWatch::watch(WatchPoints points) {
  std::map<int, path> wanted;
  Result<bool> is_new = false;
  path last;
  for (const WatchPoint& point : points) {
    if (point.directory == last) continue;
    last = point.directory;
    const int watch = inotify_add_watch(inotify_.native_handle(), last.c_str(), kEvents);
    if (watch < 0) {
      is_new = refuse("the directory \"" + last.string() + "\" cannot be watched");
      continue;
    }
    wanted[watch] = last;
    if (is_new.has_value() && !directories_.contains(watch)) is_new = true;
  }
  for (const auto& [watch, directory] : directories_) {
    if (!wanted.contains(watch)) inotify_rm_watch(inotify_.native_handle(), watch);
  }
  directories_ = std::move(wanted);
  points_ = std::move(points);
  return is_new;
}

bool FileWatch::concerns(int watch, std::string_view name) const {
  const auto directory = directories_.find(watch);
  if (directory == directories_.end()) return false;
  // Two paths to one directory have one watch; the names of both are looked for.
  return std::ranges::any_of(
      points_, [&](const WatchPoint& point) { return is_included_name(point.name, name); });
}

/// Takes every event that is there. Whether one of them matters.
Result<bool> FileWatch::read_events() {
  alignas(inotify_event) std::array<char, 8192> buffer;
  bool matters = false;
  while (true) {
    const ssize_t size = ::read(inotify_.native_handle(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return matters;
    if (size <= 0) return refuse("files cannot be watched any longer");
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = buffer.data() + at + sizeof(event);
      at += sizeof(event) + event.len;
      const bool is_known = directories_.contains(event.wd);
      matters |= (event.mask & IN_Q_OVERFLOW) != 0;
      matters |= is_known && (event.mask & kWhole) != 0;
      matters |= event.len > 0 && concerns(event.wd, std::string_view(name));
      // The kernel has let it go, and may give the number to another directory.
      if ((event.mask & IN_IGNORED) != 0) directories_.erase(event.wd);
    }
  }
}

/// Whether a name that is no pattern is not there: between the two halves of a replacement.
bool FileWatch::is_missing_something() const {
  return std::ranges::any_of(points_, [](const WatchPoint& point) {
    std::error_code error;
    return !point.name.contains('*') &&
           !std::filesystem::exists(point.directory / point.name, error);
  });
}

Task<Result<void>> FileWatch::changed() {
  while (true) {
    const auto [error] = co_await inotify_.async_wait(Pipe::wait_read, kAwait);
    if (error) {
      co_return fail(ErrorCode::io_failed, Fault::gateway,
                     "files cannot be watched any longer: " + error.message());
    }
    const Result<bool> matters = read_events();
    if (!matters.has_value()) co_return std::unexpected(matters.error());
    if (*matters) break;
  }
  const auto latest = steady_now() + kLongestUnrest;
  bool is_quiet = false;
  while (!is_quiet && steady_now() < latest) {
    timer_.expires_after(kQuiet);
    co_await timer_.async_wait(kAwait);
    const Result<bool> more = read_events();
    if (!more.has_value()) co_return std::unexpected(more.error());
    is_quiet = !*more && !is_missing_something();
  }
  co_return Result<void>{};
}

}  // namespace bartizan
