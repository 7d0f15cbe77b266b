#include "audit/verify.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "audit/chain.h"
#include "audit/chain_reader.h"
#include "audit/file_name.h"
#include "audit/spool.h"

namespace bartizan {
namespace {

constexpr std::uint64_t kProgressStep = 4096;

std::string records_text(std::uint64_t first, std::uint64_t last) {
  if (first == last) return "record " + std::to_string(first);
  return "records " + std::to_string(first) + " to " + std::to_string(last);
}

bool continues(const ChainEntry& entry, const AuditHead& head) {
  return entry.problem.empty() && entry.sequence == head.sequence + 1 && entry.prev == head.hash;
}

/// Follows one chain. Where it breaks, reads on to find out what happened.
class Verifier {
 public:
  Verifier(const std::vector<std::string>& files, const std::optional<AuditHead>& expected,
           const std::function<void(std::uint64_t)>& progress, const std::optional<AuditHead>& from)
      : files_(files), reader_(files), expected_(expected), progress_(progress), from_(from) {}

  AuditVerdict run() {
    if (expected_ && expected_->sequence == 0 && *expected_ != AuditHead{}) {
      verdict_.first_problem = "the head names a hash before the first record";
      return std::move(verdict_);
    }
    while (const auto entry = reader_.next()) {
      if (verdict_.records == 0 && begin_place_.empty()) begin_place_ = entry->place;
      if (verdict_.records == 0 && begins_later(*entry)) begin_at(*entry);
      if (is_completed_by_spool(*entry)) break;
      if (!accept(*entry)) return std::move(verdict_);
    }
    if (!read_spooled()) return std::move(verdict_);
    if (explains_beginning()) finish();
    return std::move(verdict_);
  }

 private:
  // Retention may have removed the files before. A later record says whether it did.
  static bool begins_later(const ChainEntry& entry) {
    return entry.problem.empty() && entry.sequence > 1 && entry.kind == RecordKind::file_begin;
  }

  void begin_at(const ChainEntry& entry) {
    begin_ = {.sequence = entry.sequence - 1, .hash = entry.prev};
    begin_place_ = entry.place;
    previous_ = entry.previous;
    verdict_.head = begin_;
  }

  // Whether the file ends with a partial copy of a line in its spool.
  bool is_completed_by_spool(const ChainEntry& entry) const {
    if (entry.torn.empty()) return false;
    const auto spooled = read_spool(files_.back(), verdict_.head);
    return spooled.has_value() && spooled->text.starts_with(entry.torn);
  }

  // Spooled records count as recorded, and the next start writes them to the file. False if they
  // differ from the head, or cannot be read.
  bool read_spooled() {
    const std::uint64_t last = verdict_.head.sequence;
    const auto spooled = read_spool(files_.back(), verdict_.head);
    if (!spooled) {
      verdict_.first_problem = files_.back() + ": " + spooled.error().detail;
      return false;
    }
    for (const ChainEntry& entry : spooled->records) {
      if (!accept(entry)) return false;
    }
    if (spooled->records.empty()) return true;
    verdict_.notes.push_back(records_text(last + 1, verdict_.head.sequence) + ": in " +
                             spool_path(files_.back()) +
                             ", from where the next start brings them here");
    return true;
  }

  bool explains_beginning() {
    if (from_ && *from_ == begin_) {
      if (begin_.sequence > 0) {
        verdict_.notes.push_back(records_text(1, begin_.sequence) + ": before --from");
      }
      return true;
    }
    if (from_) {
      verdict_.first_problem = begin_place_ + ": it does not continue --from, but " + begin_.text();
      return false;
    }
    if (begin_.sequence == 0) return true;
    if (removed_by_ == 0) {
      verdict_.begins_late = true;
      verdict_.first_problem = begin_place_ + ": " + records_text(1, begin_.sequence) +
                               " missing before record " + std::to_string(begin_.sequence + 1) +
                               ": the file before it is " + previous_ +
                               "; name it too, oldest first, or give a kept head by --from";
      return false;
    }
    const std::string removal =
        ": removed by retention, as record " + std::to_string(removed_by_) + " says";
    // A process that removes files can append such a record: it counts only if a head covers it.
    if (!expected_ || expected_->sequence < removed_by_) {
      verdict_.begins_late = true;
      verdict_.first_problem = begin_place_ + ": " + records_text(1, begin_.sequence) + removal +
                               ", which nothing proves: give by --head a head of record " +
                               std::to_string(removed_by_) + " or later that was kept elsewhere";
      return false;
    }
    verdict_.notes.push_back(records_text(1, begin_.sequence) + removal);
    return true;
  }

  bool accept(const ChainEntry& entry) {
    if (!continues(entry, verdict_.head)) {
      verdict_.first_problem = explain(entry);
      return false;
    }
    before_ = std::exchange(verdict_.head, {.sequence = entry.sequence, .hash = entry.hash});
    last_place_ = entry.place;
    // The first one: a retry, or a forger, repeats it.
    if (removed_by_ == 0 && !entry.removed_head.empty() && entry.removed_head == begin_.text()) {
      removed_by_ = entry.sequence;
    }
    verdict_.records += 1;
    if (progress_ && verdict_.records % kProgressStep == 0) progress_(verdict_.records);
    if (!expected_ || expected_->sequence != entry.sequence || expected_->hash == entry.hash) {
      return true;
    }
    verdict_.first_problem = entry.place + ": replaced: record " + std::to_string(entry.sequence) +
                             " has another hash than the head";
    return false;
  }

