#include <algorithm>
#include <string_view>

#include "policy/detect/detector_id.h"
#include "policy/detect/secret_readers.h"
#include "policy/detect/secret_value.h"

namespace bartizan {
namespace {

constexpr ByteSet kLine = ByteSet(" \t\r\n\"'`\\").others();
constexpr std::size_t kLineMax = 256;
/// The least size of a password.
constexpr std::size_t kLeast = 4;

void report(ScanText& text, std::size_t begin, std::size_t end) {
  static const DetectorId detector = detector_id("command.password");
  const std::string_view password = text.between(begin, end);
  text.add_work(password.size());
  if (password.size() < kLeast || is_placeholder(password)) return;
  text.report(detector, begin, end);
}

}  // namespace

void read_password_line(ScanText& text, std::size_t begin, std::size_t end) {
  const std::size_t line = text.run_begin(kLine, begin, kLineMax);
  if (line == begin || (line > 0 && !text.ends_line(line - 1) && text.at(line - 1) != '"')) return;
  if (text.between(line, begin).contains(':')) return;
  const std::size_t line_end = text.run_end(kLine, end, kLineMax);
  const std::string_view rest = text.between(end, line_end);
  const std::size_t user = rest.find(':');
  const std::size_t password = user == rest.npos ? user : rest.find(':', user + 1);
  if (password == rest.npos || user == 0 || password == user + 1) return;
  report(text, end + password + 1, line_end);
}

void read_piped_password(ScanText& text, std::size_t begin, std::size_t end) {
  constexpr ByteSet kBefore(" \t|\"'`");
  constexpr ByteSet kHere(" \t<\"'");
  constexpr std::size_t kBetweenMax = 16;
  constexpr std::string_view kSudo = "sudo";
  std::size_t pair_end = text.run_begin(kBefore, begin, kBetweenMax);
  if (pair_end >= kSudo.size() && text.holds(kSudo, pair_end - kSudo.size())) {
    pair_end = text.run_begin(kBefore, pair_end - kSudo.size(), kBetweenMax);
  }
  const std::string_view before = text.between(pair_end, begin);
  std::size_t pair = text.run_begin(kLine, pair_end, kLineMax);
  std::size_t last = pair_end;
  if (!before.contains('|')) {
    pair = text.run_end(kHere, end, kBetweenMax);
    if (!text.between(end, pair).contains("<<<")) return;
    last = text.run_end(kLine, pair, kLineMax);
  }
  const std::size_t colon = text.between(pair, last).find(':');
  if (colon == std::string_view::npos || colon == 0) return;
  report(text, pair + colon + 1, last);
}

}  // namespace bartizan
