#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/call/session_streams.h"
#include "gateway/client/admit_message.h"
#include "gateway/client/connection.h"
#include "gateway/client/wire_client.h"
#include "gateway/framing/stream_wire.h"
#include "gateway/front_door/front_door_request.h"

namespace bartizan {

/// One HTTP request to the MCP endpoint. It finds refusals of HTTP itself, makes the call, and
/// writes the response. Both eras use one path; the body decides which era it is.
///
/// Threads: those of its connection.
/// Source:  MCP 2025-11-25, basic/transports; MCP 2026-07-28, streamable-http.
class McpRequest {
 public:
  explicit McpRequest(Connection& connection);

  /// Serves the request. Returns whether the connection may carry another one.
  Task<bool> serve();

 private:
  /// The responses that the client accepts, from its `Accept`.
  enum class Accepts : std::uint8_t { nothing, json, stream, both };

  std::optional<HttpRefusal> check_host() const;
  std::optional<HttpRefusal> check_source();
  std::optional<HttpRefusal> check_request();
  std::optional<HttpRefusal> find_endpoint();
  std::optional<HttpRefusal> check_certificate();
  HttpRefusal refuse_unproved(Reason reason, std::string detail);
  std::optional<HttpRefusal> check_media() const;
  Accepts accepts() const;
  StreamPreference stream_wish() const;
  Credentials credentials() const;
  std::optional<HttpRefusal> accept(Authentication&& proved);
  RememberedProof::Moment moment() const;
  Task<bool> serve_later(Task<Authentication> proving);
  Task<bool> serve_proved(Authentication proved);
  Task<bool> preflight();
  Task<bool> serve_metadata(std::string document);
  Task<bool> serve_front_door(FoundFrontDoor found);
  Task<std::optional<HttpRefusal>> prove_anew();
  Task<bool> serve_post();
  bool begins_web_socket() const;
  EndpointConfig::Protocol protocol() const;
  std::optional<HttpRefusal> check_protocol() const;
  std::optional<std::string_view> agents_path() const;
  bool comes_from_agent() const;
  Task<bool> serve_agent_socket();
  bool shows_agent(const ServerConfig& server) const;
  Task<bool> refuse_agent();
  Task<bool> serve_agents();
  Task<bool> serve_agent_command(std::string server);
  Task<bool> respond_problem(int status, std::string_view sentence);
  Task<std::shared_ptr<StreamWire>> upgrade(StreamWireTerms terms);
  bool asks_for_sse() const;
  bool begins_sse() const;
  std::string find_transport_hint() const;
  bool posts_to_sse() const;
  WireTerms wire_terms(Transport transport) const;
  Task<bool> serve_sse();
  Task<bool> serve_sse_post();
  Task<bool> refuse_body(const Error& error);
  Task<bool> serve_web_socket(std::string agent = {});
  Task<bool> serve_get();
  Task<bool> serve_resumption();
  StreamRequest stream_request() const;
  Task<bool> refuse_stream(ErrorCode code);
  Task<bool> serve_delete();
  Task<bool> refuse_busy();
  Arrival arrival(std::size_t bytes);
  Task<bool> dispatch(ReceivedMessage&& received, std::size_t bytes);
  Task<bool> refuse(const MessageRefusal& refusal);
  Task<bool> reject(ErrorCode code, std::string_view message, std::string_view id_json,
                    std::string_view data_json = {});
  Task<bool> refuse_without_session(std::string_view id_json);
  Worker* home_of_session() const;
  std::shared_ptr<HttpReply> make_reply() const;
  Task<bool> answer(std::shared_ptr<HttpReply> reply, Era era);
  Task<void> wait_for_end(const std::shared_ptr<HttpReply>& reply, Era era);
  Task<bool> answer_end_only(const std::shared_ptr<HttpReply>& reply, Era era);
  Task<bool> answer_whole(const Answer& answer);
  Task<bool> answer_stream(const std::shared_ptr<HttpReply>& reply, Era era);
  void watch(const std::shared_ptr<HttpReply>& reply, Era era);

  Connection& connection_;
  Worker& worker_;
  const RequestHead& head_;
  SnapshotPtr snapshot_;
  std::optional<std::string>
      endpoint_;  ///< Name of the endpoint at the path; nothing if there is none.
  Authenticated caller_;
  std::uint64_t revocations_;  ///< The version of the revocations before the caller was proved.
  std::string challenge_;      ///< For a refusal because of missing credentials.
};

}  // namespace bartizan
