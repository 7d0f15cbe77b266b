// How a running gateway takes another configuration: read, compared, recorded, and brought to every
// worker before it is called applied.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/load/same_files.h"
#include "gateway/control/apply_snapshot.h"
#include "gateway/control/control.h"
#include "gateway/control/run.h"
#include "gateway/process/file_still_written.h"
#include "gateway/review/config_review.h"
#include "gateway/review/last_config.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/worker/list_changes.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a reload is read again because a directory came under watch while it was read.
constexpr int kReadsMax = 3;
/// How long a reload waits for who is writing a file.
constexpr std::chrono::seconds kWritersWait{10};
/// Longer than any disk that still works takes.
constexpr std::chrono::seconds kSyncWait{30};
/// How often a record that must be taken back tries to be.
constexpr std::chrono::seconds kTakeBackAgain{1};
/// How often a wait for the workers looks again; they answer within one turn of their loops.
constexpr std::chrono::seconds kWorkersWait{1};

std::size_t count_errors(const std::vector<ConfigProblem>& problems) {
  return static_cast<std::size_t>(
      std::ranges::count(problems, ConfigProblem::Severity::error, &ConfigProblem::severity));
}

/// Publicly where the first error is and how many there are: messages may quote what was written.
std::unexpected<ReloadRefusal> refuse(const std::vector<ConfigProblem>& problems) {
  const auto first =
      std::ranges::find(problems, ConfigProblem::Severity::error, &ConfigProblem::severity);
  const std::size_t errors = count_errors(problems);
  return std::unexpected(
      ReloadRefusal{.sentence = std::to_string(errors) + (errors == 1 ? " error" : " errors") +
                                ", the first at " + first->where + "; the log has all",
                    .detail = text(*first)});
}

std::unexpected<ReloadRefusal> refuse(std::string sentence, std::string detail = {}) {
  return std::unexpected(ReloadRefusal{std::move(sentence), std::move(detail)});
}

/// Says what changed by name, and nothing else: of servers those whose instances are others now.
void log_applied(const std::string& before, const std::string& after, ReloadPlan plan,
                 const std::vector<ServerDefinitionPtr>& defined) {
  plan.servers.changed.clear();
  for (const ServerDefinitionPtr& server : defined) {
    const std::string& name = server->config.name;
    if (std::ranges::find(plan.servers.added, name) != plan.servers.added.end()) continue;
    plan.servers.changed.push_back(name);
  }
  std::vector<std::pair<std::string, std::string>> told{{"policy", after}, {"before", before}};
  const auto tell = [&told](std::string key, const std::vector<std::string>& names) {
    if (!names.empty())
      told.emplace_back(std::move(key), fmt::format("{}", fmt::join(names, ", ")));
  };
  const auto tell_changes = [&tell](const NameChanges& changes) {
    const std::string kind(changes.kind);
    tell(kind + "_added", changes.added);
    tell(kind + "_removed", changes.removed);
    tell(kind + "_changed", changes.changed);
  };
  tell_changes(plan.servers);
  std::ranges::for_each(plan.of_policy, tell_changes);
  tell_changes(plan.principals);
  tell("settings_changed", plan.settings_changed);
  log(LogLevel::info, "reload applied", std::vector<LogField>(told.begin(), told.end()));
}

}  // namespace

/// A configuration that was read with all that it names, and differs from the running one.
struct Control::Wanted {
  Config config;
  ReloadPlan plan;
  ServerDefinitions servers;
  ListenerTls tls, console_tls;
  SocketTls socket_tls;
  std::unique_ptr<CaptureFile> capture = {};  ///< Where calls go from then on, if elsewhere.
  std::shared_ptr<const ScanDatabase> scan_database = {};
  ApprovalParts approval_parts = {};
  ExportParts exports = {};
  bool is_same = false;
};

// --- When ---------------------------------------------------------------------------------------

