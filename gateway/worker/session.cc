#include "gateway/worker/session.h"

#include <algorithm>
#include <utility>

namespace bartizan {
namespace {

/// `WWWW-` and 32 hex digits: the home worker, then 128 random bits.
constexpr std::size_t kHomeDigits = 4;
constexpr std::size_t kIdSize = kHomeDigits + 1 + 32;
constexpr std::string_view kHex = "0123456789abcdef";

std::optional<std::uint16_t> hex_digit(char c) {
  const std::size_t found = kHex.find(c);
  if (found == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint16_t>(found);
}

std::string make_id(std::uint16_t worker, const std::array<std::uint8_t, 16>& random) {
  std::string id;
  id.reserve(kIdSize);
  for (int shift = 12; shift >= 0; shift -= 4)
    id += kHex[(worker >> shift) & 15];
  id += '-';
  for (const std::uint8_t byte : random) {
    id += kHex[byte >> 4];
    id += kHex[byte & 15];
  }
  return id;
}

bool is_expired(const Session& session, const SessionConfig& config,
                Session::Clock::time_point now) {
  if (now - session.begun > config.session_timeout) return true;
  const bool is_used =
      session.in_use > 0 || (session.stream != nullptr && session.stream->has_listener());
  return !is_used && now - session.last_used > config.idle;
}

}  // namespace

std::optional<std::uint16_t> session_home(std::string_view id) {
  if (id.size() != kIdSize || id[kHomeDigits] != '-') return std::nullopt;
  std::uint16_t worker = 0;
  for (const char c : id.substr(0, kHomeDigits)) {
    const auto digit = hex_digit(c);
    if (!digit.has_value()) return std::nullopt;
    worker = static_cast<std::uint16_t>(worker << 4 | *digit);
  }
  return worker;
}

SessionOwner owner_of(const Authenticated& caller) {
  return {.principal = caller.principal->id, .endpoint = caller.credential.endpoint};
}

SessionOwner owner_of(const Session& session) {
  return {.principal = session.principal->id, .endpoint = session.endpoint};
}

std::optional<SessionBound> SessionCounts::take(std::string_view principal,
                                                const SessionConfig& config) {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(principal);
  const std::uint32_t present = found == counts_.end() ? 0 : found->second;
  if (present >= config.max_concurrent) return SessionBound::principal;
  if (total_ >= config.max_concurrent_sessions) return SessionBound::total;
  ++total_;
  if (present == 0) {
    counts_.emplace(principal, 1);
  } else {
    ++found->second;
  }
  return std::nullopt;
}

void SessionCounts::give_back(std::string_view principal) {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(principal);
  if (found == counts_.end()) return;
  --total_;
  if (--found->second == 0) counts_.erase(found);
}

std::size_t SessionCounts::total() {
  const std::lock_guard lock(mutex_);
  return total_;
}

std::expected<std::shared_ptr<Session>, SessionBound> Sessions::begin(
    const Authenticated& caller, const SessionConfig& config,
    const std::array<std::uint8_t, 16>& random, Session::Clock::time_point now) {
  if (const auto bound = counts_.take(caller.principal->id, config)) return std::unexpected(*bound);
  auto session = std::make_shared<Session>();
  session->id = make_id(worker_, random);
  session->principal = caller.principal;
  session->credential = caller.credential;
  session->endpoint = caller.credential.endpoint;
  session->begun = session->last_used = now;
  sessions_.emplace(session->id, session);
  return session;
}

std::shared_ptr<Session> Sessions::find(std::string_view id, const SessionOwner& owner,
                                        const SessionConfig& config,
                                        Session::Clock::time_point now) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  const SessionOwner its = owner_of(*found->second);
  if (its.principal != owner.principal || its.endpoint != owner.endpoint) return nullptr;
  if (is_expired(*found->second, config, now)) return nullptr;
  found->second->last_used = now;
  return found->second;
}

void Sessions::end(const std::string& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  const std::shared_ptr<Session> session = std::move(found->second);
  sessions_.erase(found);
  counts_.give_back(session->principal->id);
  for (const auto& [call_id, call] : session->calls) {
    call->fail({ErrorCode::cancelled, Fault::client, "the session has ended"});
  }
  if (session->stream != nullptr) std::exchange(session->stream, nullptr)->finish({});
  if (session->kept != nullptr) session->kept->close();
}

std::vector<std::string> Sessions::expire(const SessionConfig& config,
                                          Session::Clock::time_point now) {
  std::vector<std::string> expired;
  for (const auto& [id, session] : sessions_) {
    if (is_expired(*session, config, now)) expired.push_back(id);
    if (session->kept != nullptr) session->kept->expire(now);
  }
  for (const std::string& id : expired)
    end(id);
  return expired;
}

std::vector<std::string> Sessions::end_revoked(const Authenticator& authenticator,
                                               std::int64_t now) {
  std::vector<std::string> revoked;
  for (const auto& [id, session] : sessions_) {
    auto present = authenticator.review(*session->principal, session->credential, now);
    if (!present.has_value()) {
      revoked.push_back(id);
      continue;
    }
    session->principal = std::move(*present);
    const bool is_stream_proved =
        session->stream == nullptr ||
        authenticator.review(*session->principal, session->stream_credential, now).has_value();
    if (!is_stream_proved) std::exchange(session->stream, nullptr)->finish({});
  }
  for (const std::string& id : revoked)
    end(id);
  return revoked;
}

void Sessions::forget_server(std::string_view server) {
  for (const auto& [id, session] : sessions_) {
    std::erase_if(session->subscriptions,
                  [&](const auto& one) { return one.first.first == server; });
  }
}

std::vector<std::shared_ptr<Session>> Sessions::all() const {
  std::vector<std::shared_ptr<Session>> all;
  all.reserve(sessions_.size());
  for (const auto& [id, session] : sessions_)
    all.push_back(session);
  return all;
}

void Sessions::for_each(const std::function<void(Session&)>& visit) {
  for (const auto& [id, session] : sessions_)
    visit(*session);
}

}  // namespace bartizan
