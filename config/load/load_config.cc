#include "config/load/load_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "config/load/load_agent.h"
#include "config/load/load_export.h"
#include "config/load/load_parts.h"
#include "config/new_permits.h"
#include "config/problems.h"
#include "config/read_document.h"
#include "config/table_reader.h"

namespace bartizan {
namespace {

/// The order follows the dependencies between names of the parts.
Config read_config(TableReader& root, const Document& document) {
  Config config;
  check_version(root);
  config.listen = load_listen(root);
  config.metrics = load_metrics(root);
  config.admin = load_admin(root);
  config.process = load_process(root);
  config.session = load_session(root);
  config.client = load_client(root);
  config.exports = load_exports(root);
  config.alerts = load_alerts(root);
  config.audit = load_audit(root, config);
  config.capture = load_capture(root);
  config.state = load_state(root, config);
  config.log = load_log(root);
  config.roles = load_roles(root);
  config.principals = load_principals(root, config);
  config.auth = load_auth(root, config);
  config.console = load_console(root, config);
  config.approvals = load_approvals(root, config);
  config.urls = load_urls(root);
  config.pins = load_pins(root, document.sources.lock);
  config.servers = load_servers(root, config);
  config.endpoints = load_endpoints(root, config);
  config.sockets = load_sockets(root, config);
  config.auth.sockets = socket_peers(config.sockets);
  config.paths = load_paths(root);
  config.sqls = load_sqls(root);
  config.commands = load_commands(root);
  config.tools = load_tools(root, config, document.sources.schemas);
  check_agents(config, root.problems());
  config.policy = load_policy(root);
  config.rules = load_rules(root, config);
  config.limits = load_limits(root, config);
  config.flows = load_flows(root, config);
  config.redactions = load_redactions(root, config);
  config.detectors = load_detectors(root, document.sources.rules);
  config.sanitisings = load_sanitisings(root, config);
  root.finish();
  return config;
}

LoadedConfig load_document(Document document, Problems& problems) {
  Config config;
  // References into a missing file would only hide the real problem.
  if (document.is_complete) {
    TableReader root(document.root, "", {.file = 0, .line = 1, .column = 1}, problems);
    config = read_config(root, document);
  }
  config.files = problems.files();
  config.digest = document.digest;
  config.sources = std::make_shared<const ConfigSources>(std::move(document.sources));
  return {.config = std::move(config),
          .problems = problems.sorted(),
          .include_patterns = document.include_patterns};
}

}  // namespace

void check_version(TableReader& root) {
  if (!root.has("version")) {
    root.problems().error(root.where(), "\"version\" is required", "write version = 1");
    return;
  }
  const TomlEntry* version = root.find("version", TomlValue::Type::integer);
  if (version == nullptr || version->value.integer == 1) return;
  root.problems().error(version->value.where, "\"version\" must be 1");
}

bool LoadedConfig::usable() const {
  return std::ranges::none_of(problems, [](const ConfigProblem& problem) {
    return problem.severity == ConfigProblem::Severity::error;
  });
}

LoadedConfig load_config(const std::filesystem::path& file) {
  Problems problems;
  return load_document(read_document(file, problems), problems);
}

LoadedConfig load_config_to_pin(const std::filesystem::path& file) {
  Problems problems;
  return load_document(read_document(file, problems, MissingLock::accept), problems);
}

LoadedConfig load_config(const ConfigSources& sources) {
  Problems problems;
  return load_document(read_sources(sources, problems), problems);
}

LoadedConfig load_with_permits(const ConfigSources& sources, const NewPermits& permits) {
  Problems problems;
  Document document = read_sources(sources, problems);
  if (document.is_complete) replace_permits(document, permits, problems);
  return load_document(std::move(document), problems);
}

LoadedConfig load_config_text(std::string_view text, const std::string& name) {
  Problems problems;
  return load_document(read_document_text(text, name, problems), problems);
}

}  // namespace bartizan
