#include "audit/find_hash.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include "audit/audit_file.h"
#include "audit/chain.h"
#include "audit/chain_files.h"
#include "audit/file_ends.h"

namespace bartizan {
namespace {

/// Longer than almost every record, so that one read holds a whole one.
constexpr std::uint64_t kPart = std::uint64_t{16} << 10;
/// Parts up to this size are read from beginning to end.
constexpr std::uint64_t kReadWhole = 4 * kPart;

std::unexpected<Error> missing(std::string detail) {
  return fail(ErrorCode::not_found, Fault::gateway, std::move(detail));
}

/// A line and its position.
struct Line {
  std::uint64_t begin = 0;
  std::string text = {};
  std::uint64_t end() const { return begin + text.size() + 1; }
};

/// A search in one file by a few reads.
class Search {
 public:
  Search(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}

  /// Bisects the file by the sequence numbers of lines.
  Result<Hash> run(std::uint64_t sequence) {
    std::uint64_t from = 0;
    std::uint64_t to = size_;
    while (to - from > kReadWhole) {
      const std::uint64_t middle = from + (to - from) / 2;
      const auto line = line_behind(middle, to);
      if (!line) return std::unexpected(line.error());
      if (!line->has_value()) {
        to = middle;
        continue;
      }
      const auto parts = split_chain_line((*line)->text);
      if (!parts) return file_refused("a line of it is not a record");
      if (parts->sequence == sequence) return judge(*parts);
      if (parts->sequence < sequence) {
        from = (*line)->begin;
      } else {
        to = (*line)->begin;
      }
    }
    return read_through(sequence, from, to);
  }

 private:
  Result<Hash> read_through(std::uint64_t sequence, std::uint64_t from, std::uint64_t to) {
    while (from < to) {
      const auto line = line_at(from);
      if (!line) return std::unexpected(line.error());
      const auto parts = split_chain_line(line->text);
      if (!parts) return file_refused("a line of it is not a record");
      if (parts->sequence == sequence) return judge(*parts);
      from = line->end();
    }
    return missing("it is missing from its position");
  }

  Result<Hash> judge(const ChainLine& line) {
    if (is_self_consistent(digester_, line)) return line.hash;
    return file_refused("it does not verify: somebody changed it");
  }

  /// The line that begins at `begin`.
  Result<Line> line_at(std::uint64_t begin) const {
    for (std::uint64_t wanted = kPart;; wanted = kRecordLineMax + 1) {
      const std::uint64_t bytes = std::min<std::uint64_t>(wanted, size_ - begin);
      auto part = read_range(descriptor_, begin, bytes);
      if (!part) return std::unexpected(part.error());
      const std::size_t newline = part->find('\n');
      if (newline != std::string::npos)
        return Line{.begin = begin, .text = part->substr(0, newline)};
      if (bytes < wanted || wanted > kPart) return file_refused("a line of it has no end");
    }
  }

  /// The first line that begins after `place` and before `to`. Nothing if there is none.
  Result<std::optional<Line>> line_behind(std::uint64_t place, std::uint64_t to) const {
    const auto before = line_at(place);
    if (!before) return std::unexpected(before.error());
    if (before->end() >= to) return std::optional<Line>();
    auto line = line_at(before->end());
    if (!line) return std::unexpected(line.error());
    return std::optional(std::move(*line));
  }

  int descriptor_;
  std::uint64_t size_;
  Digester digester_;
};

}  // namespace

Result<Hash> find_hash(const std::string& path, std::uint64_t sequence) {
  const auto file = find_chain_file(path, sequence);
  if (!file) return std::unexpected(file.error());
  if (!file->has_value()) return missing("the files that are there begin later");
  if (sequence > (*file)->last.sequence) return missing("the files that are there end before it");
  const int descriptor =
      ::open((*file)->path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return file_failed("cannot be opened");
  const AuditFile open(descriptor);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return file_failed("cannot be examined");
  if (status.st_dev != (*file)->device || status.st_ino != (*file)->inode) {
    return file_refused("another file has taken its name");
  }
  const auto end = read_end(descriptor, static_cast<std::uint64_t>(status.st_size));
  if (!end) return std::unexpected(end.error());
  return Search(descriptor, end->size).run(sequence);
}

}  // namespace bartizan