Task<void> Control::watch_reload_signals() {
  while (true) {
    const auto [error, number] = co_await reload_signals_.async_wait(kAwait);
    if (error) co_return;
    request_reload(ReloadCause::signal, "SIGHUP");
  }
}

bool Control::follows_files() const {
  return !config_file_.empty() && config_.process.reload == ProcessConfig::Reload::watch;
}

Task<void> Control::watch_files() {
  if (!follows_files()) co_return;
  const Result<void> opened = files_.open();
  if (!opened.has_value()) {
    log(LogLevel::warning, "configuration not watched",
        {{"detail", opened.error().detail}, {"instead", "send SIGHUP"}});
    co_return;
  }
  // What was written between reading and watching is looked at once.
  if (load().config.digest != config_.digest) {
    request_reload(ReloadCause::file, "written since the start");
  }
  while (true) {
    const Result<void> changed = co_await files_.changed();
    if (!changed.has_value()) {
      log(LogLevel::warning, "configuration not watched",
          {{"detail", changed.error().detail}, {"instead", "send SIGHUP"}});
      co_return;
    }
    // A reload may have ended that; SIGHUP brings it back.
    if (follows_files()) request_reload(ReloadCause::file, "a file has changed");
  }
}

/// Requests that come while one is served are served by one more: what they are about may have been
/// written after it was read.
void Control::request_reload(ReloadCause cause, std::string_view why) {
  log(LogLevel::debug, "reload requested", {{"why", std::string(why)}});
  if (config_file_.empty()) return;  // A configuration that is no file stays what it is.
  reload_again_ = true;
  if (cause == ReloadCause::signal) reload_cause_ = cause;
  if (!std::exchange(reloading_, true)) spawn(loop_, reload());
}

// --- What ---------------------------------------------------------------------------------------

Task<void> Control::reload() {
  while (std::exchange(reload_again_, false) && !gateway_->draining.load()) {
    tell_reloading();
    const Reloaded<ReloadResult> result = co_await reload_once();
    tell_reloaded();
    ReloadStatus& status = gateway_->reloads;
    status.last = result.value_or(ReloadResult::refused);
    status.last_at = seconds_now();
    status.refusal = result.has_value() ? ReloadRefusal() : result.error();
    if (status.last == ReloadResult::applied) ++status.applied;
    if (status.last == ReloadResult::unchanged) ++status.unchanged;
    if (result.has_value()) continue;
    ++status.refused;
    log(LogLevel::error, "reload refused",
        {{"why", status.refusal.sentence},
         {"detail", status.refusal.detail},
         {"policy", config_.digest}});
  }
  reloading_ = false;
}

Task<Reloaded<ReloadResult>> Control::reload_once() {
  Reloaded<LoadedConfig> read = co_await load_finished();
  if (!read.has_value()) co_return std::unexpected(read.error());
  LoadedConfig loaded = std::move(*read);
  log_problems(loaded.problems);
  if (!loaded.usable()) co_return refuse(loaded.problems);
  Reloaded<Wanted> wanted = co_await prepare(std::move(loaded));
  if (!wanted.has_value()) co_return std::unexpected(wanted.error());
  if (wanted->is_same) co_return ReloadResult::unchanged;
  const Reloaded<void> recorded = co_await record_reload(*wanted);
  if (!recorded.has_value()) co_return std::unexpected(recorded.error());
  co_await take_over(std::move(*wanted));
  co_return ReloadResult::applied;
}

/// Watches what a configuration was read from. Whether something may have changed unseen.
bool Control::watch(const LoadedConfig& loaded) {
  WatchPoints points = watch_points(loaded);
  // Of a file that cannot be read it is not known what it includes.
  if (!loaded.usable()) points.insert(watched_.begin(), watched_.end());
  watched_ = points;
  const Result<bool> is_new = files_.watch(std::move(points));
  if (is_new.has_value()) return *is_new;
  log(LogLevel::warning, "configuration not watched",
      {{"detail", is_new.error().detail}, {"instead", "send SIGHUP"}});
  return false;
}

