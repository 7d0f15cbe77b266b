#include "audit/audit_log.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "audit/chain.h"
#include "audit/file_ends.h"
#include "audit/file_name.h"
#include "audit/log_state.h"

namespace bartizan {
namespace {

/// Memory that the buffer of lines keeps between two appends.
constexpr std::size_t kBufferKept = std::size_t{1} << 20;
/// Bytes that may wait for the disk before records are refused. The calls in progress produce far
/// less, and the memory is affordable.
constexpr std::size_t kUnsyncedMax = std::size_t{64} << 20;
/// Bytes of one write-back: few system calls, and little memory.
constexpr std::uint64_t kWriteBackBytes = std::uint64_t{16} << 20;

}  // namespace

std::string AuditHead::text() const {
  const std::array<char, 64> hex = hex_text(hash);
  return std::to_string(sequence) + ":" + std::string(hex.data(), hex.size());
}

// --- What appending shares with rotating --------------------------------------------------------

std::unexpected<Error> AuditLog::State::at_path(const Error& error) const {
  return fail(ErrorCode::not_recordable, Fault::gateway,
              "audit file " + path + ": " + error.detail);
}

AuditHead AuditLog::State::link(std::string& out, AuditHead from,
                                std::span<const EncodedRecord> records) {
  for (const EncodedRecord& record : records) {
    const Hash prev = from.hash;
    from.sequence += 1;
    from.hash = chain_hash(digester, prev, from.sequence, record.digest);
    append_chain_line(
        out, {.body = record.body, .sequence = from.sequence, .prev = prev, .hash = from.hash});
  }
  return from;
}

// INVARIANT: torn bytes leave the file only by a record that overwrites them in the same write, so
//            that no crash can hide them. If they are longer than the records, they are first cut
//            down to the size of the records. A torn tail then still remains to be found.
Result<void> AuditLog::State::write_lines(std::string_view bytes) {
  if (torn > bytes.size()) {
    const Result<void> shortened = file->shorten(size + bytes.size());
    if (!shortened.has_value()) return shortened;
    torn_cut += torn - bytes.size();
    torn = bytes.size();
  }
  const AuditFile::Written written =
      torn == 0 ? file->append(bytes) : file->write_over(size, bytes);
  if (!written.done.has_value()) {
    torn = std::max(torn, written.bytes);
    return written.done;
  }
  remember(bytes);
  size += bytes.size();
  torn = torn_cut = 0;
  return {};
}

// A partial write counts: the rest is still held, and is written next.
Result<void> AuditLog::State::drain() {
  if (spool == nullptr || spool->held().empty()) return {};
  const Result<void> untouched = file->check(in_file() + torn);
  if (!untouched.has_value()) return untouched;
  const AuditFile::Written written = file->append(spool->held());
  spool->release(written.bytes);
  return written.done;
}

void AuditLog::State::remember(std::string_view bytes) {
  if (keep == Keep::nothing) return;
  // Another thread reads a part that a job has taken.
  if (unsynced.empty() || unsynced.back()->file != file || sealed) {
    unsynced.push_back(std::make_shared<Unsynced>(Unsynced{.file = file, .offset = size}));
    sealed = false;
  }
  unsynced.back()->bytes += bytes;
}

Result<void> AuditLog::State::place() {
  if (std::rename(next_path(path).c_str(), path.c_str()) != 0) {
    return file_failed("the next file cannot take its place");
  }
  unplaced = false;
  return {};
}

// --- AuditLog -----------------------------------------------------------------------------------

AuditLog::AuditLog(std::unique_ptr<State> state) : state_(std::move(state)) {}
AuditLog::AuditLog(AuditLog&&) noexcept = default;
AuditLog& AuditLog::operator=(AuditLog&&) noexcept = default;
AuditLog::~AuditLog() {
  if (state_ != nullptr) static_cast<void>(state_->drain());
}

Result<void> AuditLog::repair() {
  State& state = *state_;
  if (state.unplaced) {
    const Result<void> placed = state.place();
    if (!placed.has_value()) return state.at_path(placed.error());
  }
  if (state.lost) {
    const Result<void> found = check_place();
    if (!found.has_value()) return found;
  }
  return {};
}

Result<void> AuditLog::check_place() {
  State& state = *state_;
  state.lost = !state.unplaced && !state.file->is_at(state.path);
  if (state.lost) {
    return state.at_path({ErrorCode::not_recordable, Fault::gateway,
                          "it was moved, removed or replaced while it was written"});
  }
  const Result<void> untouched = state.file->check(state.in_file() + state.torn);
  if (!untouched.has_value()) return state.at_path(untouched.error());
  return {};
}

Result<AuditHead> AuditLog::append(std::span<const EncodedRecord> records, Look look) {
  State& state = *state_;
  Result<void> ready = repair();
  if (records.empty() && ready.has_value()) return state.head;
  if (ready.has_value()) ready = drain();
  if (!ready.has_value()) return std::unexpected(ready.error());
  // Torn bytes are overwritten, so they must be exactly those that were found.
  if (look == Look::at_file || state.torn > 0) {
    const Result<void> untouched = state.file->check(state.size + state.torn);
    if (!untouched.has_value()) return state.at_path(untouched.error());
  }
  state.lines.clear();
  const AuditHead next = state.link(state.lines, state.head, records);
  std::size_t waiting = state.lines.size();
  for (const auto& part : state.unsynced)
    waiting += part->bytes.size();
  if (waiting > kUnsyncedMax) {
    return state.at_path({ErrorCode::not_recordable, Fault::gateway, "the disk does not keep up"});
  }
  const Result<void> written = state.write_lines(state.lines);
  if (state.lines.capacity() > kBufferKept) state.lines = std::string();
  if (!written.has_value()) return state.at_path(written.error());
  state.head = next;
  return next;
}

Result<AuditHead> AuditLog::append_spooled(std::span<const EncodedRecord> records, Look look) {
  State& state = *state_;
  const bool is_kept = state.keep == Keep::until_durable;
  const bool is_for_file = is_kept || !state.spool_problem.empty() || state.torn > 0;
  if (records.empty() || is_for_file) return append(records, look);
  Result<void> ready = repair();
  // Lines that the file did not take before are written first.
  if (ready.has_value() && is_drain_due()) ready = drain();
  if (!ready.has_value()) return std::unexpected(ready.error());
  if (state.spool == nullptr) {
    auto created = Spool::create(state.path);
    if (!created.has_value()) {
      state.spool_problem = created.error().detail;
      return append(records, look);
    }
    state.spool = std::move(*created);
  }
  state.lines.clear();
  const AuditHead next = state.link(state.lines, state.head, records);
  if (!state.spool->has_room(state.lines.size())) return append(records, look);
  const Result<void> spooled = state.spool->append(state.lines, look);
  if (!spooled.has_value()) {
    state.spool_problem = spooled.error().detail;
    return append(records, look);
  }
  state.spool_is_used = true;
  state.size += state.lines.size();
  state.head = next;
  // The lines are recorded in any case. If this fails, the next append reports it.
  if (is_drain_due()) static_cast<void>(drain());
  return next;
}

const std::string& AuditLog::spool_problem() const {
  return state_->spool_problem;
}

void AuditLog::release_idle_spool() {
  if (!std::exchange(state_->spool_is_used, false)) discard_empty_spool();
}

void AuditLog::discard_empty_spool() {
  State& state = *state_;
  if (state.spool != nullptr && !state.spool->held().empty()) return;
  state.spool = nullptr;
  state.spool_problem.clear();  // It may be possible by now.
}

bool AuditLog::is_drain_due() const {
  return state_->spool != nullptr && state_->spool->held().size() >= kHeldMax;
}

Result<void> AuditLog::drain() {
  const Result<void> drained = state_->drain();
  if (!drained.has_value()) return state_->at_path(drained.error());
  return {};
}

std::uint64_t AuditLog::torn_bytes() const {
  return state_->torn + state_->torn_cut;
}
std::uint64_t AuditLog::size() const {
  return state_->size;
}
std::optional<AuditLog::Time> AuditLog::began() const {
  if (state_->began || state_->size == 0) return state_->began;
  const auto begin = read_begin(state_->file->descriptor());
  if (begin) state_->began = begin->time;
  return state_->began;
}
bool AuditLog::is_just_begun() const {
  return state_->size <= state_->begin_bytes;
}
AuditHead AuditLog::head() const {
  return state_->head;
}
std::shared_ptr<const AuditFile> AuditLog::file() const {
  return state_->file;
}
const std::string& AuditLog::path() const {
  return state_->path;
}
int AuditLog::descriptor() const {
  return state_->file->descriptor();
}

// --- Leaving memory -----------------------------------------------------------------------------

bool AuditLog::is_write_back_due() const {
  return state_->size - state_->written_back >= kWriteBackBytes;
}

AuditLog::WriteBackJob AuditLog::begin_write_back() {
  State& state = *state_;
  WriteBackJob job;
  job.file_ = state.file;
  job.from_ = state.forgotten;
  job.to_ = state.in_file();
  state.forgotten = std::exchange(state.written_back, job.to_);
  return job;
}

void AuditLog::WriteBackJob::run() const {
  if (file_ != nullptr) file_->write_back(from_, to_);
}

// --- Making it durable --------------------------------------------------------------------------

void AuditLog::keep(Keep what) {
  // Spooled lines are not kept. If they cannot be written now, the next append reports it.
  if (what == Keep::until_durable) static_cast<void>(drain());
  state_->keep = what;
  if (what == Keep::nothing) state_->unsynced.clear();
}

AuditLog::SyncJob AuditLog::begin_sync() {
  State& state = *state_;
  SyncJob job;
  job.parts_.assign(state.unsynced.begin(), state.unsynced.end());
  if (std::exchange(state.folder_unsynced, false)) job.folder_ = state.path;
  job.again_ = state.sync_failed;
  state.sealed = true;
  return job;
}

void AuditLog::end_sync(const SyncJob& job, const Result<void>& synced) {
  State& state = *state_;
  state.sync_failed = !synced.has_value() && !job.parts_.empty();
  if (!synced.has_value()) {
    state.folder_unsynced = state.folder_unsynced || !job.folder_.empty();
    return;
  }
  std::erase_if(state.unsynced, [&job](const std::shared_ptr<Unsynced>& part) {
    return std::ranges::find(job.parts_, part) != job.parts_.end();
  });
}

Result<void> AuditLog::SyncJob::run() const {
  const AuditFile* synced = nullptr;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Unsynced& part = *parts_[i];
    if (again_) {
      const Result<void> written = part.file->write_again(part.offset, part.bytes);
      if (!written.has_value()) return written;
    }
    // Several parts of one file need one sync.
    const bool is_last = i + 1 == parts_.size() || parts_[i + 1]->file != part.file;
    if (!is_last || part.file.get() == synced) continue;
    const Result<void> done = part.file->sync();
    if (!done.has_value()) return done;
    synced = part.file.get();
  }
  return folder_.empty() ? Result<void>{} : sync_folder(folder_);
}

}  // namespace bartizan
