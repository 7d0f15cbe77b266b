#include "policy/verdict/permit.h"

#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// A call's id, its progress token, its name.
constexpr std::size_t kSplicesUsual = 4;

}  // namespace

Permit& Permit::operator=(Permit&& other) noexcept {
  if (this == &other) return *this;
  bytes_ = std::exchange(other.bytes_, {});
  splices_ = std::move(other.splices_);
  rule_ = std::exchange(other.rule_, nullptr);
  policy_ = std::move(other.policy_);
  observed_ = std::move(other.observed_);
  own_ = std::exchange(other.own_, std::nullopt);
  return *this;
}

Permit Permit::own(GatewayMessage kind, std::string message) {
  Permit permit(SealedBytes(Bytes(std::move(message))), nullptr, nullptr, {});
  permit.own_ = kind;
  return permit;
}

Permit Permit::repeat() const {
  Permit same(bytes_, rule_, policy_, observed_);
  same.splices_ = splices_;
  same.own_ = own_;
  return same;
}

Permit Permit::as_answer(ByteRange value, std::string_view id_json) const {
  return {SealedBytes(Bytes(write_result(id_json, value.of(bytes_.view())))), rule_, policy_,
          observed_};
}

void Permit::splice(SpliceKind kind, ByteRange range, std::string replacement) {
  if (splices_.empty()) splices_.reserve(kSplicesUsual);
  splices_.push_back({kind, range, std::move(replacement)});
  sort_splices(splices_);
}

std::string Permit::wire() const {
  std::string out;
  out.reserve(spliced_size(bytes_.view(), splices_));
  append_spliced(out, bytes_.view(), splices_);
  return out;
}

}  // namespace bartizan
