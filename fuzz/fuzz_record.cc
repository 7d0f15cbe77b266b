// Arbitrary bytes as the fields of a record: what is encoded is one canonical line, reads back as
// the same bytes, and verifies; changed in one byte or cut short it never verifies; and arbitrary
// bytes as a line never confuse the readers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "audit/chain.h"
#include "audit/decode_record.h"
#include "audit/digest.h"
#include "audit/encode_record.h"
#include "audit/record_members.h"
#include "audit/verify.h"
#include "schemas/json/json_text.h"

namespace {

using namespace bartizan;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Cuts the input into fields, one length byte before each.
class Input {
 public:
  explicit Input(std::string_view rest) : rest_(rest) {}

  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const std::size_t size = rest_.empty() ? 0 : static_cast<std::uint8_t>(take(1)[0]) % 9;
    for (const char byte : take(size))
      value = value << 8 | static_cast<std::uint8_t>(byte);
    return value;
  }
  std::string_view text() {
    const std::uint64_t size = number() & 0x3FFF;
    return take(static_cast<std::size_t>(size));
  }

 private:
  std::string_view rest_;
};

Record make_record(Input& input) {
  Record record;
  record.kind = static_cast<RecordKind>(input.number() % 10);
  const auto nanoseconds = static_cast<std::int64_t>(input.number() & 0x7FFFFFFFFFFFFFFF);
  record.time = std::chrono::system_clock::time_point(std::chrono::nanoseconds(nanoseconds));
  visit_members(record, [&input]<class Field>(const auto&, Field& field, std::size_t) {
    if constexpr (std::is_same_v<Field, std::string_view>) {
      field = input.text();
    } else if constexpr (std::is_same_v<Field, std::vector<std::string_view>>) {
      const std::size_t count = input.number() % 70;
      for (std::size_t i = 0; i < count; ++i)
        field.push_back(input.text());
    } else {
      field =
          static_cast<Field>(std::is_same_v<Field, Outcome> ? input.number() % 8 : input.number());
    }
  });
  return record;
}

bool verifies(Digester& digester, std::string_view line) {
  const auto parts = split_chain_line(line);
  return parts && is_self_consistent(digester, *parts);
}

/// Changes one byte of a line that verifies, then cuts it at the same place.
void damage(std::string line, std::uint64_t place, std::uint8_t change) {
  const std::size_t at = place % line.size();
  Digester digester;
  require(!verifies(digester, line.substr(0, at)));
  line[at] = static_cast<char>(static_cast<std::uint8_t>(line[at]) ^ (change == 0 ? 1 : change));
  require(!verifies(digester, line));
}

/// Answers the line, without its newline.
std::string round_trip(const Record& record) {
  const EncodedRecord encoded = encode_record(record);
  require(is_valid_utf8(encoded.body) && encoded.body.find('\n') == std::string::npos);

  RecordReader reader;
  const auto again = reader.read(encoded.body);
  require(again.has_value());
  require(encode_record(**again).body == encoded.body);

  Digester digester;
  ChainLine line{.body = encoded.body, .sequence = 3, .prev = {7}, .hash = {}};
  line.hash = chain_hash(digester, line.prev, line.sequence, encoded.digest);
  std::string text;
  append_chain_line(text, line);
  require(text.size() <= kRecordLineMax && text.back() == '\n');
  text.pop_back();
  const auto parts = split_chain_line(text);
  require(parts && parts->body == encoded.body && parts->sequence == 3 && parts->prev == line.prev);
  require(is_self_consistent(digester, *parts));
  require(format_record(text, RecordLayout::line).find("not a record") != 0);
  return text;
}

// What is read and encodes to the same bytes is canonical; all else must merely be survived.
void read_anything(std::string_view bytes) {
  RecordReader reader;
  const auto record = reader.read(bytes);
  if (record) static_cast<void>(encode_record(**record));
  static_cast<void>(split_chain_line(bytes));
  static_cast<void>(parse_audit_head(bytes));
  for (const RecordLayout layout : {RecordLayout::line, RecordLayout::fields}) {
    for (const char byte : format_record(bytes, layout)) {
      require(byte == '\n' || static_cast<std::uint8_t>(byte) >= 0x20);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Input input(bytes);
  // The last bytes stay free for the damage; what is in front of them makes the record.
  const std::uint64_t place = size < 2 ? size : data[size - 1] * 251u + data[size - 2];
  const std::uint8_t change = size < 3 ? std::uint8_t{0x20} : data[size - 3];
  damage(round_trip(make_record(input)), place, change);
  read_anything(bytes);
  return 0;
}
