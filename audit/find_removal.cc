#include "audit/find_removal.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "audit/chain.h"
#include "audit/chain_files.h"
#include "audit/decode_record.h"
#include "audit/record_lines.h"

namespace bartizan {
namespace {

/// Files of 256 MiB each, unless the configuration sets another size.
constexpr std::size_t kFilesMax = 4;

/// The sequence number of the record in that line, if it reports the removal of a file that ended
/// with `head`.
std::optional<std::uint64_t> removal_in(std::string_view line, std::string_view head) {
  if (!line.starts_with(kRecordLineStart)) return std::nullopt;
  if (!line.substr(kRecordLineStart.size()).starts_with("file_removed\"")) return std::nullopt;
  const auto parts = split_chain_line(line);
  if (!parts) return std::nullopt;
  RecordReader reader;
  const auto record = reader.read(parts->body);
  if (!record || (*record)->kind != RecordKind::file_removed || (*record)->head != head) {
    return std::nullopt;
  }
  Digester digester;
  if (!is_self_consistent(digester, *parts)) return std::nullopt;
  return parts->sequence;
}

std::optional<std::uint64_t> removal_in_file(const std::string& path, std::string_view head) {
  auto lines = RecordLines::open(path);
  if (!lines) return std::nullopt;
  while (true) {
    const auto line = lines->next();
    if (!line || line->number == 0) return std::nullopt;
    if (!line->ended || line->too_long) continue;
    const auto found = removal_in(line->text, head);
    if (found.has_value()) return found;
  }
}

}  // namespace

std::optional<std::uint64_t> find_removal(const std::string& path, std::uint64_t sequence) {
  const auto files = find_chain(path);
  if (!files || files->empty() || files->front().before.sequence < sequence) return std::nullopt;
  const std::string head = files->front().before.text();
  const std::size_t count = std::min(files->size(), kFilesMax);
  for (auto file = files->rbegin(); file != files->rbegin() + static_cast<std::ptrdiff_t>(count);
       ++file) {
    const auto found = removal_in_file(file->path, head);
    if (found.has_value()) return found;
  }
  return std::nullopt;
}

}  // namespace bartizan
