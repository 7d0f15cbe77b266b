// Finds the chain again, however the process that wrote it ended.
#include <cstdio>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "audit/file_ends.h"
#include "audit/file_name.h"
#include "audit/log_state.h"

namespace bartizan {
namespace {

/// Another process can rotate between two looks. More rotations cannot be a coincidence.
constexpr int kLooks = 3;

/// The closed file that was begun last, by the number in its name; empty if there is none.
Result<std::string> newest_closed(const std::string& path) {
  const std::string folder = folder_of(path);
  DIR* opened = ::opendir(folder.c_str());
  if (opened == nullptr) return file_failed("its folder cannot be read");
  std::string newest;
  std::uint64_t newest_sequence = 0;
  while (const dirent* entry = ::readdir(opened)) {
    const auto sequence = rotated_sequence(path, entry->d_name);
    if (!sequence || (!newest.empty() && *sequence < newest_sequence)) continue;
    newest = folder + entry->d_name;
    newest_sequence = *sequence;
  }
  ::closedir(opened);
  return newest;
}

/// A file that may be the chain's end: opened, locked, and its first and last record.
struct Candidate {
  AuditFile::Ptr file;  ///< Null if it does not exist.
  std::uint64_t found = 0;
  FileEnd end;
  FileBegin begin = {};  ///< Of a file with a record.
  bool has_records() const { return end.size > 0; }
};

Result<Candidate> look_at(const std::string& path) {
  Candidate candidate;
  auto file = AuditFile::open(path);
  if (!file) return std::unexpected(file.error());
  if (*file == nullptr) return candidate;
  const auto size = (*file)->size();
  if (!size) return std::unexpected(size.error());
  const auto end = read_end((*file)->descriptor(), *size);
  if (!end) return std::unexpected(end.error());
  candidate = {.file = *file, .found = *size, .end = *end};
  if (!candidate.has_records()) return candidate;
  auto begin = read_begin((*file)->descriptor());
  if (!begin) return std::unexpected(begin.error());
  candidate.begin = std::move(*begin);
  return candidate;
}

}  // namespace

Result<void> discard_next(const std::string& path) {
  const auto next = look_at(next_path(path));
  if (!next) return std::unexpected(next.error());
  if (next->file == nullptr) return {};
  if (next->has_records() && next->begin.kind != RecordKind::file_begin) {
    return file_refused(std::string(name_of(next_path(path))) + " beside it is not ours");
  }
  if (::unlink(next_path(path).c_str()) == 0) return {};
  return file_failed(std::string(name_of(next_path(path))) + " cannot be removed");
}

/// Opens one record, step by step.
class OpenLog {
 public:
  explicit OpenLog(const std::string& path) : path_(path) {}

  Result<AuditLog::Opened> run() {
    for (int look = 0; look < kLooks; ++look) {
      auto found = look_at(path_);
      if (!found) return at_path(found.error());
      if (found->file != nullptr && !found->file->is_at(path_)) continue;
      if (found->has_records()) return take(*found, discard_next(path_));
      auto continued = continue_closed(*found);
      if (!continued) return at_path(continued.error());
      if (*continued == Found::again) continue;
      if (*continued == Found::placed) {
        auto placed = look_at(path_);
        if (!placed) return at_path(placed.error());
        return take(*placed, discard_next(path_));
      }
      return found->file != nullptr ? take(*found, {}) : create();
    }
    return at_path({ErrorCode::not_recordable, Fault::gateway, "another process is writing it"});
  }

 private:
  enum class Found : std::uint8_t { nothing, placed, again };

  std::unexpected<Error> at_path(const Error& error) const {
    return fail(ErrorCode::not_recordable, Fault::gateway,
                "audit file " + path_ + ": " + error.detail);
  }

  // There is no record in the file's place. Without closed files beside it, a chain begins here.
  // Otherwise a rotation was interrupted, or the file was removed.
  Result<Found> continue_closed(const Candidate& here) {
    const auto closed = newest_closed(path_);
    if (!closed) {
      // Creating the file reports the fault of its folder.
      return here.file == nullptr ? Result<Found>(Found::nothing) : std::unexpected(closed.error());
    }
    const auto next = look_at(next_path(path_));
    if (!next) return std::unexpected(next.error());
    if (closed->empty()) {
      // The next file continues the chain even if the file before it was moved away.
      const bool continues =
          here.file == nullptr && next->has_records() && next->begin.kind == RecordKind::file_begin;
      if (!continues) return Found::nothing;
      return put(next_path(path_),
                 "an interrupted rotation was ended; the file before is elsewhere");
    }
    if (here.file == nullptr && next->file == nullptr) {
      if (::access(path_.c_str(), F_OK) == 0) return Found::again;
      return file_refused("it is gone, though " + std::string(name_of(*closed)) +
                          " tells that it was there; put it back, or move the closed files away");
    }
    const auto last = look_at(*closed);
    if (!last) return std::unexpected(last.error());
    const bool fits = next->has_records() && next->begin.kind == RecordKind::file_begin &&
                      next->begin.before == last->end.head;
    if (fits) return put(next_path(path_), "an interrupted rotation was ended");
    // A loss of power kept the names and lost the content: the closed file is the chain's end.
    return put(*closed, "a rotation was undone: the next file was lost with its content");
  }

