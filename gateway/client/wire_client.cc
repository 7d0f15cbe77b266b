#include "gateway/client/wire_client.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gateway/client/wire_exchange.h"
#include "gateway/message/answer_denial.h"
#include "gateway/message/classify.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// The local client uses no endpoint, which could hide servers.
const ShownServers kShowsAll = [](std::string_view) { return true; };

using Clock = std::chrono::steady_clock;

/// How long a client that has ended its side waits for calls in progress.
constexpr std::chrono::seconds kLastAnswersWait{60};

std::uint32_t count_requests(const std::vector<ReceivedMessage>& elements) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      elements, [](const ReceivedMessage& element) { return element.message.is_request(); }));
}

}  // namespace

WireClient::WireClient(Worker& worker, WireTerms terms, std::shared_ptr<MessageWire> wire)
    : worker_(worker), terms_(std::move(terms)), wire_(std::move(wire)), news_(worker.loop) {}

// --- Reading ------------------------------------------------------------------------------------

Task<void> WireClient::run(std::move_only_function<void()> ended) {
  const auto self = shared_from_this();
  wire_->on_broken([weak = weak_from_this()](std::string_view why) {
    if (const auto alive = weak.lock()) alive->on_broken(why);
  });
  co_await read_messages();
  is_over_ = true;
  if (!kind_of(terms_.transport).is_own_process) co_await leave();
  ended();
}

Task<void> WireClient::read_messages() {
  while (!is_over_) {
    Result<Bytes> text = co_await wire_->next();
    if (text.has_value()) {
      co_await take_message(*std::move(text));
      if (!wire_->has_room()) co_await wire_->wait_for_room();
    } else if (goes_on(text.error())) {
      reject(text.error().code, text.error().detail, "");
    } else {
      break;
    }
  }
}

Task<void> WireClient::take_message(Bytes text) {
  const std::size_t bytes = text.size();
  const bool is_first = std::exchange(is_first_, false);
  const bool is_object_text = text.view().starts_with('{');
  Receipt receipt = receive_message(worker_.loop, worker_.gateway.memory, std::move(text), {},
                                    worker_.snapshot->config.client.null_members);
  if (is_first && terms_.is_open_to_strangers && !is_object_text) {
    // A page in a browser can send a request to any port, with a client's messages in its body.
    note(Reason::parse_error, "the first line does not begin as a JSON object");
    co_return drain();
  }
  if (!receipt.has_value()) {
    const RefusedMessage& refused = receipt.error();
    co_return reject(refused.error.code, refused.error.detail, refused.id_json);
  }
  if (receipt->is_batch() && is_translated()) {
    co_return reject(ErrorCode::invalid_request, "there are no batches here", "");
  }
  if (terms_.speaks_groundhog) co_return co_await translate_groundhog(std::move(*receipt), bytes);
  if (!terms_.agent.empty()) co_return co_await translate_fabricore(std::move(*receipt), bytes);
  if (receipt->is_batch()) co_return co_await dispatch_batch(std::move(*receipt), bytes);
  co_await dispatch(std::move(*receipt), bytes, {});
}

Task<void> WireClient::dispatch(ReceivedMessage received, std::size_t bytes, Asked asked) {
  const Message message = received.message;
  const auto classified = classify_without_headers(message);
  const Era era = classified.has_value() ? classified->era : Era::legacy;
  if (classified.has_value()) is_modern_ = era == Era::modern;
  if (classified.has_value() && cancel_modern(message)) co_return;
  forget_ended_session();
  const bool begins = era == Era::legacy && message.known->id == MethodId::initialize;
  const bool is_implied = terms_.implies_handshake && session_ == nullptr && !begins;
  const bool needs_session = is_implied && classified.has_value() && era == Era::legacy;
  if (needs_session && !co_await imply_handshake(message)) co_return;
  const bool is_of_session = era == Era::modern || begins == (session_ == nullptr);
  if (classified.has_value() && is_of_session && message.is_request()) {
    if (!is_served(era) && !co_await find_servers(message, era)) co_return;
    if (const Reason full = has_places(1) ? Reason::none : co_await wait_for_places(1);
        full != Reason::none) {
      co_return deny(full, "too many calls are in progress", message, era);
    }
    if (era == Era::modern && modern_.contains(std::string(message.id.raw()))) {
      co_return deny(Reason::invalid_request, "the id is in use", message, era);
    }
  }
  auto admitted = admit_message(worker_, std::move(received), co_await arrival(bytes));
  if (!admitted.has_value()) co_return refuse(admitted.error(), message, era);
  std::string id(message.is_request() ? message.id.raw() : std::string_view());
  admitted->inbound->groundhog = asked.groundhog;
  auto exchange = make_exchange(std::move(id), era, std::move(asked));
  if (begins) co_return co_await begin_and_wait(std::move(*admitted), std::move(exchange));
  begin_call(std::move(*admitted), std::move(exchange));
}

