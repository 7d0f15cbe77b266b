#include "audit/chain_reader.h"

#include <utility>

#include "audit/encode_record.h"

namespace bartizan {

std::string ChainReader::place() const {
  if (file_ == 0) return "no file";
  const std::string& file = files_[file_ - 1];
  return line_ == 0 ? file : file + ":" + std::to_string(line_);
}

ChainEntry ChainReader::unreadable(const Error& error) {
  open_.reset();
  return {.place = place(), .problem = error.detail, .unreadable = true};
}

std::optional<ChainEntry> ChainReader::next() {
  while (true) {
    if (!open_) {
      if (file_ == files_.size()) return std::nullopt;
      line_ = 0;
      auto opened = RecordLines::open(files_[file_++]);
      if (!opened) return unreadable(opened.error());
      open_ = std::move(*opened);
    }
    const auto line = open_->next();
    if (!line) return unreadable(line.error());
    if (line->number == 0) {
      open_.reset();
      continue;
    }
    line_ = line->number;
    return judge(*line, place());
  }
}

ChainEntry ChainReader::judge(const RecordLines::Line& line, std::string place) {
  ChainEntry entry{.place = std::move(place)};
  if (line.too_long) return entry.problem = "the line is longer than a record can be", entry;
  if (!line.ended) entry.torn = line.text;
  if (!line.ended) return entry.problem = "the line has no end, as after a crash", entry;
  const auto parts = split_chain_line(line.text);
  if (!parts) return entry.problem = "the line is not a record", entry;

  entry.sequence = parts->sequence;
  entry.prev = parts->prev;
  entry.hash = parts->hash;
  const auto record = records_.read(parts->body);
  if (!record) return entry.problem = record.error().detail, entry;
  entry.kind = (*record)->kind;
  if (entry.kind == RecordKind::file_begin) entry.previous = (*record)->file;
  if (entry.kind == RecordKind::file_removed) entry.removed_head = (*record)->head;
  const EncodedRecord encoded = encode_record(**record, digester_);
  if (encoded.body != parts->body) return entry.problem = "it is not in canonical form", entry;
  if (chain_hash(digester_, parts->prev, parts->sequence, encoded.digest) != parts->hash) {
    entry.problem = "its hash does not match its content";
  }
  return entry;
}

}  // namespace bartizan