LoadedConfig Control::load() {
  LoadedConfig loaded = load_config(config_file_);
  for (int reads = 1; reads < kReadsMax && files_.is_open() && watch(loaded); ++reads) {
    if (!has_same_files(loaded)) loaded = load_config(config_file_);
  }
  return loaded;
}

/// Loads the configuration once nobody is writing any of its files: the prefix of a policy may be a
/// policy, too. A signal says that somebody is done; a change of a file does not. Whoever was
/// writing while they were read may be done by the time this is asked, so they are read once more.
Task<Reloaded<LoadedConfig>> Control::load_finished() {
  const auto quiet = [this] {
    const bool is_told = reload_cause_ == ReloadCause::signal;
    return is_told ? std::chrono::milliseconds(0) : FileWatch::kQuiet;
  };
  const Clock::time_point latest = steady_now() + kWritersWait;
  Signal pause(loop_);
  LoadedConfig loaded = load();
  while (true) {
    const auto unfinished = find_unfinished_file(loaded.config.files, quiet(), system_now());
    if (unfinished.has_value()) co_await pause.wait(FileWatch::kQuiet);
    if (!unfinished.has_value() && has_same_files(loaded)) break;
    LoadedConfig again = load();
    if (!unfinished.has_value() && again.config.digest == loaded.config.digest) break;
    if (steady_now() >= latest) {
      co_return refuse(
          "a file of the configuration is still being written",
          unfinished.value_or(config_file_) + " is still being written; replace it by renaming");
    }
    loaded = std::move(again);
  }
  reload_cause_ = ReloadCause::file;
  co_return loaded;
}

/// Certificates may change without their names: what was read is compared.
void Control::note_changed_certificates(Wanted& wanted) const {
  if (wanted.tls != tls_) add_setting(wanted.plan, "listen.tls");
  if (wanted.console_tls != console_tls_) add_setting(wanted.plan, "console.tls");
  for (const auto& [name, tls] : wanted.socket_tls) {
    const auto found = socket_tls_.find(name);
    const bool is_kept = found != socket_tls_.end() && found->second == tls;
    if (!is_kept) add_setting(wanted.plan, "socket." + name + ".tls");
  }
}

