#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "schemas/message/splice.h"

/// Splicing any values of an accepted document gives a document that is read again, in which the
/// spliced values are the replacements and every other byte is as it was.

namespace {

using namespace bartizan;

constexpr std::string_view kReplacement = R"("r\u00e9placed")";

bool is_container(JsonValue value) {
  return value.is(JsonType::object) || value.is(JsonType::array);
}

/// Takes the leaves whose turn a bit of `choice` says; the bits are used again and again.
void choose(JsonValue value, std::uint8_t choice, std::vector<Splice>& splices) {
  if (is_container(value)) {
    for (const JsonValue child : value)
      choose(child, choice, splices);
    return;
  }
  const std::size_t turn = value.range().begin % 8;
  if ((choice >> turn & 1) == 0) return;
  splices.push_back({SpliceKind::tool_name, value.range(), std::string(kReplacement)});
}

void compare(JsonValue before, JsonValue after, std::uint8_t choice) {
  require(before.key() == after.key());
  if (!is_container(before)) {
    const bool is_spliced = (choice >> (before.range().begin % 8) & 1) != 0;
    require(after.raw() == (is_spliced ? kReplacement : before.raw()));
    return;
  }
  require(before.type() == after.type() && before.size() == after.size());
  auto other = after.begin();
  for (const JsonValue child : before) {
    compare(child, *other, choice);
    ++other;
  }
}

/// The bytes between the splices, which must be the same before and after.
void compare_rest(std::string_view before, std::string_view after,
                  const std::vector<Splice>& splices) {
  std::size_t from = 0;
  std::size_t to = 0;
  for (const Splice& splice : splices) {
    const std::size_t kept = splice.range.begin - from;
    require(before.substr(from, kept) == after.substr(to, kept));
    from = splice.range.end;
    to += kept + splice.replacement.size();
  }
  require(before.substr(from) == after.substr(to));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint8_t choice = data[0];
  const Bytes bytes(std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  if (!root) return 0;
  std::vector<Splice> splices;
  choose(*root, choice, splices);
  sort_splices(splices);
  std::string out;
  append_spliced(out, bytes.view(), splices);
  require(out.size() == spliced_size(bytes.view(), splices));
  require(splice_in_place(std::string(bytes.view()), splices) == out);
  compare_rest(bytes.view(), out, splices);
  const Bytes spliced(std::move(out));
  JsonDocument again;
  const Result<JsonValue> after = again.read(spliced, kResponseLimits);
  require(after.has_value());
  compare(*root, *after, choice);
  return 0;
}
