#include "audit/decode_record.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "audit/record_members.h"

namespace bartizan {
namespace {

constexpr std::string_view kKindStart = R"("v":1,"kind":")";
constexpr std::string_view kTimeStart = R"(","time":")";
constexpr std::size_t kTimeSize = 27;

template <class Enum>
std::optional<Enum> named(std::string_view name, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (text(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

std::optional<unsigned> digits(std::string_view text) {
  unsigned value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(digit - '0');
  }
  return value;
}

// Separators are only checked by the comparison with the canonical form.
std::optional<std::chrono::system_clock::time_point> read_time(std::string_view text) {
  using namespace std::chrono;
  const auto year_number = digits(text.substr(0, 4));
  const auto month_number = digits(text.substr(5, 2));
  const auto day_number = digits(text.substr(8, 2));
  const auto hour = digits(text.substr(11, 2));
  const auto minute = digits(text.substr(14, 2));
  const auto second = digits(text.substr(17, 2));
  const auto micro = digits(text.substr(20, 6));
  if (!year_number || !month_number || !day_number || !hour || !minute || !second || !micro) {
    return std::nullopt;
  }
  const year_month_day date(year(static_cast<int>(*year_number)), month(*month_number),
                            day(*day_number));
  if (!date.ok()) return std::nullopt;
  const sys_time<microseconds> time =
      sys_days(date) + hours(*hour) + minutes(*minute) + seconds(*second) + microseconds(*micro);
  // The clock counts nanoseconds in 64 bits: from 1677 to 2262. Its first instant is not a whole
  // microsecond, so its text is one before it.
  using Clock = system_clock::time_point;
  if (time > time_point_cast<microseconds>(Clock::max())) return std::nullopt;
  return time < time_point_cast<microseconds>(Clock::min()) ? Clock::min() : Clock(time);
}

std::optional<char> unescape_one(std::string_view& text) {
  const char letter = text[0];
  text.remove_prefix(1);
  switch (letter) {
    case '"':
    case '\\':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      break;
  }
  if (letter != 'u' || text.size() < 4) return std::nullopt;
  unsigned value = 0;
  const char* end = text.data() + 4;
  if (std::from_chars(text.data(), end, value, 16).ptr != end || value >= 0x20) return std::nullopt;
  text.remove_prefix(4);
  return static_cast<char>(value);
}

/// Takes members off the front of a body, in their canonical order.
class MemberReader {
 public:
  MemberReader(std::string_view rest, std::string& unescaped)
      : rest_(rest), unescaped_(unescaped) {}

  void operator()(std::string_view name, std::string_view& text, std::size_t) {
    if (take_name(name)) text = take_string();
  }
  void operator()(std::string_view name, std::vector<std::string_view>& items, std::size_t) {
    if (!take_name(name)) return;
    take('[');
    do
      items.push_back(take_string());
    while (!failed_ && items.size() < kItemsMax && rest_.starts_with(',') && take(','));
    take(']');
  }
  void operator()(std::string_view name, Outcome& outcome, std::size_t) {
    if (!take_name(name)) return;
    const auto found = named(take_string(), Outcome::cancelled);
    failed_ = failed_ || !found;
    outcome = found.value_or(Outcome::none);
  }
  template <class Integer>
  void operator()(std::string_view name, Integer& value, std::size_t) {
    if (!take_name(name)) return;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    failed_ = failed_ || error != std::errc();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  }

  bool complete() const { return !failed_ && rest_.empty(); }

 private:
  bool take(char expected) {
    const bool found = rest_.starts_with(expected);
    failed_ = failed_ || !found;
    rest_.remove_prefix(found ? 1 : 0);
    return found;
  }

  bool take_name(std::string_view name) {
    const std::size_t size = name.size() + 4;
    if (failed_ || rest_.size() < size || !rest_.starts_with(",\"")) return false;
    if (rest_.substr(2, name.size()) != name || rest_.substr(size - 2, 2) != "\":") return false;
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view take_string() {
    if (!take('"')) return {};
    const std::size_t stop = rest_.find_first_of("\"\\");
    if (stop == std::string_view::npos) return fail_string();
    if (rest_[stop] == '\\') return take_escaped();
    const std::string_view text = rest_.substr(0, stop);
    rest_.remove_prefix(stop + 1);
    return text;
  }

  // The memory was reserved for the whole body, so earlier views stay valid.
  std::string_view take_escaped() {
    const std::size_t begin = unescaped_.size();
    while (!rest_.empty() && rest_[0] != '"') {
      const char byte = rest_[0];
      rest_.remove_prefix(1);
      if (byte != '\\') {
        unescaped_.push_back(byte);
        continue;
      }
      const auto plain = rest_.empty() ? std::nullopt : unescape_one(rest_);
      if (!plain) return fail_string();
      unescaped_.push_back(*plain);
    }
    take('"');
    return std::string_view(unescaped_).substr(begin);
  }

  std::string_view fail_string() {
    failed_ = true;
    return {};
  }

  std::string_view rest_;
  std::string& unescaped_;
  bool failed_ = false;
};

std::unexpected<Error> not_a_record(std::string detail) {
  return fail(ErrorCode::not_recordable, Fault::gateway, std::move(detail));
}

}  // namespace

Result<const Record*> RecordReader::read(std::string_view body) {
  record_ = Record{};
  unescaped_.clear();
  unescaped_.reserve(body.size());

  std::string_view rest = body;
  if (!rest.starts_with(kKindStart)) return not_a_record("it does not begin as version 1 does");
  rest.remove_prefix(kKindStart.size());
  const auto kind = named(rest.substr(0, rest.find('"')), kRecordKindLast);
  if (!kind) return not_a_record("its kind is not known");
  record_.kind = *kind;
  rest.remove_prefix(text(*kind).size());
  if (!rest.starts_with(kTimeStart) || rest.size() < kTimeStart.size() + kTimeSize + 1) {
    return not_a_record("its time is missing");
  }
  rest.remove_prefix(kTimeStart.size());
  const auto time = read_time(rest.substr(0, kTimeSize));
  if (!time) return not_a_record("its time is none");
  record_.time = *time;

  MemberReader reader(rest.substr(kTimeSize + 1), unescaped_);
  visit_members(record_, reader);
  if (!reader.complete()) return not_a_record("a member is unknown, out of order or malformed");
  return &record_;
}

}  // namespace bartizan