  std::string explain(const ChainEntry& entry) {
    if (entry.unreadable) return entry.place + ": " + entry.problem;
    const std::uint64_t due = verdict_.head.sequence + 1;
    if (!entry.problem.empty()) return explain_bad_line(entry, due);
    if (entry.sequence > due) return explain_jump(entry, due);
    if (entry.sequence == due) return explain_fork(entry, due);
    return explain_return(entry, due);
  }

  // If the chain continues after the line, the line itself is foreign.
  std::string explain_bad_line(const ChainEntry& entry, std::uint64_t due) {
    const auto next = reader_.next();
    if (next && continues(*next, verdict_.head)) {
      return entry.place + ": inserted: a line stands before record " + std::to_string(due) +
             " that is not part of the chain: " + entry.problem;
    }
    return entry.place + ": changed: record " + std::to_string(due) + ": " + entry.problem;
  }

  // Missing, or only misplaced: searches all later lines for the record that is due.
  std::string explain_jump(const ChainEntry& entry, std::uint64_t due) {
    const std::string here = entry.place;
    const std::uint64_t found = entry.sequence;
    while (const auto next = reader_.next()) {
      if (!continues(*next, verdict_.head)) continue;
      return here + ": swapped: record " + std::to_string(found) + " stands where record " +
             std::to_string(due) + " belongs, which is at " + next->place;
    }
    return here + ": deleted: " + records_text(due, found - 1) + " missing before record " +
           std::to_string(found);
  }

  // The right number, but another past: either this record or the one before it was forged. The
  // next record decides, because it names the hash of its predecessor.
  std::string explain_fork(const ChainEntry& entry, std::uint64_t due) {
    const std::string here = entry.place;
    const AuditHead head{.sequence = entry.sequence, .hash = entry.hash};
    if (due == 1) return here + ": replaced: record 1 does not begin a chain";
    const auto next = reader_.next();
    if (next && continues(*next, head)) {
      return last_place_ + ": replaced: record " + std::to_string(due - 1) +
             " is not the one that record " + std::to_string(due) + " continues";
    }
    if (next) {
      return here + ": replaced: record " + std::to_string(due) + " does not continue record " +
             std::to_string(due - 1);
    }
    return here + ": replaced: record " + std::to_string(due) + ", or record " +
           std::to_string(due - 1) + " at " + last_place_ + ": they do not belong together";
  }

  std::string explain_return(const ChainEntry& entry, std::uint64_t due) {
    const std::string here = entry.place;
    const std::string number = std::to_string(entry.sequence);
    const bool rival = entry.sequence + 1 == due && entry.prev == before_.hash;
    const AuditHead head{.sequence = entry.sequence, .hash = entry.hash};
    if (rival && head != verdict_.head) {
      const auto next = reader_.next();
      if (next && continues(*next, head)) {
        return last_place_ + ": inserted: a second record " + number + ", which record " +
               std::to_string(due) + " does not continue";
      }
    }
    const std::string own_chain = entry.sequence == 1 && here.ends_with(":1")
                                      ? "; or it is another chain: verify each record alone"
                                      : "";
    return here + ": inserted: a second record " + number + " stands where record " +
           std::to_string(due) + " belongs" + own_chain;
  }

  void finish() {
    if (expected_ && expected_->sequence > verdict_.head.sequence) {
      verdict_.first_problem = reader_.place() + ": truncated: " +
                               records_text(verdict_.head.sequence + 1, expected_->sequence) +
                               " missing at the end";
      return;
    }
    if (expected_ && expected_->sequence == begin_.sequence && *expected_ != begin_) {
      verdict_.first_problem = begin_place_ + ": replaced: it does not continue the head";
      return;
    }
    verdict_.intact = true;
    if (!expected_) {
      verdict_.not_covered = {
          "records cut off at the end: give --head with a head that was kept elsewhere",
          "all files replaced by another chain that agrees with itself: give --head"};
    } else if (expected_->sequence < begin_.sequence) {
      verdict_.not_covered.emplace_back(
          "the head: it is of a record before --from, and was not read");
    } else if (expected_->sequence < verdict_.head.sequence) {
      verdict_.not_covered.push_back(
          records_text(expected_->sequence + 1, verdict_.head.sequence) +
          ": they are newer than the head, so cutting or replacing them would not be seen");
    }
  }

  const std::vector<std::string>& files_;
  ChainReader reader_;
  const std::optional<AuditHead>& expected_;
  const std::function<void(std::uint64_t)>& progress_;
  AuditVerdict verdict_;
  AuditHead before_;
  std::string last_place_;
  const std::optional<AuditHead>& from_;
  std::string previous_;  ///< The name of the file before it in the first record.
  AuditHead begin_;       ///< The head before the first file; all zero for the whole chain.
  std::string begin_place_;
  std::uint64_t removed_by_ = 0;  ///< The record of the removal of the earlier files.
};

}  // namespace

AuditVerdict verify_audit(const std::vector<std::string>& files,
                          const std::optional<AuditHead>& expected_head,
                          const std::function<void(std::uint64_t)>& progress,
                          const std::optional<AuditHead>& from) {
  return Verifier(files, expected_head, progress, from).run();
}

std::optional<AuditHead> parse_audit_head(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  AuditHead head;
  const char* end = text.data() + colon;
  const auto [stop, error] = std::from_chars(text.data(), end, head.sequence);
  const std::string_view rest = text.substr(colon + 1);
  const std::optional<Hash> hash = parse_hex(rest);
  if (stop != end || error != std::errc() || !hash) return std::nullopt;
  head.hash = *hash;
  return head;
}

}  // namespace bartizan