/// The next messages may belong to the session that begins here, so it waits for it.
Task<void> WireClient::begin_and_wait(Admitted admitted, std::shared_ptr<WireExchange> exchange) {
  const std::weak_ptr<WireExchange> beginning = exchange;
  begin_call(std::move(admitted), std::move(exchange));
  const auto is_going_on = [&beginning] {
    const auto alive = beginning.lock();
    return alive != nullptr && !alive->is_finished();
  };
  while (is_going_on() && !is_over_)
    co_await news_.wait(limits::server_start_deadline);
}

/// Makes the handshake that the client left out. The session is judged, bounded and recorded like
/// any other. False if `call` was answered with a refusal instead.
Task<bool> WireClient::imply_handshake(const Message& call) {
  // A client without any revision is served as one of the first. Translated clients need structured
  // results.
  const ProtocolVersion version =
      is_translated() ? kNewestLegacyVersion : ProtocolVersion::v2024_11_05;
  const std::string_view name = terms_.speaks_groundhog ? "groundhog"
                                : is_translated()       ? "fabricore"
                                                        : "implied";
  const std::string initialize = fmt::format(
      R"({{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{}",)"
      R"("capabilities":{{}},"clientInfo":{{"name":"{}","version":"0"}}}}}})",
      text(version), name);
  Receipt receipt =
      receive_message(worker_.loop, worker_.gateway.memory, Bytes(std::string(initialize)), {});
  if (!receipt.has_value()) co_return true;
  // The client never sent this `initialize`, so its faults are reported in the response to the
  // call.
  if (!is_served(Era::legacy) && !co_await find_servers(call, Era::legacy)) co_return false;
  auto admitted = admit_message(worker_, std::move(*receipt), co_await arrival(initialize.size()));
  // The call itself is refused then, for the same reason.
  if (!admitted.has_value()) co_return true;
  co_await begin_and_wait(std::move(*admitted),
                          std::make_shared<ImpliedExchange>(shared_from_this()));
  co_return true;
}

/// A batch of the only revision that has them. Each element is a call of its own.
Task<void> WireClient::dispatch_batch(ReceivedMessage received, std::size_t bytes) {
  auto admitted = admit_message(worker_, std::move(received), co_await arrival(bytes));
  if (!admitted.has_value()) co_return refuse(admitted.error(), {}, Era::legacy);
  // Responses need no place: a server waits for them, and its call has one.
  const std::uint32_t requests = count_requests(admitted->elements);
  if (requests > 0 && co_await wait_for_places(requests) != Reason::none) {
    co_return reject(ErrorCode::overloaded, "too many calls are in progress", "");
  }
  begin_call(
      std::move(*admitted),
      std::make_shared<WireExchange>(shared_from_this(), "", Era::legacy, std::max(requests, 1U)));
}

Task<Arrival> WireClient::arrival(std::size_t bytes) {
  Arrival arrival{.transport = terms_.transport,
                  .snapshot = worker_.snapshot,
                  .source = terms_.source,
                  .bytes = bytes,
                  .answers_only = terms_.answers_only};
  auto proved = co_await prove(arrival.snapshot);
  // A caller without a principal is refused at admission.
  if (proved.has_value()) {
    caller_ = *proved;
    wire_->count_for(worker_.gateway.unread, caller_.principal->id);
    arrival.caller = std::move(*proved);
  } else {
    arrival.unproved = std::move(proved.error());
    const Reason reason = arrival.unproved.reason;
    // No later message could prove another caller, except if an issuer could not be reached.
    const bool may_come_again = kind_of(terms_.transport).is_own_process ||
                                reason == Reason::issuer_unavailable ||
                                reason == Reason::overloaded;
    // The holder of a revoked credential gets the same refusal as a caller without one.
    if (reason == Reason::revoked) arrival.unproved.reason = Reason::credentials_invalid;
    if (!may_come_again) drain();
  }
  forget_ended_session();
  if (session_ != nullptr) {
    arrival.session_id = session_->id;
    arrival.agreed = session_->version;
  }
  co_return arrival;
}

