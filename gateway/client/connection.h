#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gateway/client/client_peer.h"
#include "gateway/client/remembered_proof.h"
#include "gateway/http/http_head.h"
#include "gateway/http/write_http.h"
#include "gateway/net/stream.h"
#include "gateway/reply/http_reply.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// A refusal of a request by HTTP itself, before any call is known.
struct HttpRefusal {
  int status = 400;
  Reason reason = Reason::http_malformed;
  std::string detail;     ///< For the log and the record; without text of the client.
  std::string body = {};  ///< A JSON-RPC error, or empty.
  std::vector<HeaderLine> headers = {};
  std::string principal = {};  ///< The principal, if one was proved before.
  std::string endpoint = {};   ///< Name of the request's endpoint, if it has one.
  std::string hint = {};       ///< For the log only: the setting that would allow the request.
  /// The sentence for the client instead of the reason's own, if `body` is empty.
  std::string_view message = {};
  /// The reason for the client instead of `reason`, which it must not learn.
  std::optional<Reason> told = std::nullopt;
};

/// The era that a client's header claims, for a message that is not read or cannot be read.
Era claimed_era(const RequestHead& head);

/// Counts a refusal, and records it within the quota of its address. Returns the id of the record;
/// nothing if it was not recorded.
std::optional<DecisionId> note_refusal(Worker& worker, const ClientAddress& client,
                                       const HttpRefusal& refusal);

/// One client's HTTP/1.1 connection. Requests are answered in order, each before the next is read.
///
/// Threads: those of its worker.
class Connection {
 public:
  Connection(Worker& worker, std::unique_ptr<Stream> stream);

  /// Serves requests until either side ends the connection.
  Task<void> run();
  /// Ends the connection between two requests, or after the current one.
  void drain();
  /// Ends the connection at once, even during a request, if the listener no longer accepts its
  /// certificate. Cost: verifies the certificate's signatures, if there is one.
  void review_certificate();

  // The rest is for the code that serves one request, while the request lasts.

  Worker& worker() { return worker_; }
  Stream& stream() { return *stream_; }
  /// The client of the connection and of the request.
  ClientPeer& peer() { return peer_; }
  const std::shared_ptr<HeadInBytes>& head() const { return head_; }
  /// Sets the proved principal of the request. From then on the connection may be idle for longer.
  void set_principal(std::string_view id);
  const std::string& principal() const { return principal_; }
  /// The proof of the previous request.
  RememberedProof& proof() { return proof_; }
  /// Sets the name of the request's endpoint.
  void set_endpoint(std::string_view name) { endpoint_ = name; }
  /// Allows a page of this origin, which sent the request, to read the response.
  void allow_origin(std::string_view origin) { origin_ = origin; }
  bool has_origin() const { return !origin_.empty(); }
  /// Reads the body; may be called once. Errors: http_limit for a body that is too large;
  /// overloaded, timed_out, closed, and those of `BodyReader`.
  Task<Result<Bytes>> read_body();
  /// Responds with a refusal and records it. Returns the same as `respond`.
  Task<bool> refuse(HttpRefusal refusal);
  /// Writes a whole response. Returns whether the connection may carry another request.
  Task<bool> respond(int status, std::string_view content_type, std::string_view body,
                     std::span<const HeaderLine> headers);
  /// Appends the headers that let a page of the allowed origin read the response (Fetch, CORS
  /// protocol).
  void append_origin_headers(std::vector<HeaderLine>& headers) const;
  /// Gives away the stream and the bytes after the request. The connection carries no HTTP after
  /// that.
  std::pair<std::unique_ptr<Stream>, std::string> take_stream();
  /// Whether another request may follow, as far as is known now.
  bool keeps_alive() const;

 private:
  Task<Result<bool>> read_head();
  Task<Result<Bytes>> receive_body();
  Task<Result<void>> fill(std::size_t bytes_max, std::chrono::milliseconds wait);
  bool hold_body(MemoryBudget::Reservation& held, std::size_t arrived) const;
  void release_buffers();
  static Task<bool> end_response(Task<Result<void>> writing, bool keep);

  Worker& worker_;
  std::unique_ptr<Stream> stream_;
  ClientPeer peer_;
  std::string buffer_;
  std::string answer_head_;  ///< Kept until it is written.
  std::shared_ptr<HeadInBytes> head_;
  std::string principal_;  ///< Of the request; empty until it is proved.
  std::string origin_;     ///< Of the request, if it is allowed.
  std::string endpoint_;   ///< Of the request; empty for an endpoint without a name.
  RememberedProof proof_;
  std::uint32_t requests_ = 0;
  bool authenticated_ = false;
  bool body_read_ = false;
  bool idle_ = true;
  bool draining_ = false;
  std::chrono::steady_clock::time_point accepted_;
};

}  // namespace bartizan
