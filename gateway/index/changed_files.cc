#include "gateway/index/changed_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "audit/chain_files.h"
#include "audit/verify.h"

namespace bartizan {
namespace {

/// What a file looks like; nothing where it is not there.
std::optional<std::string> look_of(const std::string& path, std::uint64_t* size = nullptr) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  if (size != nullptr) *size = static_cast<std::uint64_t>(status.st_size);
  return fmt::format("{}:{} {} {}.{:09}", status.st_dev, status.st_ino, status.st_size,
                     status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

/// `DEVICE:INODE SIZE TIME HEAD` of the last time; empty where the file has no such line.
std::string_view stamp_of(const ChainFile& file, std::string_view stamps) {
  const std::string begin = fmt::format("{}:{} ", file.device, file.inode);
  while (!stamps.empty()) {
    const std::string_view line = stamps.substr(0, stamps.find('\n'));
    if (line.starts_with(begin)) return line;
    stamps.remove_prefix(std::min(line.size() + 1, stamps.size()));
  }
  return {};
}

/// The head that the file had the last time, or that the index has of it.
std::optional<AuditHead> head_in(const ChainFile& file, std::string_view stamp,
                                 const AuditHead& indexed) {
  if (indexed.sequence <= file.last.sequence) return indexed;
  const std::size_t blank = stamp.rfind(' ');
  return blank == stamp.npos ? std::nullopt : parse_audit_head(stamp.substr(blank + 1));
}

/// The first problem of a file; empty where it is whole, or another one is in its place by now.
std::string problem_of(const ChainFile& file, const std::optional<AuditHead>& head) {
  // What is written meanwhile may look torn, once.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const AuditVerdict verdict = verify_audit({file.path}, head, {}, file.before);
    if (verdict.intact) return {};
    struct stat status{};
    const bool is_there = ::lstat(file.path.c_str(), &status) == 0;
    if (!is_there || status.st_ino != file.inode || status.st_dev != file.device) return {};
    if (attempt > 0) return verdict.first_problem + ", and was changed after it was indexed";
  }
  return {};
}

}  // namespace

ChangedFiles find_changed_files(const std::string& record, std::string_view stamps,
                                const AuditHead& indexed) {
  ChangedFiles changed;
  const auto files = find_chain(record);
  // Whoever reads the record says why it cannot be read.
  if (!files.has_value()) return changed;
  for (const ChainFile& file : *files) {
    std::uint64_t size = 0;
    const auto look = look_of(file.path, &size);
    if (!look) continue;
    const std::string_view stamp = stamp_of(file, stamps);
    const std::string line = *look + " " + file.last.text();
    const bool is_indexed = indexed.sequence > file.before.sequence;
    const bool is_open = &file == &files->back();
    const bool is_large = is_open && !stamp.empty() && size > limits::grown_file_bytes_max;
    if (!is_indexed || stamp == line || is_large) {
      changed.stamps += line + "\n";
      continue;
    }
    const std::string problem = problem_of(file, head_in(file, stamp, indexed));
    if (problem.empty()) {
      changed.stamps += line + "\n";
    } else {
      changed.problems.push_back(problem);
    }
  }
  return changed;
}

}  // namespace bartizan