Credentials WireClient::credentials() const {
  return {.transport = terms_.transport,
          .authorization = terms_.authorization,
          .peer = terms_.source,
          .socket = terms_.socket,
          .endpoint = terms_.endpoint,
          .certificates = terms_.certificates};
}

Task<Authentication> WireClient::prove(const SnapshotPtr& snapshot) {
  const auto endpoint = snapshot->config.endpoints.find(terms_.endpoint.value_or(""));
  const bool is_needed =
      endpoint != snapshot->config.endpoints.end() && endpoint->second.needs_certificate;
  if (is_needed && terms_.certificates.empty()) {
    co_return std::unexpected(
        AuthenticationFailure{Reason::unauthenticated, "this endpoint needs a client certificate"});
  }
  const RememberedProof::Moment moment{.now = seconds_now(),
                                       .revocations = present_revocations(worker_)};
  if (const Authenticated* known = proof_.find(credentials(), snapshot, moment)) co_return *known;
  if (terms_.is_let_in && !terms_.is_let_in(snapshot)) {
    co_return std::unexpected(AuthenticationFailure{
        Reason::credentials_invalid, "it would not be let in at this place any more"});
  }
  auto proved = co_await snapshot->authenticator.prove(worker_.loop, credentials(), seconds_now());
  if (proved.has_value()) proof_.keep(credentials(), snapshot, *proved, moment);
  co_return proved;
}

/// Drops a session that ended before its wire, to make room for another one.
void WireClient::forget_ended_session() {
  if (session_ == nullptr || kind_of(terms_.transport).is_own_process) return;
  const SessionConfig& config = worker_.snapshot->config.session;
  const auto found = worker_.sessions.find(session_->id, owner_of(*session_), config, steady_now());
  if (found == nullptr) session_ = nullptr;
}

// --- Bounds -------------------------------------------------------------------------------------

/// Whether it is known already that servers serve that era.
bool WireClient::is_served(Era era) const {
  const Directory& directory = *worker_.directory;
  if (terms_.servers == nullptr) return directory.probed;
  return was_served_ && directory.answers(kShowsAll) &&
         directory.servers.size() == worker_.snapshot->config.servers.size() &&
         std::ranges::all_of(directory.servers,
                             [era](const auto& entry) { return entry.second.in(era).has_value(); });
}

/// Whether the servers serve that era. If not, the client got a refusal.
Task<bool> WireClient::find_servers(const Message& message, Era era) {
  if (caller_.principal == nullptr) {
    auto proved = co_await prove(worker_.snapshot);
    if (proved.has_value()) caller_ = *std::move(proved);
  }
  if (terms_.servers == nullptr) {
    if (co_await wait_for_servers(worker_)) co_return true;
    deny(Reason::server_unavailable, "no server has answered yet", message, era);
    co_return false;
  }
  co_await terms_.servers->ready(era);
  const Directory& directory = *worker_.directory;
  if (directory.answers(kShowsAll)) {
    was_served_ = true;
    co_return true;
  }
  was_refused_ = true;
  std::string why = "no server has answered";
  for (const auto& [name, state] : directory.servers) {
    if (!state.failure.empty()) why += "; " + name + ": " + state.failure;
  }
  deny(Reason::server_unavailable, why, message, era);
  co_return false;
}

bool WireClient::has_places(std::uint32_t calls) const {
  return calls_ + calls <= limits::stdio_calls_max;
}

/// Holds requests back while too many are in progress. They are refused instead while a server
/// waits for the client's response: that response is later in the input, so waiting would never
/// end.
Task<Reason> WireClient::wait_for_places(std::uint32_t calls) {
  while (!has_places(calls) && !is_over_) {
    if (is_client_asked()) co_return Reason::overloaded;
    co_await news_.wait(limits::write_deadline);
  }
  co_return is_over_ ? Reason::shutting_down : Reason::none;
}

