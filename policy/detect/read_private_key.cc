#include <algorithm>
#include <optional>

#include "policy/detect/detector_id.h"
#include "policy/detect/secret_readers.h"
#include "policy/detect/secret_value.h"

namespace bartizan {
namespace {

/// The bytes of a block: base64, headers, line ends and their escapes, and string concatenation of
/// programs.
constexpr ByteSet kBlock("A-Za-z0-9+/=: \t\r\n\\,.\"'`_;()-");
constexpr ByteSet kLabel("A-Z0-9 ");
constexpr ByteSet kBase64("A-Za-z0-9+/=");
constexpr ByteSet kPuttyBlock("A-Za-z0-9+/= \r\n\\");
constexpr std::string_view kPuttyLines = "Private-Lines: ";

void report(ScanText& text, std::size_t begin, std::size_t end) {
  static const DetectorId detector = detector_id("private_key");
  text.report(detector, begin, end);
  text.set_block_end(end);
}

/// Whether a body has key material: a random run of base64.
bool has_key(std::string_view body) {
  constexpr std::size_t kRunMin = 16;
  std::size_t run = 0;
  for (std::size_t i = 0; i <= body.size(); ++i) {
    if (i < body.size() && kBase64.holds(body[i])) {
      ++run;
      continue;
    }
    if (run >= kRunMin && looks_random(body.substr(i - run, run))) return true;
    run = 0;
  }
  return false;
}

/// The place of the dashes after the label of a line; none if it is not a private key.
std::optional<std::size_t> private_label_end(ScanText& text, std::size_t label_begin) {
  constexpr std::size_t kLabelMax = 64;
  std::size_t end = text.run_end(kLabel, label_begin, kLabelMax);
  std::string_view label = text.between(label_begin, end);
  while (label.ends_with(' '))
    label.remove_suffix(1);
  if (!label.ends_with("PRIVATE KEY") && !label.ends_with("PRIVATE KEY BLOCK")) return std::nullopt;
  if (!text.holds("----", end)) return std::nullopt;
  return end;
}

struct Block {
  std::size_t body_end;
  std::size_t end;  ///< After the last line.
};

/// The block whose body begins at a place. It ends with the first line of dashes, or otherwise with
/// the last byte that a block may have.
Block read_block(ScanText& text, std::size_t body) {
  constexpr std::size_t kLineMax = 100;
  std::size_t at = body;
  while (at < text.size() && kBlock.holds(text.at(at)) && !text.holds("----", at))
    ++at;
  text.add_work(at - body);
  const std::size_t body_end = at;
  while (text.at(at) == '-')
    ++at;
  if (at == body_end || !(text.holds("END ", at) || text.holds(" END ", at)))
    return {.body_end = body_end, .end = body_end};
  at = text.run_end(kLabel, at, kLineMax);
  while (text.at(at) == '-')
    ++at;
  return {.body_end = body_end, .end = at};
}

}  // namespace

void read_private_key(ScanText& text, std::size_t begin) {
  if (begin < text.block_end()) return;
  if (text.holds(kPuttyLines, begin)) {
    const std::size_t line = begin + kPuttyLines.size();
    const std::size_t end = text.run_end(kPuttyBlock, line, text.size());
    if (has_key(text.between(line, end))) report(text, line, end);
    text.set_block_end(end);
    return;
  }
  std::size_t label = begin;
  while (text.at(label) == '-' || text.at(label) == ' ')
    ++label;
  constexpr std::string_view kBegin = "BEGIN ";
  const auto label_end = private_label_end(text, label + kBegin.size());
  if (!label_end) return;
  std::size_t body = *label_end;
  while (text.at(body) == '-')
    ++body;
  const Block block = read_block(text, body);
  if (has_key(text.between(body, block.body_end))) report(text, begin, block.end);
  text.set_block_end(block.body_end);
}

}  // namespace bartizan