/// Reads what the configuration names, and finds out whether it can take over.
Task<Reloaded<Control::Wanted>> Control::prepare(LoadedConfig loaded) {
  Wanted wanted{.config = std::move(loaded.config), .plan = {}, .servers = {}};
  if (fit_) fit_(wanted.config);
  if (clients_ == Clients::over_stdio) {
    const Result<void> fitted = fit_to_stdio(wanted.config);
    if (!fitted.has_value()) co_return refuse("nobody is the local user", fitted.error().detail);
  }
  Result<ReloadPlan> plan = plan_reload(config_, wanted.config);
  if (!plan.has_value()) co_return refuse(plan.error().detail);
  wanted.plan = std::move(*plan);
  // Names that no tool has are told when this has taken over.
  const auto problems = co_await reviewer_.review(loop_, wanted.config);
  if (!problems.has_value()) co_return std::unexpected(problems.error());
  log_problems(*problems);
  if (count_errors(*problems) > 0) co_return refuse(*problems);
  Result<ServerDefinitions> servers = define_servers(wanted.config, &servers_, revision_ + 1);
  if (!servers.has_value())
    co_return refuse("a secret or certificate of a server cannot be used", servers.error().detail);
  wanted.servers = std::move(*servers);
  auto database = renew_scan_database(config_, wanted.config, scan_database_);
  if (!database.has_value())
    co_return refuse("what detectors look for cannot be compiled", database.error().detail);
  wanted.scan_database = std::move(*database);
  Result<ListenerTls> tls = renew_tls(wanted.config.listen.tls, tls_);
  if (!tls.has_value())
    co_return refuse("the certificate or key of [listen] cannot be used", tls.error().detail);
  wanted.tls = std::move(*tls);
  Result<SocketTls> socket_tls = renew_socket_tls(wanted.config.sockets, socket_tls_);
  if (!socket_tls.has_value())
    co_return refuse("the certificate or key of a socket cannot be used",
                     socket_tls.error().detail);
  wanted.socket_tls = *std::move(socket_tls);
  const auto& console = wanted.config.console;
  auto console_tls = renew_tls(console.has_value() ? console->tls : std::nullopt, console_tls_);
  if (!console_tls.has_value())
    co_return refuse("the certificate or key of [console] cannot be used",
                     console_tls.error().detail);
  wanted.console_tls = std::move(*console_tls);
  note_changed_certificates(wanted);
  auto parts = read_approval_parts(wanted.config, approval_parts_);
  if (!parts.has_value())
    co_return refuse("a key or the webhook of [approvals] cannot be used", parts.error().detail);
  wanted.approval_parts = *std::move(parts);
  auto exports = prepare_exports(wanted.config);
  if (!exports) co_return refuse("an export cannot be used", exports.error().detail);
  wanted.exports = *std::move(exports);
  wanted.is_same = wanted.config.digest == config_.digest && wanted.servers == servers_ &&
                   wanted.tls == tls_ && wanted.socket_tls == socket_tls_ &&
                   wanted.console_tls == console_tls_ && wanted.approval_parts == approval_parts_ &&
                   wanted.exports.empty();
  const auto& capture = wanted.config.capture;
  // One that a slow disk still holds from before goes on; nobody could open it beside.
  const bool is_ours =
      capture.has_value() && ((config_.capture && config_.capture->file == capture->file) ||
                              gateway_->capture.holds(capture->file));
  if (capture.has_value() && !is_ours) {
    auto file = CaptureFile::open(capture->file);
    if (!file.has_value())
      co_return refuse("the file of [capture] cannot be used", file.error().detail);
    wanted.capture = *std::move(file);
  }
  co_return wanted;
}

/// Commits the record of the change: what cannot be recorded is not done. What may be on record all
/// the same, and may yet become durable, is taken back by a second record, before anything else is
/// recorded of reloads.
Task<Reloaded<void>> Control::record_reload(const Wanted& wanted) {
  if (!take_back()) co_return refuse("the reload cannot be recorded", log_->failure());
  Record record{.kind = RecordKind::reload, .time = system_now()};
  record.principal = "gateway";
  record.policy = wanted.config.digest;
  const std::string detail = "takes over from " + config_.digest;
  record.detail = detail;
  std::vector<EncodedRecord> records{encode_record(record)};
  auto key = key_record(wanted.approval_parts.keys, wanted.config.digest, approval_parts_.keys);
  if (key.has_value()) records.push_back(*std::move(key));
  const bool is_written = log_->append(std::move(records)).has_value();
  if (is_written) syncing_ = wanted.config.digest;
  const bool is_kept = is_written && co_await is_synced();
  syncing_.clear();
  if (is_kept) co_return Reloaded<void>{};
  if (is_written) {
    to_take_back_ = wanted.config.digest;
    spawn(loop_, keep_taking_back());
  }
  co_return refuse("the reload cannot be recorded", log_->failure());
}

/// Whether nothing is to be taken back any more.
bool Control::take_back() {
  if (to_take_back_.empty()) return true;
  Record record{.kind = RecordKind::reload, .time = system_now()};
  record.principal = "gateway";
  record.policy = to_take_back_;
  record.decision = "deny";
  record.reason = text(Reason::not_recordable);
  const std::string detail = "did not take over from " + config_.digest;
  record.detail = detail;
  if (!log_->append({encode_record(record)}).has_value()) return false;
  to_take_back_.clear();
  return true;
}