bool WireClient::is_client_asked() const {
  const auto is_open = [](const auto& entry) { return !entry.second.is_answered; };
  return session_ != nullptr && std::ranges::any_of(session_->server_requests, is_open);
}

// --- Exchanges ----------------------------------------------------------------------------------

void WireClient::begin(WireExchange& exchange) {
  calls_ += exchange.calls();
  exchanges_.insert(&exchange);
  if (exchange.era() == Era::modern && !exchange.id_json().empty()) {
    modern_.emplace(exchange.id_json(), &exchange);
  }
}

void WireClient::end(WireExchange& exchange) {
  exchanges_.erase(&exchange);
  const auto found = modern_.find(exchange.id_json());
  if (found != modern_.end() && found->second == &exchange) modern_.erase(found);
  calls_ -= exchange.calls();
  news_.notify();
}

/// Begins a legacy session: messages of servers outside any call go to its client from now on.
void WireClient::begin_session(const std::string& id) {
  session_ =
      worker_.sessions.find(id, owner_of(caller_), worker_.snapshot->config.session, steady_now());
  if (session_ == nullptr) return;
  session_->stream_credential = session_->credential;
  // Its stream also ends the wire when the session ends.
  if (terms_.answers_only && kind_of(terms_.transport).is_own_process) return;
  session_->stream = std::make_shared<WireStream>(weak_from_this());
}

/// Whether the message cancels a modern request. An HTTP client cancels by disconnecting, this one
/// by a notification. In the legacy revisions the call's session finds the request.
bool WireClient::cancel_modern(const Message& message) {
  if (message.known->id != MethodId::notifications_cancelled) return false;
  const auto found = modern_.find(std::string(message.request_id.raw()));
  // A cancellation that crosses its response names nothing, which is not a fault.
  if (found == modern_.end()) {
    return static_cast<bool>(message.meta.find(meta_key::protocol_version));
  }
  found->second->cancel();
  return true;
}

// --- The end ------------------------------------------------------------------------------------

void WireClient::drain() {
  is_over_ = true;
  wire_->stop_reading();
  news_.notify();
}

/// Nobody reads the responses, so the calls are cancelled.
void WireClient::on_broken(std::string_view why) {
  const bool is_own = kind_of(terms_.transport).is_own_process;
  log(is_own ? LogLevel::warning : LogLevel::debug, "the client is gone",
      {{"source", terms_.source}, {"detail", std::string(why)}});
  is_broken_ = true;
  cancel_calls();
  drain();
}

void WireClient::review() {
  if (!terms_.is_let_in || terms_.is_let_in(worker_.snapshot)) return;
  cancel_calls();
  wire_->break_off("it would not be let in any more");
  drain();
}

void WireClient::cancel_calls() {
  const std::vector<WireExchange*> all(exchanges_.begin(), exchanges_.end());
  for (WireExchange* exchange : all) {
    if (exchanges_.contains(exchange)) exchange->cancel();
  }
}

/// Ends the wire of a connection: calls in progress are answered, within a time limit. The session,
/// which is the wire, ends with it.
Task<void> WireClient::leave() {
  const Clock::time_point latest = steady_now() + kLastAnswersWait;
  while (calls_ > 0 && !is_broken_ && !wire_->is_closing() && steady_now() < latest)
    co_await news_.wait(limits::timer_tick);
  cancel_calls();
  forget_ended_session();
  if (session_ != nullptr) {
    const std::string id = std::exchange(session_, nullptr)->id;
    worker_.sessions.end(id);
    worker_.end_owner(id);
  }
  wire_->close("the connection is over");
}

bool implies_handshake(const Config& config, std::string_view endpoint) {
  const auto found = config.endpoints.find(endpoint);
  return found == config.endpoints.end() ? config.client.implies_handshake
                                         : found->second.implies_handshake;
}

Task<void> serve_wire(Worker& worker, WireTerms terms, std::shared_ptr<MessageWire> wire) {
  const auto client = std::make_shared<WireClient>(worker, std::move(terms), wire);
  worker.wire_clients.insert(client.get());
  co_await client->run([] {});
  worker.wire_clients.erase(client.get());
  co_await wire->ended();
}

}  // namespace bartizan
