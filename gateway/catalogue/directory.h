#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "gateway/upstream/upstream.h"

namespace bartizan {

/// What is known of one configured server: which eras it speaks, and what it said of itself.
struct ServerState {
  std::optional<ServerHandshake> legacy;
  std::optional<ServerHandshake> modern;
  std::string failure;  ///< Why it is in neither era, in one of our own sentences.
  /// Of a server that is down, the one era that it spoke before, where it was one.
  std::optional<Era> last_spoken = {};

  bool operator==(const ServerState&) const = default;
  bool is_up() const { return legacy.has_value() || modern.has_value(); }
  const std::optional<ServerHandshake>& in(Era era) const {
    return era == Era::modern ? modern : legacy;
  }
  /// Keeps the era that a server which is down spoke before.
  void remember(const ServerState& before);
  /// The era in which the server is spoken to for clients of that one: theirs where it speaks it,
  /// else the other. Of a server that is down, as it was before, or theirs.
  Era spoken_for(Era clients) const {
    if (!is_up()) return last_spoken.value_or(clients);
    const Era other = clients == Era::modern ? Era::legacy : Era::modern;
    return !in(clients).has_value() && in(other).has_value() ? other : clients;
  }
  /// What it said of itself in that era; nothing of a server that is down.
  const std::optional<ServerHandshake>& said_for(Era clients) const {
    return in(spoken_for(clients));
  }
};

/// Which servers are there for whoever asks.
using ShownServers = std::function<bool(std::string_view)>;

/// All servers, as probed. Immutable; replaced when a probe finds something new.
struct Directory {
  std::map<std::string, ServerState, std::less<>> servers;
  bool probed = false;  ///< Every server was tried at least once.

  /// Whether any server that is shown is up. Clients of either era can use it.
  bool answers(const ShownServers& shows) const;
  const ServerState* find(std::string_view server) const;
};

/// The capabilities that servers declare, as far as they matter to clients.
struct AdvertisedFeatures {
  bool tools = false, prompts = false, resources = false, subscribe = false;
  bool completions = false, logging = false, tasks = false;
  bool skills = false, directory_read = false;  ///< To modern clients only.
};
AdvertisedFeatures offered_by(const ServerHandshake& server);
/// Whether a server is known to have skills.
/// Source: SEP-2640, "Capability Negotiation".
bool serves_skills(const Directory& directory, std::string_view server);
/// What an endpoint offers to clients of that era: the union over all servers that are shown. One
/// of the `configured` servers that is not up yet may have tools, prompts and resources, and a log
/// or tasks where clients may see them: a client is told once, at its beginning, what there is.
/// Legacy clients are offered no tasks.
AdvertisedFeatures offered_by(const Directory& directory,
                              const std::map<std::string, ServerConfig, std::less<>>& configured,
                              Era era, const ShownServers& shows);

/// Whether clients are told what they did not ask for: that lists changed, updates, logs.
enum class Announced : std::uint8_t { news, answers_only };

/// The capabilities that are declared to a client, as one JSON object: lists always with
/// `listChanged`; nothing that only news is made of where there are none.
std::string merged_capabilities(const AdvertisedFeatures& offered,
                                Announced announced = Announced::news);
/// The instructions of the servers that are shown, each under the server's name when there are
/// several.
std::string merged_instructions(const Directory& directory, Era era, const ShownServers& shows);

}  // namespace bartizan
