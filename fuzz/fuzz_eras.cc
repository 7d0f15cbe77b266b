#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "schemas/json/canonical_json.h"
#include "schemas/message/era_translation.h"

/// A request of either era, made one of the legacy eras and then one of the modern era, is a
/// request of the same meaning each time, with nothing of the client's under a reserved name.

namespace {

using namespace bartizan;

/// A text that was read as a message; empty where it is none.
struct Read {
  explicit Read(std::string_view text) : bytes(text) {
    const Result<JsonValue> root = document.read(bytes);
    if (!root.has_value()) return;
    const Result<Message> read = parse_message(*root);
    is_message = read.has_value();
    if (is_message) message = *read;
  }
  Bytes bytes;
  JsonDocument document;
  Message message;
  bool is_message = false;
};

std::string spliced(const Read& read, std::vector<Splice> splices) {
  sort_splices(splices);
  std::string out;
  append_spliced(out, read.bytes.view(), splices);
  return out;
}

/// The parameters without `_meta`, in one spelling.
std::string meaning(const Message& message) {
  const std::vector<std::string> meta{"/_meta"};
  return canonical_json_without(message.params, meta, NumberForm::exact);
}

bool is_of_modern(std::string_view member) {
  return member == "requestState" || member == "inputResponses" || member == "_meta";
}

/// Whether the request has a member that is of the legacy eras: each that is bridged has one.
bool has_own_member(const Message& message) {
  for (const JsonValue member : message.params) {
    if (!is_of_modern(member.key())) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Read sent({reinterpret_cast<const char*>(data), size});
  if (!sent.is_message || !sent.message.is_request() || !has_own_member(sent.message)) return 0;
  const Read legacy(spliced(sent, leave_modern_era(sent.message)));
  require(legacy.is_message);
  for (const JsonValue member : legacy.message.params.find("_meta"))
    require(!member.key().starts_with("io.modelcontextprotocol/"));
  require(!legacy.message.params.find("requestState"));
  std::vector<Splice> both = leave_modern_era(sent.message);
  both.push_back(claim_modern_era(sent.message, {.capabilities = R"({"roots":{}})"}));
  const Read modern(spliced(sent, both));
  require(modern.is_message);
  require(modern.message.meta.find(meta_key::protocol_version).text() == "2026-07-28");
  require(modern.message.meta.find(meta_key::client_capabilities).raw() == R"({"roots":{}})");
  require(meaning(modern.message) == meaning(legacy.message));
  const Read back(spliced(modern, leave_modern_era(modern.message)));
  require(back.is_message && meaning(back.message) == meaning(legacy.message));
  return 0;
}
