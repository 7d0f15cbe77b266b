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

/// `[metrics]`: the read-only listener of /metrics, /healthz and /readyz. Over standard input and
/// output it is on only if the table is written.
struct MetricsConfig {
  HostPort address{.host = "127.0.0.1", .port = 9901};
  /// Accepted values of `Host`. Needed only for names with a dot; addresses and other names are
  /// always accepted.
  std::vector<std::string> allowed_hosts = {};
  Position where = {};
};

/// `[admin]`: the local administration socket. Without the table there is no socket.
struct AdminConfig {
  std::string socket = {};  ///< Path of a Unix socket, mode 0600. Peers are checked by credentials.
  Position where = {};
};

/// `[process]`: what the process may use. A change of `workers` needs a restart.
struct ProcessConfig {
  std::uint32_t workers = 0;                            ///< Event loops; 0: one per core.
  std::uint64_t memory_max = std::uint64_t{512} << 20;  ///< Bytes of all buffers above 8 KiB.
  /// How long SIGTERM waits for calls in progress.
  std::chrono::milliseconds drain{10'000};
  /// How long a client's list request waits for servers that are starting. The default is 25 s over
  /// standard input, where the client starts the gateway. Over HTTP the default is not to wait.
  std::optional<std::chrono::milliseconds> start_wait = {};
  /// The trigger of a reload: a changed file or SIGHUP (`watch`), or SIGHUP alone (`signal`).
  enum class Reload : std::uint8_t { watch, signal } reload = Reload::watch;
  Position where = {};
};

/// `[session]`: sessions of the legacy revisions.
struct SessionConfig {
  /// From the accepted connection to an authenticated request.
  std::chrono::milliseconds authentication_timeout{30'000};
  std::chrono::milliseconds session_timeout{3'600'000};  ///< The longest life of a session.
  /// A session also ends this long after its last message.
  std::chrono::milliseconds idle{900'000};
  std::uint32_t max_concurrent = 100;              ///< Per principal.
  std::uint32_t max_concurrent_sessions = 10'000;  ///< All principals together.
  Position where = {};
};

/// `[role.NAME]`
struct RoleConfig {
  std::string name = {};
  /// Such as `read:filesystem`. Tool profiles can require them.
  std::vector<std::string> permissions = {};
  std::optional<Trust> trust = {};  ///< Nothing if the role sets none.
  /// Globs like those of a rule's `resources`. They make a permit for this role alone, named
  /// `allowed_resources:ROLE`.
  std::vector<std::string> allowed_resources = {};
  Position where = {};
};

/// `[principal.ID]`
struct PrincipalConfig {
  std::string id = {};
  std::vector<std::string> roles = {};
  std::map<std::string, std::string> attributes = {};
  /// Other principals that are the same person, such as an issuer's, `ISSUER:ID`. A written key,
  /// even an empty list, marks the principal as a person.
  std::optional<std::vector<std::string>> identities = {};
  Position where = {};
};

/// `[policy]`
struct PolicySettings {
  enum class Mode : std::uint8_t { enforce, observe } mode = Mode::enforce;
  /// With `mode = "observe"`: the time, in seconds since 1970 UTC, at which enforcement resumes.
  std::optional<std::int64_t> until = {};
  /// `unguarded_arguments = "allow"`: arguments without a predicate pass.
  bool allow_unguarded_arguments = false;
  Position where = {};
};

/// Labels of servers and tools, for flows. They describe the source of the results, and the use of
/// the arguments.
enum class ToolLabel : std::uint8_t {
  untrusted,     ///< Returns text of strangers: web pages, public issues, mail.
  private_data,  ///< `private`: returns data that is not public.
  public_sink,   ///< Strangers can see its arguments.
  destructive,   ///< Its effects cannot be undone.
};

/// The label as `labels` spells it.
std::string_view text(ToolLabel label);

/// `breaker` of a server: a circuit breaker. After `failures` failures and timeouts, calls are
/// refused for a while, then tried one at a time. Each principal's or session's own instance has
/// its own breaker.
struct BreakerConfig {
  std::uint32_t failures = 5;                ///< Failures within `window` that open it.
  std::chrono::milliseconds window{30'000};  ///< The time in which failures are counted.
  std::chrono::milliseconds open{10'000};    ///< How long it stays open before one call is tried.
};

/// `[server.NAME]`: an MCP server behind the gateway: a child process, a URL or an agent.
struct ServerConfig {
  std::string name = {};  ///< `[a-z0-9-]{1,32}`
  /// The program and its arguments. The program is absolute, or is looked up in PATH once.
  std::vector<std::string> command = {};
  /// The server's address: `http://`, `https://`, `ws://`, `wss://`, `tcp://`, `tls://` or `unix:`.
  /// Exactly one of `command`, `url` and `agent` is set.
  std::string url = {};
  std::optional<AgentConfig> agent = {};  ///< A Fabricore agent, which connects by itself.
  /// The protocol spoken at `url`.
  enum class Protocol : std::uint8_t {
    streamable_http,
    sse,         ///< HTTP+SSE of 2024-11-05: `transport = "sse"`.
    web_socket,  ///< `ws://` and `wss://`.
    tcp,         ///< One message per line: `tcp://`, and `tls://` over TLS.
    unix_socket  ///< One message per line: `unix:PATH`.
  } protocol = Protocol::streamable_http;
  std::string cwd = {};  ///< Working directory; empty: the gateway's own.
  /// Variables set for the child.
  std::map<std::string, std::string> env = {};
  /// Variables that the child inherits if the gateway has them. It also inherits PATH and HOME, and
  /// nothing else.
  std::vector<std::string> env_allow = {};
  /// `env_secret`: variables with secret values. They are read when the child starts.
  std::map<std::string, SecretReference> env_secrets = {};
  enum class Instances : std::uint8_t {
    per_principal,
    per_session,
    fixed
  } instances = Instances::per_principal;
  std::uint32_t instance_count = 1;  ///< With `fixed`: `"shared"` is 1.
  /// Calls in progress in one instance. Further calls wait in a queue.
  std::uint32_t max_in_flight = 16;
  std::chrono::milliseconds timeout{60'000};  ///< Limit of one call, unless a profile sets another.
  std::optional<std::chrono::milliseconds> slow = {};  ///< Longer calls cause a warning.
  /// Bytes of memory of a child and all processes that it started. More causes a warning.
  std::optional<std::uint64_t> high_memory = {};
  std::optional<BreakerConfig> breaker = {};  ///< Nothing: calls are always tried.
  std::vector<ClientFeature> client_features = {};
  /// Name of the `[url.NAME]` whose URLs the server may send users to. Empty: it may send users to
  /// no URL.
  std::string elicitation_urls = {};
  SandboxConfig sandbox = {};  ///< For child processes.
  /// `executables`: files whose content must be as a person approved it whenever a child starts.
  /// Absolute path → SHA-256 in `[pins] file`, lower-case hex. An empty digest means that none is
  /// pinned: no child starts.
  std::map<std::string, std::string> executables = {};
  SecretReference bearer = {};  ///< `credentials.bearer`: sent to the URL. Never a client's token.
  /// `credentials.user` and `credentials.password`: the Basic scheme, instead of `bearer`.
  std::string user = {};
  SecretReference password = {};
  std::vector<ServerHeader> headers = {};  ///< Sorted by name, bytewise.
  std::string ca_file = {};  ///< `tls_ca`: PEM roots for an `https://` URL; empty: system roots.
  enum class Prefix : std::uint8_t { always, never } prefix = Prefix::always;
  /// The prefix of its tool and prompt names for clients; by default the server's name. No other
  /// server's prefix starts with this one and a `_`.
  std::string shown = {};
  /// Resource URIs for clients: the server's own, or URIs that name the server.
  enum class ResourceUris : std::uint8_t { bare, named } resource_uris = ResourceUris::bare;
  /// The handling of `structuredContent` that does not match the tool's `outputSchema`. It is left
  /// out, or only logged and recorded. The text of the result is the same in both cases.
  enum class OutputSchema : std::uint8_t { withhold, warn } output_schema = OutputSchema::withhold;
  /// How much callers see of the server's JSON-RPC errors. `pass`: everything, redacted.
  /// `by_trust`: as much as their trust allows.
  enum class Errors : std::uint8_t { pass, by_trust } errors = Errors::pass;
  /// The handling of argument members whose names differ by letter case only, where no predicate
  /// checks them. The call is refused or forwarded.
  enum class FoldedNames : std::uint8_t { refuse, forward } folded_names = FoldedNames::refuse;
  Trust trust = Trust::untrusted;      ///< The value of the condition `server_trust`.
  std::vector<ToolLabel> labels = {};  ///< Of all its tools, resources and prompts.
  Position where = {};
};

/// An argument that clients know by one name and the server by another.
struct RenamedArgument {
  std::string listed = {};  ///< JSON pointer into the arguments, as clients see them.
  std::string sent = {};    ///< The server's name of it: another member of the same object.
  Position where = {};
};

/// `[tool."GLOB"]`: binds everyone. All matching profiles apply together.
struct ToolProfile {
  std::string pattern = {};  ///< `server/tool` glob.
  std::vector<std::string> permissions = {};
  /// The operator's own words, spelled like names. Clients can filter tool lists by a category.
  std::vector<std::string> categories = {};
  std::optional<Risk> risk = {};  ///< In the record of every call.
  std::optional<Reversibility> reversibility = {};
  /// Whether lists show the tool. A tool that is not listed can still be called, if rules permit.
  bool listed = true;
  std::optional<std::chrono::milliseconds> timeout = {};
  std::optional<std::chrono::milliseconds> slow = {};  ///< Longer calls cause a warning.
  /// The largest result, in decoded bytes and in entries. Applies to `content` and
  /// `structuredContent` separately. Nothing: the gateway's general limit on server responses.
  std::optional<std::uint64_t> max_result = {};
  std::optional<std::uint64_t> max_entries = {};
  /// The counted entries: array elements, or array elements and lines of text.
  enum class Entries : std::uint8_t { elements, lines } entries = Entries::elements;
  /// The most blocks in `content`, and the deepest nesting of `structuredContent`.
  std::optional<std::uint64_t> max_blocks = {};
  std::optional<std::uint64_t> max_depth = {};
  /// The handling of a result beyond these limits: withheld, or cut to its first part with a mark.
  enum class Oversize : std::uint8_t { withhold, truncate };
  std::optional<Oversize> oversize = {};
  /// What one call takes from each matching `budget`; nothing: 1.
  std::optional<std::uint32_t> cost = {};
  std::vector<ToolLabel> labels = {};  ///< Joined with those of other profiles and of the server.
  std::vector<ArgumentPredicate> arguments = {};
  /// JSON pointers into the forwarded `arguments`. Their values, redacted, are in the record of
  /// each decision.
  std::vector<std::string> recorded = {};
  /// `rename = { "/query" = "/sql" }`, only in a profile of exactly one tool. The other keys of the
  /// profile name the arguments as forwarded.
  std::vector<RenamedArgument> renames = {};
  /// A JSON Schema, as JSON text, that `arguments` must match in addition to the server's own.
  /// Empty: none. The loader has compiled it, so it is valid.
  std::string schema = {};
  Position schema_where = {};
  /// The handling of members that the server's schema does not name, in `arguments` and in the
  /// nested objects that it describes. The schema decides, or the call is refused.
  enum class AdditionalProperties : std::uint8_t {
    by_schema,
    refuse
  } additional_properties = AdditionalProperties::by_schema;
  /// Whether `format` in the server's schema is an assertion.
  enum class Formats : std::uint8_t { annotate, assert_them } formats = Formats::annotate;
  /// The handling of a tool whose schema has a pattern that RE2 cannot express. The tool is
  /// quarantined, or accepted without that keyword. `accept` is allowed only in a profile of
  /// exactly one tool.
  enum class UntranslatablePatterns : std::uint8_t {
    quarantine,
    accept
  } untranslatable_patterns = UntranslatablePatterns::quarantine;
  Position where = {};
};

/// The tool of that server which the profile names. Nothing if the profile matches several tools or
/// is of another server. Lifetime: views the profile.
std::optional<std::string_view> exact_tool_of(const ToolProfile& profile, std::string_view server);

enum class Effect : std::uint8_t { permit, forbid, require_approval };

/// The kind of thing that a rule's selector names.
enum class RuleTarget : std::uint8_t { tools, resources, prompts, methods };

/// `when` or `unless` of a rule. True if every entry is true.
struct RuleConditions {
  std::vector<ArgumentPredicate> arguments = {};  ///< Only in rules with `tools`.
  std::vector<FactCondition> facts = {};
  Position where = {};
  bool empty() const { return arguments.empty() && facts.empty(); }
};

/// `[rule.NAME]`
struct RuleConfig {
  std::string name = {};
  Effect effect = Effect::forbid;
  bool observe = false;  ///< `mode = "observe"`: recorded as `would`; refuses nothing.
  /// Either roles or principals are set; `["*"]` is everyone.
  std::vector<std::string> roles = {};
  std::vector<std::string> principals = {};
  RuleTarget target = RuleTarget::tools;
  /// `server/name` globs. Those of resources were written as `server:URI`.
  std::vector<std::string> patterns = {};
  bool hide = false;              ///< Refused calls look like calls to a tool that does not exist.
  bool answer_as_result = false;  ///< `answer = "result"`: a refusal is a result with `isError`.
  std::string remediation = {};
  std::optional<Risk> risk = {};  ///< In the record of its refusals.
  RuleConditions when = {};       ///< The rule matches only if this is true.
  /// The rule does not match if this is true. Without entries it is false.
  RuleConditions unless = {};
  /// Of a permit: seconds since 1970 UTC at which it ends.
  std::optional<std::int64_t> expires = {};
  ApprovalTerms approval = {};  ///< For `require_approval`.
  Position where = {};
};

/// `[pins]`: what people approved: tools, servers' executables, and the keys of certificates.
struct PinsConfig {
  std::string file = {};  ///< Path of the lock file; without one nothing is approved.
  /// The tools that may be called. `locked`: those that a person approved. `trust_on_first_use`:
  /// also those first seen, while they are unchanged. `off`: all. Without `[pins]`, the first seen
  /// in this process counts.
  enum class Mode : std::uint8_t {
    locked,
    trust_on_first_use,
    off
  } mode = Mode::trust_on_first_use;
  /// JSON pointers into a tool's definition. These members may change without a new approval, such
  /// as a build number in `_meta`.
  std::vector<std::string> volatile_members = {};
  PinnedTools tools = {};
  PinnedExecutables executables = {};
  PinnedKeys certificate_keys = {};
  Position where = {};
};

/// `[flow.NAME]`: binds everyone. After a session has read data with all labels in `after`, its
/// calls with a label in `to` are refused.
struct FlowConfig {
  std::string name = {};
  std::vector<ToolLabel> after = {};  ///< `untrusted`, `private`.
  std::vector<ToolLabel> to = {};     ///< `public_sink`, `destructive`.
  Effect effect = Effect::forbid;     ///< Or `require_approval`.
  ApprovalTerms approval = {};        ///< For `require_approval`.
  /// Where there are no sessions: how long a principal's calls are remembered.
  std::chrono::milliseconds window{3'600'000};
  std::string remediation = {};
  Position where = {};
};

/// `[capture]`: whole calls with their arguments, for `replay` and `learn`. Without the table
/// nothing is captured.
struct CaptureConfig {
  std::string file = {};  ///< Path, required. Created with mode 0600.
  /// Bytes of all captured calls. The oldest are dropped first.
  std::uint64_t max_size = std::uint64_t{64} << 20;
  std::chrono::milliseconds max_age = std::chrono::hours(24 * 7);  ///< Of a captured call.
  Position where = {};
};

/// `[state]`: the state file, which keeps state across restarts beside the record. Without the
/// table there is none.
struct StateConfig {
  std::string file = {};  ///< Path, required. Created with mode 0600. A change needs a restart.
  Position where = {};
};

/// `[log]`
struct LogConfig {
  enum class Level : std::uint8_t { debug, info, warning, error } level = Level::info;
};

/// The whole configuration as plain values. Defaults are those of the fields; the shipped limits
/// are in `default_limits`.
struct Config {
  // Not inline, or each source with a `Config` would compile the copies of all these maps.
  Config();
  Config(const Config& other);
  Config(Config&& other) noexcept;
  Config& operator=(const Config& other);
  Config& operator=(Config&& other) noexcept;
  ~Config();

  /// The file itself and its includes, then the schema files, the gitleaks files and the lock file.
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
  std::vector<ToolProfile> tools = {};  ///< Sorted by pattern, bytewise.
  /// Of clients. Files have none: the gateway adds those of its state file.
  std::vector<ToolRegistration> registrations = {};
  std::map<std::string, RuleConfig, std::less<>> rules = {};
  /// Starts as `default_limits()`. A table replaces the default of the same name.
  std::map<std::string, LimitConfig, std::less<>> limits = {};
  std::map<std::string, FlowConfig, std::less<>> flows = {};
  /// Starts as `default_redaction()`. A table named `secrets` replaces it.
  std::map<std::string, RedactionConfig, std::less<>> redactions = {
      {"secrets", default_redaction()}};
  /// Starts as `default_sanitising()`. A table named `default` replaces it.
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
  std::shared_ptr<const ConfigSources> sources = {};  ///< The texts that were read.
};

/// The name of the endpoint at that path; empty for the endpoint of `[listen] path`. Nothing if no
/// endpoint has the path. A Fabricore endpoint also has the paths below its `/agents`.
/// Lifetime: views the configuration.
std::optional<std::string_view> endpoint_at(const Config& config, std::string_view path);

/// The rest of a path after the endpoint's `/agents`: `/ID/details`, or empty. Nothing for any
/// other path.
/// Lifetime: views the path.
std::optional<std::string_view> path_of_agents(const EndpointConfig& endpoint,
                                               std::string_view path);

/// All predicates: of profiles, then of rules.
/// Lifetime: points into the configuration.
std::vector<const ArgumentPredicate*> predicates_of(const Config& config);

/// A position as `FILE:LINE:COLUMN`, for errors.
std::string text(const Config& config, const Position& where);

}  // namespace bartizan
