#include "gateway/front_door/find_client.h"

#include <algorithm>
#include <utility>

#include "gateway/http/fetch_document.h"
#include "gateway/store/pending_sign_ins.h"

namespace bartizan {
namespace {

constexpr int kOk = 200;
constexpr std::size_t kDocumentBytesMax = std::size_t{64} << 10;
constexpr std::size_t kIdBytesMax = 2048;

std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::invalid_params, Fault::client, std::move(detail));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::unexpected<Error> unreachable(std::string detail) {
  return fail(ErrorCode::server_failed, Fault::client, std::move(detail));
}

Task<Result<DoorClient>> fetch_client(Loop& loop, SignIns& sign_ins, const FrontDoorConfig& door,
                                      std::string url, std::string network, std::int64_t now) {
  if (auto known = sign_ins.find_document(door.name, url, now)) co_return *std::move(known);
  const SignIns::Fetching fetching(sign_ins, std::move(network));
  if (fetching.is_too_many()) {
    co_return fail(ErrorCode::overloaded, Fault::gateway,
                   "as many metadata documents of clients are on their way as may be");
  }
  auto tls = sign_ins.client_tls(door.ca_file);
  if (!tls.has_value()) co_return std::unexpected(tls.error());
  Result<ServerUrl> target = parse_server_url(url);
  if (!target.has_value()) co_return refuse("the client's id is not a URL");
  using Addresses = ServerUrl::Addresses;
  target->addresses = door.private_networks ? Addresses::any : Addresses::global;
  const Result<FetchedDocument> document = co_await fetch_document(
      loop, *std::move(tls), {.url = *std::move(target), .bytes_max = kDocumentBytesMax});
  if (!document.has_value()) {
    co_return unreachable("the client's metadata document cannot be fetched: " +
                          std::string(document.error().detail));
  }
  if (document->status != kOk) {
    co_return unreachable("the client's metadata document is answered with status " +
                          std::to_string(document->status));
  }
  Result<DoorClient> client = read_client_document(document->body, url, door);
  if (client.has_value()) sign_ins.keep_document(door.name, *client, now);
  co_return client;
}

Task<Result<DoorClient>> find_registered(Loop& loop, Store& store, const FrontDoorConfig& door,
                                         std::string id, std::int64_t now) {
  const auto found = co_await RegisteredClients(store).find(loop, std::move(id), door.name, now);
  if (!found.has_value()) co_return std::unexpected(found.error());
  if (!found->has_value()) co_return refuse("there is no client of that id");
  co_return DoorClient{.kind = DoorClient::Kind::registered,
                       .id = (*found)->id,
                       .name = (*found)->name,
                       .redirect_uris = words_of((*found)->redirect_uris)};
}

}  // namespace

Task<Result<DoorClient>> find_client(Loop& loop, SignIns& sign_ins, Store& store,
                                     const FrontDoorConfig& door, std::string id,
                                     std::string network, std::int64_t now) {
  using Answer = Result<DoorClient>;
  const auto configured = std::ranges::find(door.clients, id, &FrontDoorClientConfig::id);
  if (configured != door.clients.end()) {
    return Task<Answer>::ready(
        DoorClient{.kind = DoorClient::Kind::configured,
                   .id = std::move(id),
                   .name = configured->name.empty() ? configured->id : configured->name,
                   .redirect_uris = configured->redirect_uris});
  }
  if (id.empty() || id.size() > kIdBytesMax) {
    return Task<Answer>::ready(refuse("there is no client of that id"));
  }
  if (door.metadata_documents && is_document_url(id, door.private_networks)) {
    return fetch_client(loop, sign_ins, door, std::move(id), std::move(network), now);
  }
  if (!door.registration) return Task<Answer>::ready(refuse("there is no client of that id"));
  return find_registered(loop, store, door, std::move(id), now);
}

}  // namespace bartizan
