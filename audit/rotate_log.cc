// Closes a file and continues the chain in the next one.
//
// INVARIANT: at every point at which the process may be killed, exactly one file can be continued.
//
//   1  the next file is created under its own name, with its first record in it
//   2  the record that closes the old file is written to it
//   3  the old file takes the name under which it is kept
//   4  the next file takes its place
//
// Before 3 the old file is in its place and continues; the prepared one is discarded. Between 3 and
// 4 the place is empty, but the prepared file continues the closed one, and opening puts it there.
// open_log.cc handles the further effects of a loss of power.
#include <cstdio>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "audit/encode_record.h"
#include "audit/file_ends.h"
#include "audit/file_name.h"
#include "audit/log_state.h"

namespace bartizan {
namespace {

bool exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

/// Removes the prepared file unless it has taken its place.
class Prepared {
 public:
  explicit Prepared(std::string path) : path_(std::move(path)) {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  ~Prepared() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  void keep() { path_.clear(); }

 private:
  std::string path_;
};

}  // namespace

Result<std::string> AuditLog::rotate(Time now) {
  State& state = *state_;
  Result<void> ready = repair();
  if (ready.has_value()) ready = check_place();
  if (ready.has_value()) ready = drain();
  // Its lines are in the file that is now closed.
  if (ready.has_value()) state.spool = nullptr;
  if (!ready.has_value()) return std::unexpected(ready.error());
  if (torn_bytes() > 0) return state.at_path(file_refused("a torn record comes first").error());

  const std::string name = rotated_name(state.path, now, state.first_sequence);
  std::string closed = folder_of(state.path) + name;
  if (exists(closed))
    return state.at_path(file_refused("a file named " + name + " exists").error());
  // A file that an earlier attempt could not remove.
  const Result<void> discarded = discard_next(state.path);
  if (!discarded.has_value()) return state.at_path(discarded.error());
  const auto next = AuditFile::create(next_path(state.path));
  if (!next) return state.at_path(next.error());
  Prepared prepared(next_path(state.path));

  const std::string head_before = state.head.text();
  const EncodedRecord end =
      encode_record({.kind = RecordKind::file_end, .time = now, .file = name, .head = head_before});
  std::string end_line;
  const AuditHead closing = state.link(end_line, state.head, {&end, 1});
  const std::string head_closing = closing.text();
  const Result<FileBegin> opening = read_begin(state.file->descriptor());
  if (!opening.has_value()) return state.at_path(opening.error());
  const EncodedRecord begin = encode_record({.kind = RecordKind::file_begin,
                                             .time = now,
                                             .file = name,
                                             .head = head_closing,
                                             .chain = opening->chain});
  std::string begin_line;
  const AuditHead begun = state.link(begin_line, closing, {&begin, 1});

  const Result<void> first = (*next)->append(begin_line).done;
  if (!first.has_value()) return state.at_path(first.error());
  const Result<void> untouched = state.file->check(state.size);
  if (!untouched.has_value()) return state.at_path(untouched.error());
  const Result<void> last = state.write_lines(end_line);
  if (!last.has_value()) return state.at_path(last.error());
  state.head = closing;
  if (std::rename(state.path.c_str(), closed.c_str()) != 0) {
    return state.at_path(file_failed("cannot be renamed to " + name).error());
  }

  prepared.keep();
  state.file = *next;
  state.size = state.written_back = state.forgotten = 0;
  state.remember(begin_line);
  state.size = state.begin_bytes = begin_line.size();
  state.first_sequence = begun.sequence;
  state.began = now;
  state.head = begun;
  state.folder_unsynced = true;
  state.unplaced = true;
  // If this fails, nothing is appended until it works: the next file is the chain's end now.
  const Result<void> placed = state.place();
  if (!placed.has_value()) return state.at_path(placed.error());
  return closed;
}

}  // namespace bartizan
