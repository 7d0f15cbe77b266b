#include "gateway/approval/approval_digest.h"

#include <algorithm>
#include <vector>

#include "gateway/message/correlation_id.h"
#include "schemas/base/sha256.h"
#include "schemas/json/canonical_json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Separates these digests from all other digests of the gateway.
constexpr std::string_view kDomain = "bartizan approval 1";
constexpr std::string_view kParamsDomain = "bartizan approval params 1";

void append_number(std::string& bytes, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8)
    bytes += static_cast<char>(number >> shift & 0xff);
}

/// Appends the length first, so that parts cannot run into each other.
void append_part(std::string& bytes, std::string_view part) {
  append_number(bytes, part.size());
  bytes += part;
}

/// Whether a member of `_meta` only identifies the request, with a new value in each attempt.
bool is_id(JsonValue member) {
  const std::string_view name = member.key();
  const bool is_correlation = name == "traceparent" || name == "bartizan/correlation_id";
  return name == "progressToken" || (is_correlation && is_correlation_id(member.text()));
}

void append_salt(std::string& bytes, const ApprovalSalt& salt) {
  for (const std::uint8_t byte : salt)
    bytes += static_cast<char>(byte);
}

}  // namespace

std::string bound_params(JsonValue params) {
  const JsonValue meta = params.find("_meta");
  if (std::ranges::all_of(meta, is_id)) {
    const std::array<std::string, 1> all{"/_meta"};
    return canonical_json_without(params, all, NumberForm::exact);
  }
  std::vector<std::string> ids;
  for (const JsonValue member : meta) {
    if (is_id(member)) ids.push_back(pointer_below("/_meta", member.key()));
  }
  return canonical_json_without(params, ids, NumberForm::exact);
}

namespace {

/// The parameters of a subject, made if they were not made already.
class Bound {
 public:
  explicit Bound(const ApprovalSubject& subject)
      : made_(subject.bound_params.empty() ? bound_params(subject.params) : std::string()),
        text_(made_.empty() ? subject.bound_params : std::string_view(made_)) {}
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  std::string_view text() const { return text_; }

 private:
  std::string made_;
  std::string_view text_;
};

}  // namespace

std::string params_digest(const ApprovalSubject& subject, const ApprovalSalt& salt) {
  std::string bytes;
  append_part(bytes, kParamsDomain);
  append_salt(bytes, salt);
  append_part(bytes, Bound(subject).text());
  return sha256_hex(bytes);
}

std::string approval_digest(const ApprovalSubject& subject, const ApprovalSalt& salt) {
  const Bound params(subject);
  std::string bytes;
  append_part(bytes, kDomain);
  append_salt(bytes, salt);
  for (const std::string_view part :
       {subject.principal, subject.endpoint, subject.server, subject.method, subject.target,
        params.text(), subject.tool_fingerprint, subject.policy, subject.rule}) {
    append_part(bytes, part);
  }
  append_number(bytes, static_cast<std::uint64_t>(subject.expires));
  return sha256_hex(bytes);
}

}  // namespace bartizan
