#include "gateway/upstream/wire_upstream.h"

#include <utility>

namespace bartizan {
namespace {

/// Messages of one server that are handled before others have their turn.
constexpr std::size_t kMessagesPerTurn = 64;

/// Some bridges send the answers to one of their clients to all of them. Numbers that nobody else
/// counts with are not mistaken for another's.
std::uint64_t first_number(Random& random) {
  std::uint64_t number = 1;
  for (const std::uint8_t byte : random.draw<4>())
    number = (number << 8) | byte;
  return number << 16;
}

}  // namespace

WireUpstream::WireUpstream(Loop& home, MemoryBudget& memory, ServerConfig config, InstanceKey key,
                           UpstreamEvents events, Open open, Random& random)
    : DuplexUpstream(home, memory, std::move(config), std::move(key), std::move(events),
                     first_number(random)),
      open_(std::move(open)) {}

void WireUpstream::begin() {
  spawn(home_, connect());
}

Task<void> WireUpstream::connect() {
  const auto self = shared_from_this();
  auto opened = co_await open_();
  if (stopping_) {
    if (opened.has_value()) (*opened)->break_off("the server is not needed any more");
    co_return end_stopped_start();
  }
  if (!opened.has_value()) co_return fail_start(opened.error());
  wire_ = *std::move(opened);
  wire_->on_broken([weak = weak_from_this(), wire = std::weak_ptr(wire_)](std::string_view) {
    const auto alive = std::static_pointer_cast<WireUpstream>(weak.lock());
    const auto its_wire = wire.lock();
    if (alive != nullptr && its_wire != nullptr) alive->on_over(its_wire);
  });
  handshake_.explain(server_failed("the server does not answer"));
  events_.state(key_, "connected");
  spawn(home_, read(wire_));
  begin_life();
}

Task<void> WireUpstream::read(std::shared_ptr<MessageWire> wire) {
  const auto self = shared_from_this();
  std::size_t taken = 0;
  while (wire_ == wire) {
    Result<Bytes> text = co_await wire->next();
    if (!text.has_value() && !goes_on(text.error())) break;
    if (wire_ != wire) break;
    if (text.has_value()) {
      take_text(*std::move(text));
    } else {
      events_.dropped(key_, "message_too_long");
    }
    if (++taken % kMessagesPerTurn == 0) co_await asio::post(home_.executor(), kAwait);
  }
  on_over(wire);
}

bool WireUpstream::write(std::string text, std::uint64_t /*id*/) {
  if (wire_ == nullptr || !wire_->has_room()) return false;
  wire_->write(std::move(text));
  return wire_ != nullptr;
}

void WireUpstream::on_over(const std::shared_ptr<MessageWire>& wire) {
  if (wire_ != wire) return;
  // Whatever is still on its way, nobody waits for; nor may it keep the loop from ending.
  std::exchange(wire_, nullptr)->break_off("the gateway ends the connection");
  note_end(std::nullopt);
}

void WireUpstream::end_life() {
  if (wire_ != nullptr) on_over(wire_);
}

}  // namespace bartizan