  Result<Found> put(const std::string& from, const char* what) {
    if (std::rename(from.c_str(), path_.c_str()) != 0) return file_failed("cannot be put back");
    repaired_ = what;
    return Found::placed;
  }

  Result<AuditLog::Opened> take(const Candidate& found, const Result<void>& ready) {
    if (!ready.has_value()) return at_path(ready.error());
    auto state = std::make_unique<AuditLog::State>(
        AuditLog::State{.path = path_,
                        .file = found.file,
                        .head = found.end.head,
                        .first_sequence = found.begin.before.sequence + 1,
                        .size = found.end.size,
                        .torn = found.found - found.end.size,
                        .written_back = found.end.size,
                        .forgotten = found.end.size});
    if (found.has_records()) state->began = found.begin.time;
    const auto spooled = read_spool(path_, state->head);
    if (!spooled) return at_path(spooled.error());
    const Result<void> taken = take_spooled(*state, *spooled);
    if (!taken.has_value()) return at_path(taken.error());
    auto unplaced = put_spool_away(*state, *spooled);
    if (!unplaced) return at_path(unplaced.error());
    return AuditLog::Opened{.log = AuditLog(std::move(state)),
                            .repaired = std::move(repaired_),
                            .spooled = spooled->records.size(),
                            .unplaced = std::move(*unplaced)};
  }

  // Holds again the records that the process before spooled and did not write to the file. They
  // precede the first new record. So a full disk refuses nothing that it did not refuse before. If
  // that process was stopped while it wrote, the file ends with the beginning of them.
  Result<void> take_spooled(AuditLog::State& state, const SpooledLines& spooled) {
    if (spooled.records.empty()) return {};
    std::string torn(state.torn, '\0');
    const ssize_t got =
        ::pread(state.file->descriptor(), torn.data(), torn.size(), static_cast<off_t>(state.size));
    if (got != static_cast<ssize_t>(torn.size())) return file_failed("cannot be read");
    state.head = spooled.head;
    if (spooled.text.starts_with(torn)) {
      state.size += spooled.text.size();
      state.torn = 0;
      state.spool = Spool::adopt(path_, spooled.text.substr(torn.size()));
      return {};
    }
    // A loss of power tore the tail differently. Records overwrite it, as always.
    const Result<void> written = state.write_lines(spooled.text);
    if (!written.has_value()) return written;
    repaired_ =
        std::to_string(torn.size()) + " bytes of a torn record gave way to what was spooled";
    return {};
  }

  // A loss of power may leave a spool that is newer than the rest of the file. The records between
  // them are lost, so the spool cannot continue this chain.
  Result<std::string> put_spool_away(AuditLog::State& state, const SpooledLines& spooled) const {
    if (!spooled.exists) return std::string();
    const std::string spool = spool_path(path_);
    if (spooled.unplaced == 0) {
      // It stays while it holds lines.
      if (state.spool != nullptr || ::unlink(spool.c_str()) == 0) return std::string();
      return file_failed("its spool cannot be removed");
    }
    const Result<void> drained = state.drain();
    if (!drained.has_value()) return std::unexpected(drained.error());
    const std::string number = std::to_string(spooled.unplaced);
    const std::string aside = spool + ".unplaced-" + number;
    if (std::rename(spool.c_str(), aside.c_str()) != 0) {
      return file_failed("its spool cannot be put aside");
    }
    state.spool = nullptr;
    return "record " + number + " of the spool does not continue record " +
           std::to_string(state.head.sequence) + "; it is kept in " + std::string(name_of(aside));
  }

  // A new file survives a loss of power only after its folder was synced.
  Result<AuditLog::Opened> create() {
    auto created = AuditFile::create(path_);
    if (!created) return at_path(created.error());
    const Result<void> synced = sync_folder(path_);
    if (!synced.has_value()) return at_path(synced.error());
    return take({.file = *created, .end = {}}, {});
  }

  const std::string& path_;
  std::string repaired_;
};

Result<AuditLog::Opened> AuditLog::open(const std::string& path) {
  return OpenLog(path).run();
}

}  // namespace bartizan
