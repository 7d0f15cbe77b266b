#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/agent_config.h"
#include "config/approval_config.h"
#include "config/audit_config.h"
#include "config/auth_config.h"
#include "config/client_config.h"
#include "config/client_feature.h"
#include "config/config_sources.h"
#include "config/console_config.h"
#include "config/endpoint_config.h"
#include "config/export_config.h"
#include "config/fact_condition.h"
#include "config/host_port.h"
#include "config/limit.h"
#include "config/listen_config.h"
#include "config/pinned_tool.h"
#include "config/position.h"
#include "config/predicate.h"
#include "config/redaction.h"
#include "config/reversibility.h"
#include "config/risk.h"
#include "config/sandbox_config.h"
#include "config/sanitising.h"
#include "config/secret_reference.h"
#include "config/server_header.h"
#include "config/socket_config.h"
#include "config/tool_registration.h"
#include "config/trust.h"

namespace bartizan {

/// `[metrics]`: /metrics, /healthz and /readyz, read-only. Over standard input and output there is
/// no listener unless the table is written.
struct MetricsConfig {
  HostPort address{.host = "127.0.0.1", .port = 9901};
  /// Names with a dot in them under which it is asked; addresses and other names need no entry.
  std::vector<std::string> allowed_hosts = {};
  Position where = {};
};

/// `[admin]`: the local administration socket; absent, there is none.
struct AdminConfig {
  std::string socket = {};  ///< Path of a Unix socket, mode 0600; peers are checked by credentials.
  Position where = {};
};

/// `[process]`: what the process may use. Another number of workers needs a restart.
struct ProcessConfig {
  std::uint32_t workers = 0;                            ///< Event loops; 0 is one for each core.
  std::uint64_t memory_max = std::uint64_t{512} << 20;  ///< Bytes of all buffers above 8 KiB.
  /// How long SIGTERM waits for calls in progress.
  std::chrono::milliseconds drain{10'000};
  /// How long a client that asks for a list waits for servers that are starting. Without it 25 s
  /// over standard input, where the client has started the gateway, and not at all over HTTP.
  std::optional<std::chrono::milliseconds> start_wait = {};
  /// What makes the gateway read its configuration again: a change of its files or SIGHUP, or
  /// SIGHUP alone.
  enum class Reload : std::uint8_t { watch, signal } reload = Reload::watch;
  Position where = {};
};

/// `[session]`: sessions of the legacy revisions.
struct SessionConfig {
  /// From accepted connection to authenticated request.
  std::chrono::milliseconds authentication_timeout{30'000};
  std::chrono::milliseconds session_timeout{
      3'600'000};                                  ///< A session ends this long after it began.
  std::chrono::milliseconds idle{900'000};         ///< … or this long after its last message.
  std::uint32_t max_concurrent = 100;              ///< Per principal.
  std::uint32_t max_concurrent_sessions = 10'000;  ///< Of all principals together.
  Position where = {};
};

/// `[role.NAME]`
struct RoleConfig {
  std::string name = {};
  std::vector<std::string> permissions =
      {};                           ///< Like `read:filesystem`; profiles of tools ask for them.
  std::optional<Trust> trust = {};  ///< Nothing where the role states none.
  /// Globs as a rule's `resources`: a permit for this role alone, under the name
  /// `allowed_resources:ROLE`.
  std::vector<std::string> allowed_resources = {};
  Position where = {};
};

/// `[principal.ID]`
struct PrincipalConfig {
  std::string id = {};
  std::vector<std::string> roles = {};
  std::map<std::string, std::string> attributes = {};
  /// Other principals that are the same person, such as those of an issuer, which are `ISSUER:ID`.
  /// Where the key is written, the principal is a person, be the list empty or not.
  std::optional<std::vector<std::string>> identities = {};
  Position where = {};
};

/// `[policy]`
struct PolicySettings {
  enum class Mode : std::uint8_t { enforce, observe } mode = Mode::enforce;
  /// With `mode = "observe"`: seconds since 1970 UTC from which on everything enforces again.
  std::optional<std::int64_t> until = {};
  /// `unguarded_arguments = "allow"`: an argument that no predicate names passes.
  bool allow_unguarded_arguments = false;
  Position where = {};
};

/// What `labels` say of servers and tools, for flows: where what they answer comes from, and what
/// becomes of what they are given.
enum class ToolLabel : std::uint8_t {
  untrusted,     ///< Answers what strangers wrote: web pages, public issues, mail.
  private_data,  ///< `private`: answers what is not for everyone.
  public_sink,   ///< What it is given, strangers can see.
  destructive,   ///< What it does cannot be undone.
};

/// As `labels` writes it.
std::string_view text(ToolLabel label);

/// `breaker` of a server: after so many failures and timeouts its calls are refused for a while,
/// and then tried one at a time. Instances that belong to one principal or session are told apart.
struct BreakerConfig {
  std::uint32_t failures = 5;                ///< So many …
  std::chrono::milliseconds window{30'000};  ///< … in so long a time open it, …
  std::chrono::milliseconds open{10'000};    ///< … for so long, until one call is tried.
};

/// `[server.NAME]`: an MCP server behind the gateway, a child process or a URL.
struct ServerConfig {
  std::string name = {};  ///< `[a-z0-9-]{1,32}`
  std::vector<std::string> command =
      {};  ///< Program (absolute, or looked up in PATH once) and arguments.
  /// Where it is reached: `http://`, `https://`, `ws://`, `wss://`, `tcp://`, `tls://` or `unix:`;
  /// exactly one of the two and `agent` is set.
  std::string url = {};
  std::optional<AgentConfig> agent = {};  ///< It connects by itself.
  /// What is spoken there.
  enum class Protocol : std::uint8_t {
    streamable_http,
    sse,         ///< HTTP+SSE of 2024-11-05: `transport = "sse"`.
    web_socket,  ///< `ws://` and `wss://`.
    tcp,         ///< A message a line: `tcp://`, and `tls://` over TLS.
    unix_socket  ///< A message a line: `unix:PATH`.
  } protocol = Protocol::streamable_http;
  std::string cwd = {};  ///< Working directory; the gateway's own if empty.
  std::map<std::string, std::string> env =
      {};  ///< Set for the child; nothing else is inherited but …
  std::vector<std::string> env_allow =
      {};  ///< … these, where the gateway has them, and PATH, HOME.
  /// `env_secret`: variables whose values are secrets, read when the child starts.
  std::map<std::string, SecretReference> env_secrets = {};
  enum class Instances : std::uint8_t {
    per_principal,
    per_session,
    fixed
  } instances = Instances::per_principal;
  std::uint32_t instance_count = 1;  ///< With `fixed`: `"shared"` is 1.
  std::uint32_t max_in_flight = 16;  ///< Calls in progress in one instance; others wait in a queue.
  std::chrono::milliseconds timeout{60'000};  ///< Of one call, where no profile says otherwise.
  std::optional<std::chrono::milliseconds> slow = {};  ///< Calls that take longer are warned of.
  /// Bytes of memory of a child and all that it started: more is warned of.
  std::optional<std::uint64_t> high_memory = {};
  std::optional<BreakerConfig> breaker = {};  ///< Without it, calls are always tried.
  std::vector<ClientFeature> client_features = {};
  /// Name of the `[url.NAME]` that URLs fit to which it may send users; empty: to none.
  std::string elicitation_urls = {};
  SandboxConfig sandbox = {};  ///< Of a child.
  /// `executables`: absolute paths of files that must hold what a person approved whenever a child
  /// starts. To each the digest that `[pins] file` has of it, lower-case hex of SHA-256; empty
  /// where it has none, and then no child starts.
  std::map<std::string, std::string> executables = {};
  SecretReference bearer = {};  ///< `credentials.bearer`: sent to the URL, never a client's token.
  /// `credentials.user` and `credentials.password`: the Basic scheme, in place of `bearer`.
  std::string user = {};
  SecretReference password = {};
  std::vector<ServerHeader> headers = {};  ///< In the order of their names' bytes.
  std::string ca_file = {};  ///< `tls_ca`: PEM roots for an `https://` URL; system roots if empty.
  enum class Prefix : std::uint8_t { always, never } prefix = Prefix::always;
  /// What clients see in front of its tools and prompts in the place of its name, which it is by
  /// default. With a `_` behind it, no other server's begins so.
  std::string shown = {};
  /// Whether clients see a resource under the server's own URI, or under one that names the server.
  enum class ResourceUris : std::uint8_t { bare, named } resource_uris = ResourceUris::bare;
  /// What happens to `structuredContent` that does not fit the tool's `outputSchema`: it is left
  /// out, or only told and recorded. The answer's text is the same in both.
  enum class OutputSchema : std::uint8_t { withhold, warn } output_schema = OutputSchema::withhold;
  /// What callers learn of the server's JSON-RPC errors: the whole, redacted; or as much as their
  /// trust allows.
  enum class Errors : std::uint8_t { pass, by_trust } errors = Errors::pass;
  /// Members of arguments that differ from one another by letter case only, where nothing looks at
  /// them: the call is refused, or forwarded.
  enum class FoldedNames : std::uint8_t { refuse, forward } folded_names = FoldedNames::refuse;
  Trust trust = Trust::untrusted;      ///< What rules may ask for as `server_trust`.
  std::vector<ToolLabel> labels = {};  ///< Of all its tools, resources and prompts.
  Position where = {};
};

/// An argument that a server lists under one name and reads under another.
struct RenamedArgument {
  std::string listed = {};  ///< JSON pointer into the arguments, as clients know it.
  std::string sent = {};    ///< As the server reads it: another member of the same object.
  Position where = {};
};

/// `[tool."GLOB"]`: binds everyone; every profile that matches applies, conjoined.
struct ToolProfile {
  std::string pattern = {};  ///< `server/tool` glob.
  std::vector<std::string> permissions = {};
  /// Words of the operator's, as names; lists of tools can be asked for one of them.
  std::vector<std::string> categories = {};
  std::optional<Risk> risk = {};  ///< Stands in the record of every call.
  std::optional<Reversibility> reversibility = {};
  /// A tool that is not listed can be called by whoever knows its name, and may.
  bool listed = true;
  std::optional<std::chrono::milliseconds> timeout = {};
  std::optional<std::chrono::milliseconds> slow = {};  ///< Calls that take longer are warned of.
  /// What a result may hold, in each of its two copies, `content` and `structuredContent`: bytes,
  /// once decoded, and entries. Without a value, what the gateway takes from servers at all.
  std::optional<std::uint64_t> max_result = {};
  std::optional<std::uint64_t> max_entries = {};
  /// What an entry is: an element of an array, or also a line of a text.
  enum class Entries : std::uint8_t { elements, lines } entries = Entries::elements;
  /// How many blocks `content` may have, and how many levels deep `structuredContent` may be.
  std::optional<std::uint64_t> max_blocks = {};
  std::optional<std::uint64_t> max_depth = {};
  /// What becomes of a result beyond these: nothing of it passes, or its first part does, with a
  /// mark.
  enum class Oversize : std::uint8_t { withhold, truncate };
  std::optional<Oversize> oversize = {};
  /// What one call takes from each `budget` that counts it; 1 where no profile says.
  std::optional<std::uint32_t> cost = {};
  std::vector<ToolLabel> labels = {};  ///< United with those of other profiles and of the server.
  std::vector<ArgumentPredicate> arguments = {};
  /// JSON pointers into `arguments`, as they are sent: their values stand in the record of each
  /// decision, redacted.
  std::vector<std::string> recorded = {};
  /// `rename = { "/query" = "/sql" }`, of a profile of exactly one tool. Everything else of this
  /// profile speaks of the arguments as they are sent.
  std::vector<RenamedArgument> renames = {};
  /// A JSON Schema that `arguments` must fit beside the server's own, as JSON text; empty where
  /// there is none. It was compiled once by the loader, so it is sound.
  std::string schema = {};
  Position schema_where = {};
  /// Members that the server's schema does not name, in `arguments` and in the objects below that
  /// it describes: as the schema says, or refused.
  enum class AdditionalProperties : std::uint8_t {
    by_schema,
    refuse
  } additional_properties = AdditionalProperties::by_schema;
  /// Whether `format` in the server's schema is asserted.
  enum class Formats : std::uint8_t { annotate, assert_them } formats = Formats::annotate;
  /// What happens to a tool whose schema has a pattern that RE2 cannot express: nobody gets it, or
  /// it is taken without that keyword, which only a profile of exactly one tool may say.
  enum class UntranslatablePatterns : std::uint8_t {
    quarantine,
    accept
  } untranslatable_patterns = UntranslatablePatterns::quarantine;
  Position where = {};
};

/// The tool of that server that a profile is about; nothing where it is about several, or about
/// those of others.
std::optional<std::string_view> exact_tool_of(const ToolProfile& profile, std::string_view server);

enum class Effect : std::uint8_t { permit, forbid, require_approval };

/// What a rule's selector names.
enum class RuleTarget : std::uint8_t { tools, resources, prompts, methods };

/// `when` or `unless` of a rule: true when every entry is.
struct RuleConditions {
  std::vector<ArgumentPredicate> arguments = {};  ///< Of rules with `tools` only.
  std::vector<FactCondition> facts = {};
  Position where = {};
  bool empty() const { return arguments.empty() && facts.empty(); }
};

/// `[rule.NAME]`
struct RuleConfig {
  std::string name = {};
  Effect effect = Effect::forbid;
  bool observe = false;  ///< `mode = "observe"`: recorded as `would`, refuses nothing.
  std::vector<std::string> roles = {};  ///< Exactly one of the two is set; `["*"]` is everyone.
  std::vector<std::string> principals = {};
  RuleTarget target = RuleTarget::tools;
  std::vector<std::string> patterns =
      {};                         ///< `server/name` globs; of resources `server:URI` was written.
  bool hide = false;              ///< Its refusals look like a tool that does not exist.
  bool answer_as_result = false;  ///< `answer = "result"`: a refusal is a result with `isError`.
  std::string remediation = {};
  std::optional<Risk> risk = {};  ///< Of what it refuses, on record.
  RuleConditions when = {};       ///< The rule matches only where this is true …
  RuleConditions unless = {};     ///< … and this is false; without entries it is.
  /// Of a permit: seconds since 1970 UTC from which on it permits nothing any more.
  std::optional<std::int64_t> expires = {};
  ApprovalTerms approval = {};  ///< Of a rule that requires an approval.
  Position where = {};
};

/// `[pins]`: what people approved of tools, of files that servers are made of, and of the keys of
/// certificates.
struct PinsConfig {
  std::string file = {};  ///< The lock file, path; nothing is approved without one.
  /// What may be called: what a person approved; or also what came first, as long as it stays what
  /// it was; or anything. Where there is no `[pins]` at all, what came first in this process.
  enum class Mode : std::uint8_t {
    locked,
    trust_on_first_use,
    off
  } mode = Mode::trust_on_first_use;
  /// JSON pointers into a tool's definition: members that may change without being approved again,
  /// such as a build number in `_meta`.
  std::vector<std::string> volatile_members = {};
  PinnedTools tools = {};
  PinnedExecutables executables = {};
  PinnedKeys certificate_keys = {};
  Position where = {};
};

/// `[flow.NAME]`: once something of all labels in `after` was read in a session, what has a label
/// in `to` is refused in it. Binds everyone.
struct FlowConfig {
  std::string name = {};
  std::vector<ToolLabel> after = {};  ///< `untrusted`, `private`.
  std::vector<ToolLabel> to = {};     ///< `public_sink`, `destructive`.
  Effect effect = Effect::forbid;     ///< Or `require_approval`.
  ApprovalTerms approval = {};        ///< Of a flow that requires an approval.
  /// Where there are no sessions, for how long a principal's calls are remembered.
  std::chrono::milliseconds window{3'600'000};
  std::string remediation = {};
  Position where = {};
};

/// `[capture]`: whole calls, arguments included, for `replay` and `learn`. Nothing is captured
/// without it.
struct CaptureConfig {
  std::string file = {};  ///< Path, required; made with mode 0600.
  /// Bytes of all that is kept; what is older goes.
  std::uint64_t max_size = std::uint64_t{64} << 20;
  std::chrono::milliseconds max_age = std::chrono::hours(24 * 7);  ///< Of a call that is kept.
  Position where = {};
};

/// `[state]`: what outlives the process beside the record. Without it there is no state file.
struct StateConfig {
  std::string file = {};  ///< Path, required; made with mode 0600. A change needs a restart.
  Position where = {};
};

/// `[log]`
struct LogConfig {
  enum class Level : std::uint8_t { debug, info, warning, error } level = Level::info;
};

/// Everything a configuration says, as plain values. Defaults are the fields' own; the shipped
/// limits are in `default_limits`.
struct Config {
  // Not inline: each source that holds a configuration would compile the copies of all these maps.
  Config();
  Config(const Config& other);
  Config(Config&& other) noexcept;
  Config& operator=(const Config& other);
  Config& operator=(Config&& other) noexcept;
  ~Config();

  /// The file itself, what it includes, then the schemas that profiles of tools name.
  std::vector<std::string> files = {};
  ListenConfig listen;
  MetricsConfig metrics;
  std::optional<AdminConfig> admin = {};
  std::optional<ConsoleConfig> console = {};
  ProcessConfig process;
  SessionConfig session;
  ClientConfig client;
  AuthConfig auth;
  EndpointConfigs endpoints = {};
  SocketConfigs sockets = {};
  std::map<std::string, PrincipalConfig, std::less<>> principals = {};
  std::map<std::string, RoleConfig, std::less<>> roles = {};
  PolicySettings policy;
  std::map<std::string, ServerConfig, std::less<>> servers = {};
  std::map<std::string, PathConfig, std::less<>> paths = {};
  std::map<std::string, UrlConfig, std::less<>> urls = {};
  std::map<std::string, CommandConfig, std::less<>> commands = {};
  std::map<std::string, SqlConfig, std::less<>> sqls = {};
  std::vector<ToolProfile> tools = {};  ///< In the order of their patterns' bytes.
  /// Of clients; no file has any. The gateway adds those of its state file.
  std::vector<ToolRegistration> registrations = {};
  std::map<std::string, RuleConfig, std::less<>> rules = {};
  /// Starts as `default_limits()`; a table of the same name replaces that default.
  std::map<std::string, LimitConfig, std::less<>> limits = {};
  std::map<std::string, FlowConfig, std::less<>> flows = {};
  /// Starts as `default_redaction()`; a table of the same name, `secrets`, replaces it.
  std::map<std::string, RedactionConfig, std::less<>> redactions = {
      {"secrets", default_redaction()}};
  /// Starts as `default_sanitising()`; a table of the same name, `default`, replaces it.
  std::map<std::string, SanitisingConfig, std::less<>> sanitisings = {
      {"default", default_sanitising()}};
  std::map<std::string, DetectorConfig, std::less<>> detectors = {};
  PinsConfig pins;
  AuditConfig audit;
  ExportConfigs exports = {};
  AlertConfigs alerts = {};
  std::optional<CaptureConfig> capture = {};
  std::optional<StateConfig> state = {};
  ApprovalsConfig approvals;
  LogConfig log;
  /// SHA-256 of the bytes of all files in order, lower-case hex; see `Policy::digest`.
  std::string digest = {};
  std::shared_ptr<const ConfigSources> sources = {};  ///< Of those that were read.
};

/// Name of the endpoint at that path, empty for the one of `[listen] path`; nothing where there is
/// none. To an endpoint that speaks Fabricore belongs what is below its `/agents`, too.
/// Lifetime: views the configuration.
std::optional<std::string_view> endpoint_at(const Config& config, std::string_view path);

/// What follows `/agents` in a path below that of an endpoint: `/ID/details`, or empty. Nothing of
/// any other path. Lifetime: views the path.
std::optional<std::string_view> path_of_agents(const EndpointConfig& endpoint,
                                               std::string_view path);

/// All predicates: those of profiles, then those of rules.
std::vector<const ArgumentPredicate*> predicates_of(const Config& config);

/// `FILE:LINE:COLUMN` of a position, for an error.
std::string text(const Config& config, const Position& where);

}  // namespace bartizan