/// Before the last record: a reload that waits for the disk, or to be taken back, is given up.
void Control::end_reload() {
  if (!syncing_.empty()) to_take_back_ = std::exchange(syncing_, {});
  if (take_back()) return;
  log(LogLevel::error, "reload not taken back",
      {{"policy", to_take_back_}, {"detail", log_->failure()}});
}

/// A record that fails takes nothing: what is to be taken back waits until it works again.
Task<void> Control::keep_taking_back() {
  Signal pause(loop_);
  while (!take_back())
    co_await pause.wait(kTakeBackAgain);
}

/// Whether what was appended is as durable as the running configuration asks for.
Task<bool> Control::is_synced() {
  if (log_->durability() != AuditConfig::Durability::disk) co_return true;
  struct Synced {
    explicit Synced(Loop& loop) : done(loop) {}
    Signal done;
    bool is_good = false;
  };
  const auto synced = std::make_shared<Synced>(loop_);
  log_->sync(loop_, [synced](bool is_good) {
    synced->is_good = is_good;
    synced->done.notify();
  });
  co_await synced->done.wait(kSyncWait);
  co_return synced->is_good;
}

// --- Taking over --------------------------------------------------------------------------------

Task<void> Control::on_all_workers(std::function<void(Worker&)> work) {
  struct Acknowledged {
    explicit Acknowledged(Loop& loop) : done(loop) {}
    std::size_t left = 0;
    Signal done;
  };
  const auto acknowledged = std::make_shared<Acknowledged>(loop_);
  acknowledged->left = gateway_->workers.size();
  for (const auto& worker : gateway_->workers) {
    worker->loop.post_answer([this, worker = worker.get(), work, acknowledged] {
      work(*worker);
      loop_.post_answer([acknowledged] {
        if (--acknowledged->left == 0) acknowledged->done.notify();
      });
    });
  }
  while (acknowledged->left > 0)
    co_await acknowledged->done.wait(kWorkersWait);
}

Task<void> Control::take_over(Wanted wanted) {
  SnapshotChange succession{.snapshot = nullptr, .revision = ++revision_};
  std::vector<ServerDefinitionPtr> unknown;
  for (const auto& [name, server] : servers_) {
    const auto kept = wanted.servers.find(name);
    if (kept != wanted.servers.end() && kept->second == server) continue;
    succession.replaced.push_back(name);
    names_.tools.erase(name);
    names_.prompts.erase(name);
  }
  for (const auto& [name, server] : wanted.servers) {
    if (server->generation == revision_) unknown.push_back(server);
  }
  // From here on whatever compiles a policy compiles the new one.
  const Config last = std::exchange(config_, std::move(wanted.config));
  servers_ = std::move(wanted.servers);
  scan_database_ = std::move(wanted.scan_database);
  tls_ = std::move(wanted.tls);
  socket_tls_ = std::move(wanted.socket_tls);
  console_tls_ = std::move(wanted.console_tls);
  note_certificates();
  approval_parts_ = std::move(wanted.approval_parts);
  use_approval_parts();
  memory_.set_bytes_max(config_.process.memory_max);
  set_log_level(config_.log.level);
  if (follows_files() && !files_.is_open()) spawn(loop_, watch_files());
  log_->configure(config_.audit);
  apply_exports(std::move(wanted.exports));
  keep_loaded(config_);
  gateway_->capture.configure(config_.capture, std::move(wanted.capture));
  succession.gone_principals = wanted.plan.principals.removed;
  tell_unknown_names();
  succession.snapshot = compile();
  succession.others_end = steady_now() + config_.process.drain;
  co_await on_all_workers(
      [&succession](Worker& worker) { bartizan::apply_snapshot(worker, succession); });
  tell_clients();
  log_applied(last.digest, config_.digest, wanted.plan, unknown);
  if (last.sources != nullptr) reviewer_.compare(loop_, last.sources, config_);
  if (!unknown.empty()) spawn(loop_, probe_new(std::move(unknown)));
}

}  // namespace bartizan
