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

/// Why a request is refused by HTTP itself, before any call is known.
struct HttpRefusal {
  int status = 400;
  Reason reason = Reason::http_malformed;
  std::string detail;     ///< For the log and the record; no text of the client's.
  std::string body = {};  ///< A JSON-RPC error, or empty.
  std::vector<HeaderLine> headers = {};
  std::string principal = {};  ///< Where one was proved before.
  std::string endpoint = {};   ///< Name of the one that the request came to, if it has one.
  std::string hint = {};       ///< For the log only: what the operator would write to allow it.
  /// What the client is told in the place of the reason's own sentence, where `body` is empty.
  std::string_view message = {};
  /// The reason that the client is told in the place of `reason`, which it must not learn.
  std::optional<Reason> told = std::nullopt;
};

/// What a client seems to speak whose message is not read, or cannot be: its header says so.
Era claimed_era(const RequestHead& head);

/// Counts a refusal, and records it within the quota of its address; nothing beyond that. Answers
/// the id under which it is recorded.
std::optional<DecisionId> note_refusal(Worker& worker, const ClientAddress& client,
                                       const HttpRefusal& refusal);

/// One client's HTTP/1.1 connection: requests in order, each answered before the next is read.
///
/// Threads: those of its worker.
class Connection {
 public:
  Connection(Worker& worker, std::unique_ptr<Stream> stream);

  /// Serves requests until one of both sides has had enough.
  Task<void> run();
  /// Ends the connection if it is between two requests, and after the present one otherwise.
  void drain();
  /// Ends the connection at once, whatever is in progress, if the listener would not take the
  /// certificate any more that opened it. Cost: verifies its signatures, if it has one.
  void review_certificate();

  // What serves one request takes all else from here, as long as the request lasts.

  Worker& worker() { return worker_; }
  Stream& stream() { return *stream_; }
  /// Who is behind the connection, and who made the request.
  ClientPeer& peer() { return peer_; }
  const std::shared_ptr<HeadInBytes>& head() const { return head_; }
  /// Who makes the request, once that is proved. From then on the connection may be idle for
  /// longer.
  void set_principal(std::string_view id);
  const std::string& principal() const { return principal_; }
  /// What proved the request before.
  RememberedProof& proof() { return proof_; }
  /// Name of the endpoint that the request came to.
  void set_endpoint(std::string_view name) { endpoint_ = name; }
  /// The request comes from a page of this origin, which may read its answer.
  void allow_origin(std::string_view origin) { origin_ = origin; }
  bool has_origin() const { return !origin_.empty(); }
  /// Reads the body, once. Errors: http_limit for one that is too large, overloaded, timed_out,
  /// closed, and those of `BodyReader`.
  Task<Result<Bytes>> read_body();
  /// Answers with a refusal, and puts it on record. Returns as `respond`.
  Task<bool> refuse(HttpRefusal refusal);
  /// Writes a whole answer. Returns whether the connection may carry another request.
  Task<bool> respond(int status, std::string_view content_type, std::string_view body,
                     std::span<const HeaderLine> headers);
  /// What a browser needs to let a page of the allowed origin read the answer (Fetch, CORS
  /// protocol).
  void append_origin_headers(std::vector<HeaderLine>& headers) const;
  /// Gives the stream away, with what came after the request: it carries no HTTP any more.
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
  std::string answer_head_;  ///< Until it is written.
  std::shared_ptr<HeadInBytes> head_;
  std::string principal_;  ///< Of the request, once it is proved.
  std::string origin_;     ///< Of the request, when it is allowed.
  std::string endpoint_;   ///< Of the request; empty where it has no name.
  RememberedProof proof_;
  std::uint32_t requests_ = 0;
  bool authenticated_ = false;
  bool body_read_ = false;
  bool idle_ = true;
  bool draining_ = false;
  std::chrono::steady_clock::time_point accepted_;
};

}  // namespace bartizan
