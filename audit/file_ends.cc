#include "audit/file_ends.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include <unistd.h>

#include "audit/audit_file.h"
#include "audit/chain.h"
#include "audit/decode_record.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

/// Longer than almost every record, so that one read is enough.
constexpr std::size_t kFirstRead = std::size_t{16} << 10;
constexpr std::size_t kLastRead = std::size_t{64} << 10;

// A crash leaves the beginning of a record, and a loss of power may leave zeros. Other bytes are
// not from the gateway, and foreign files are not cut.
bool is_torn_record(std::string_view text) {
  const std::string_view start = text.substr(0, kRecordLineStart.size());
  return kRecordLineStart.starts_with(start) ||
         text.find_first_not_of('\0') == std::string_view::npos;
}

/// The last complete line within the last bytes of a file.
struct LastLine {
  std::string_view text;  ///< Empty if there is none.
  std::size_t end = 0;    ///< After its newline.
};

LastLine last_line(std::string_view bytes) {
  const std::size_t newline = bytes.rfind('\n');
  if (newline == std::string_view::npos) return {};
  const std::size_t before = newline == 0 ? std::string_view::npos : bytes.rfind('\n', newline - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return {.text = bytes.substr(begin, newline - begin), .end = newline + 1};
}

/// Reads the torn part and the line before it, each at its longest. Most files need far less.
Result<std::string> read_tail(int descriptor, std::uint64_t size) {
  for (const std::uint64_t most : {kLastRead, 2 * (kRecordLineMax + 1)}) {
    const std::uint64_t wanted = std::min<std::uint64_t>(size, most);
    auto bytes = read_range(descriptor, size - wanted, wanted);
    if (!bytes || wanted == size || most > kLastRead) return bytes;
    const std::string_view text = *bytes;
    if (std::ranges::count(text, '\n') >= 2) return bytes;
  }
  return std::string();
}

}  // namespace

Result<std::string> read_range(int descriptor, std::uint64_t offset, std::uint64_t size) {
  std::string bytes(size, '\0');
  std::uint64_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(descriptor, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_failed("cannot be read");
    if (got == 0) return file_refused("it became shorter while it was read");
    done += static_cast<std::uint64_t>(got);
  }
  return bytes;
}

Result<FileEnd> read_end(int descriptor, std::uint64_t size) {
  const auto bytes = read_tail(descriptor, size);
  if (!bytes) return std::unexpected(bytes.error());
  const LastLine line = last_line(*bytes);
  const std::uint64_t before = size - bytes->size();
  const auto behind = [before](std::size_t at) {
    return ", after byte " + std::to_string(before + at);
  };
  if (!is_torn_record(std::string_view(*bytes).substr(line.end))) {
    return file_refused("its last line is not a record" + behind(line.end));
  }
  const bool is_cut_in = line.end == 0 && size > bytes->size();
  if (bytes->size() - line.end > kRecordLineMax || is_cut_in) {
    return file_refused("its last line is longer than a record can be");
  }
  if (line.end == 0) return FileEnd{};
  Digester digester;
  const auto parts = split_chain_line(line.text);
  if (!parts || !is_self_consistent(digester, *parts)) {
    const std::size_t begin = line.end - 1 - line.text.size();
    return file_refused("its last record" + behind(begin) +
                        ", does not verify: somebody changed the file");
  }
  return FileEnd{.head = {.sequence = parts->sequence, .hash = parts->hash},
                 .size = before + line.end};
}

Result<FileBegin> read_begin(int descriptor) {
  std::string bytes;
  std::size_t newline = std::string::npos;
  while (newline == std::string::npos) {
    const std::size_t more = bytes.empty() ? kFirstRead : kRecordLineMax + 1 - bytes.size();
    std::string part(more, '\0');
    const ssize_t got =
        ::pread(descriptor, part.data(), part.size(), static_cast<off_t>(bytes.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_failed("cannot be read");
    if (got == 0) return file_refused("its first line is not a record");
    bytes.append(part, 0, static_cast<std::size_t>(got));
    newline = bytes.find('\n');
  }
  Digester digester;
  const auto parts = split_chain_line(std::string_view(bytes).substr(0, newline));
  if (!parts || !is_self_consistent(digester, *parts)) {
    return file_refused("its first record does not verify: somebody changed the file");
  }
  RecordReader reader;
  const auto record = reader.read(parts->body);
  if (!record) return std::unexpected(record.error());
  return FileBegin{
      .before = {.sequence = parts->sequence - 1, .hash = parts->prev},
      .time = (*record)->time,
      .kind = (*record)->kind,
      .previous = std::string((*record)->file),
      .hash = parts->hash,
      .chain = parts->sequence == 1 ? hex_of(parts->hash) : std::string((*record)->chain)};
}

Result<std::chrono::system_clock::time_point> read_last_time(int descriptor, std::uint64_t size) {
  const auto bytes = read_tail(descriptor, size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto parts = split_chain_line(last_line(*bytes).text);
  if (!parts) return file_refused("its last line is not a record");
  RecordReader reader;
  const auto record = reader.read(parts->body);
  if (!record) return std::unexpected(record.error());
  return (*record)->time;
}

}  // namespace bartizan
