#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "gateway/upstream/upstream.h"

namespace bartizan {

/// The state of one configured server: the eras that it speaks, and its handshakes.
struct ServerState {
  std::optional<ServerHandshake> legacy;
  std::optional<ServerHandshake> modern;
  std::string failure;  ///< Why it answered in neither era, in the gateway's own words.
  /// For a server that is down: the one era that it spoke before, if it spoke only one.
  std::optional<Era> last_spoken = {};

  bool operator==(const ServerState&) const = default;
  bool is_up() const { return legacy.has_value() || modern.has_value(); }
  const std::optional<ServerHandshake>& in(Era era) const {
    return era == Era::modern ? modern : legacy;
  }
  /// Keeps the era that a server spoke before it went down.
  void remember(const ServerState& before);
  /// The era that the gateway speaks to the server for clients of that era. It is the clients' era
  /// if the server speaks it, and otherwise the other one. For a server that is down it is the last
  /// spoken era, or the clients'.
  Era spoken_for(Era clients) const {
    if (!is_up()) return last_spoken.value_or(clients);
    const Era other = clients == Era::modern ? Era::legacy : Era::modern;
    return !in(clients).has_value() && in(other).has_value() ? other : clients;
  }
  /// The server's handshake in that era; nothing for a server that is down.
  const std::optional<ServerHandshake>& said_for(Era clients) const {
    return in(spoken_for(clients));
  }
};

/// Decides which servers a caller may see.
using ShownServers = std::function<bool(std::string_view)>;

/// All servers, as probed. Immutable: a probe with a new result replaces it.
struct Directory {
  std::map<std::string, ServerState, std::less<>> servers;
  bool probed = false;  ///< Every server was tried at least once.

  /// Whether any visible server is up. Clients of either era can use it.
  bool answers(const ShownServers& shows) const;
  const ServerState* find(std::string_view server) const;
};

/// The capabilities that servers declare, as far as they matter to clients.
struct AdvertisedFeatures {
  bool tools = false, prompts = false, resources = false, subscribe = false;
  bool completions = false, logging = false, tasks = false;
  bool skills = false, directory_read = false;  ///< For modern clients only.
};
AdvertisedFeatures offered_by(const ServerHandshake& server);
/// Whether a server is known to have skills.
/// Source: SEP-2640, "Capability Negotiation".
bool serves_skills(const Directory& directory, std::string_view server);
/// The features that an endpoint offers to clients of that era: the union over all visible servers.
/// A server in `configured` that is not up yet counts as having tools, prompts and resources. Where
/// clients may see them, logs and tasks count too. The reason is that a client learns the features
/// only once, at its beginning. Legacy clients are offered no tasks.
AdvertisedFeatures offered_by(const Directory& directory,
                              const std::map<std::string, ServerConfig, std::less<>>& configured,
                              Era era, const ShownServers& shows);

/// Whether clients get unrequested messages: list changes, updates, logs.
enum class Announced : std::uint8_t { news, answers_only };

/// The capabilities that are declared to a client, as one JSON object. With `news`, lists have
/// `listChanged`. With `answers_only`, capabilities that need unrequested messages are left out.
std::string merged_capabilities(const AdvertisedFeatures& offered,
                                Announced announced = Announced::news);
/// The instructions of the visible servers. If there are several, each is under its server's name.
std::string merged_instructions(const Directory& directory, Era era, const ShownServers& shows);

}  // namespace bartizan
