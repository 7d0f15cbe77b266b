#include "gateway/console/console_pages.h"

#include <algorithm>

#include <fmt/format.h>

#include "gateway/console/console_page_parts.h"
#include "gateway/http/shown_text.h"
#include "gateway/runtime/version.h"
#include "gateway/status/revocation_pages.h"

namespace bartizan {
namespace {

std::string eras_of(const ServerState& server) {
  if (server.legacy.has_value() && server.modern.has_value()) return "legacy and modern";
  return server.modern.has_value() ? "modern" : "legacy";
}

std::string server_row(std::string_view name, const ServerState& server, std::size_t quarantined) {
  std::string state = server.is_up()
                          ? fmt::format("<span class=\"good\">up</span>, {}", eras_of(server))
                          : std::string("<span class=\"bad\">down</span>");
  if (!server.is_up() && !server.failure.empty()) state += ": " + shown_text(server.failure);
  std::string tools = "none";
  if (quarantined > 0) tools = fmt::format("<a href=\"/quarantine\">{}</a>", quarantined);
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
                     escaped_html(name), state, tools);
}

std::string servers_table(const ConsoleStatus& status) {
  if (status.servers.empty()) return "<p>No server is configured, or none was asked yet.</p>\n";
  std::string html =
      "<table>\n<thead><tr><th scope=\"col\">Server</th><th scope=\"col\">State</th>"
      "<th scope=\"col\">Quarantined</th></tr></thead>\n<tbody>\n";
  for (const auto& [name, server] : status.servers) {
    const auto found = status.quarantines.find(name);
    html += server_row(name, server, found == status.quarantines.end() ? 0 : found->second.count);
  }
  return html + "</tbody>\n</table>\n";
}

std::string reload_text(const ReloadStatus& reloads) {
  std::string html = fmt::format("{} applied, {} refused, {} without a change", reloads.applied,
                                 reloads.refused, reloads.unchanged);
  if (reloads.last != ReloadResult::refused) return html;
  return html +
         "<p class=\"bad\">The last one was refused: " + shown_text(reloads.refusal.sentence) +
         "</p><pre>" + shown_text(reloads.refusal.detail) + "</pre>";
}

std::string attention(const ConsoleStatus& status) {
  std::string html;
  if (!status.not_ready.empty()) {
    html += "<p class=\"box bad\" role=\"status\">No calls are accepted: " +
            shown_text(status.not_ready) + "</p>\n";
  } else {
    html += "<p class=\"box good\" role=\"status\">Calls are accepted.</p>\n";
  }
  if (status.observes) {
    html +=
        "<p class=\"box warn\">The policy only observes: it records what it would refuse, and "
        "refuses nothing.</p>\n";
  }
  if (status.warnings.empty()) return html;
  html += "<h2>To be looked at</h2>\n<ul>\n";
  for (const std::string& warning : status.warnings)
    html += "<li>" + shown_text(warning) + "</li>\n";
  return html + "</ul>\n";
}

std::string release_form(std::string_view server, const QuarantinedTool& tool,
                         const PageReader& reader) {
  if (tool.fingerprint.empty()) {
    return "<p class=\"quiet\">It cannot be released: its server, or the configuration, has to "
           "mend it.</p>\n";
  }
  return fmt::format(
      "<p class=\"quiet\">Fingerprint <code>{}</code></p>\n"
      "<form method=\"post\" action=\"/release\">{}{}{}{}<button type=\"submit\">Release this "
      "definition of {}</button></form>\n",
      escaped_html(tool.fingerprint), hidden_field("csrf", reader.csrf),
      hidden_field("server", server), hidden_field("tool", tool.name),
      hidden_field("fingerprint", tool.fingerprint), escaped_html(tool.name));
}

std::string quarantine_section(std::string_view server, const Quarantine& quarantine,
                               const PageReader& reader) {
  std::string html =
      fmt::format("<section>\n<h2>{}</h2>\n<ul class=\"cards\">\n", escaped_html(server));
  for (const auto& [tool, why] : quarantine.tools) {
    html += "<li>\n<h3>" + escaped_html(tool.name) + "</h3>\n<p>" + shown_text(why) + "</p>\n" +
            release_form(server, tool, reader) + "</li>\n";
  }
  html += "</ul>\n";
  if (quarantine.count > quarantine.tools.size()) {
    html += fmt::format(
        "<p>{} further definitions are quarantined: <code>bartizan pin CONFIG --diff</code> shows "
        "them.</p>\n",
        quarantine.count - quarantine.tools.size());
  }
  return html + "</section>\n";
}

/// The most revocations on one page: `bartizan revocations` lists all.
constexpr std::size_t kShownMax = 500;

std::string revocation_row(const Revocation& revocation, const PageReader& reader) {
  const bool blocks = is_block(revocation.kind);
  std::string_view kind = text(revocation.kind);
  if (blocks) kind.remove_prefix(std::string_view("block_").size());
  const std::string until = revocation.until.has_value() ? time_text(*revocation.until)
                                                         : std::string("until it is lifted");
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td>{} {} {}<code>{}</code></td><td>{}</td>"
      "<td>{}, {}</td><td>{}</td><td><form method=\"post\" action=\"/lift\">{}{}"
      "<button type=\"submit\">Lift {}</button></form></td></tr>\n",
      revocation.id, blocks ? "block" : "revoke", kind,
      is_by_digest(revocation.kind) ? "sha256 " : "", shown_text(revocation.subject),
      shown_text(revocation.why), shown_text(revocation.by), time_text(revocation.at), until,
      hidden_field("csrf", reader.csrf), hidden_field("number", std::to_string(revocation.id)),
      revocation.id);
}

std::string revocations_table(std::span<const Revocation> revocations, const PageReader& reader) {
  if (revocations.empty()) return "<p>Nothing is revoked or blocked.</p>\n";
  std::string html =
      "<table>\n<thead><tr><th scope=\"col\">Number</th><th scope=\"col\">What</th>"
      "<th scope=\"col\">Why</th><th scope=\"col\">By</th><th scope=\"col\">Until</th>"
      "<th scope=\"col\">Act</th></tr></thead>\n<tbody>\n";
  for (const Revocation& revocation : revocations.first(std::min(revocations.size(), kShownMax)))
    html += revocation_row(revocation, reader);
  html += "</tbody>\n</table>\n";
  if (revocations.size() > kShownMax) {
    html += fmt::format("<p>{} more: <code>bartizan revocations</code> lists them.</p>\n",
                        revocations.size() - kShownMax);
  }
  return html;
}

std::string revoke_form(const PageReader& reader) {
  return fmt::format(
      "<form method=\"post\" action=\"/revoke\" class=\"tall\">\n{}\n"
      "<label for=\"kind\">What</label>\n<select id=\"kind\" name=\"kind\" required>\n"
      "<option value=\"principal\">Revoke a principal</option>\n"
      "<option value=\"key\">Revoke an API key</option>\n"
      "<option value=\"token\">Revoke an access token</option>\n"
      "<option value=\"session\">Revoke a session</option>\n"
      "<option value=\"block_server\">Block a server</option>\n"
      "<option value=\"block_tool\">Block a tool</option>\n"
      "<option value=\"block_principal\">Block a principal</option>\n</select>\n"
      "<label for=\"name\">Name</label>\n"
      "<input id=\"name\" name=\"name\" required autocomplete=\"off\" spellcheck=\"false\" "
      "aria-describedby=\"name-help\">\n"
      "<p class=\"quiet\" id=\"name-help\">A tool is <code>SERVER/TOOL</code>. Of a token give "
      "the token or its <code>jti</code>, of a session its id: only the SHA-256 is kept.</p>\n"
      "<label for=\"why\">Why</label>\n"
      "<input id=\"why\" name=\"why\" required maxlength=\"512\" autocomplete=\"off\">\n"
      "<label for=\"for\">For how long</label>\n"
      "<input id=\"for\" name=\"for\" autocomplete=\"off\" aria-describedby=\"for-help\">\n"
      "<p class=\"quiet\" id=\"for-help\">As <code>1h</code> or <code>30d</code>; empty: until "
      "it is lifted.</p>\n"
      "<button type=\"submit\">Do it</button>\n</form>\n",
      hidden_field("csrf", reader.csrf));
}

}  // namespace

std::string revocations_html(std::span<const Revocation> revocations, bool has_state,
                             std::string_view notice, const PageReader& reader) {
  std::string html =
      page_begin("Revocations") + banner("/revocations", reader) + "<h1>Revocations</h1>\n";
  if (!notice.empty()) {
    html += "<p class=\"box\" role=\"status\">" + shown_text(notice) + "</p>\n";
  }
  if (!has_state) {
    return html +
           "<p class=\"box warn\">Nothing can be revoked or blocked here: <code>[state] "
           "file</code> in the configuration keeps it over a restart.</p>\n" +
           std::string(kPageEnd);
  }
  html +=
      "<p>What is revoked or blocked is refused at once, whatever the configuration says, also "
      "after "
      "a restart. It goes on record with your name.</p>\n";
  html += revocations_table(revocations, reader);
  html += "<h2>Revoke or block</h2>\n" + revoke_form(reader);
  return html + std::string(kPageEnd);
}

std::string status_html(const ConsoleStatus& status, const PageReader& reader) {
  std::string html = page_begin("Status") + banner("/", reader) + "<h1>Status</h1>\n";
  html += attention(status);
  html += "<h2>Servers</h2>\n" + servers_table(status);
  html += "<h2>Process</h2>\n<dl>\n";
  html += row("Version", escaped_html(kVersion));
  html += row("Policy", fmt::format("<code>{}</code>", escaped_html(status.policy)));
  html += row("Reloads", reload_text(status.reloads));
  html += row("Clients", fmt::format("{} sessions, {} connections, {} calls in progress",
                                     status.sessions, status.connections, status.calls));
  html += row("Runs", fmt::format("{} workers, {} local servers", status.workers, status.children));
  html += row("Memory", fmt::format("{} of {} MiB reserved", status.memory_used >> 20,
                                    status.memory_max >> 20));
  html += row("Record's head", fmt::format("<code>{}</code>", escaped_html(status.audit_head)));
  return html + "</dl>\n" + std::string(kPageEnd);
}

std::string quarantine_html(const Quarantines& quarantines, std::string_view notice,
                            const PageReader& reader) {
  std::string html =
      page_begin("Quarantine") + banner("/quarantine", reader) + "<h1>Quarantine</h1>\n";
  if (!notice.empty()) {
    html += "<p class=\"box\" role=\"status\">" + shown_text(notice) + "</p>\n";
  }
  html +=
      "<p>Nobody can call these tools. A release takes exactly one definition, for everybody, "
      "until the gateway ends; <code>bartizan pin</code> approves it for longer. It goes on record "
      "with your name.</p>\n";
  if (quarantines.empty()) {
    html += "<p>Nothing is quarantined, as far as the servers’ lists are known.</p>\n";
  }
  for (const auto& [server, quarantine] : quarantines)
    html += quarantine_section(server, quarantine, reader);
  return html + std::string(kPageEnd);
}

std::string sign_in_html(std::string_view error, const std::vector<std::string>& doors,
                         bool takes_keys, std::string_view then) {
  const std::string then_field = then.empty() ? "" : hidden_field("then", then);
  std::string html = page_begin("Sign in") + std::string(kBareBegin) + "<h1>Sign in</h1>\n";
  if (!error.empty()) {
    html += "<p class=\"box bad\" role=\"alert\" id=\"error\">" + shown_text(error) + "</p>\n";
  }
  if (!doors.empty()) {
    html += "<form method=\"post\" action=\"/sign-in/provider\" class=\"tall\">\n" + then_field;
    for (const std::string& door : doors) {
      html += fmt::format(
          "<button type=\"submit\" name=\"door\" value=\"{}\">Sign in with {}</button>\n",
          escaped_html(door), escaped_html(door));
    }
    html += "</form>\n";
  }
  if (!takes_keys) return html + std::string(kPageEnd);
  html += fmt::format(
      "<form method=\"post\" action=\"/sign-in\" class=\"tall\">\n{}"
      "<label for=\"key\">Your key</label>\n"
      "<input id=\"key\" name=\"key\" type=\"password\" autocomplete=\"current-password\" "
      "maxlength=\"512\" required autofocus{}>\n"
      "<p class=\"quiet\">The key of a principal with a role of <code>[console] roles</code>, or "
      "who may approve calls, as <code>bartizan key new</code> showed it.</p>\n"
      "<button type=\"submit\">Sign in</button>\n</form>\n",
      then_field, error.empty() ? "" : " aria-invalid=\"true\" aria-describedby=\"error\"");
  return html + std::string(kPageEnd);
}

std::string go_on_html(std::string_view title, std::string_view url) {
  const std::string escaped = escaped_html(url);
  std::string html =
      page_begin(title,
                 fmt::format("<meta http-equiv=\"refresh\" content=\"0; url={}\">\n", escaped)) +
      std::string(kBareBegin);
  html += fmt::format("<h1>{}</h1>\n<p><a href=\"{}\" rel=\"noreferrer\">Go on</a></p>\n",
                      escaped_html(title), escaped);
  return html + std::string(kPageEnd);
}

std::string callback_html(std::string_view code, std::string_view state,
                          const std::optional<std::string_view>& issuer) {
  std::string html = page_begin("Signed in") + std::string(kBareBegin) +
                     "<h1>Signed in at the provider</h1>\n"
                     "<form method=\"post\" action=\"/callback\" class=\"tall\">\n" +
                     hidden_field("code", code) + hidden_field("state", state);
  if (issuer.has_value()) html += hidden_field("iss", *issuer);
  return html + "<button type=\"submit\" autofocus>Go on to the console</button>\n</form>\n" +
         std::string(kPageEnd);
}

std::string message_html(const ConsoleMessage& message) {
  std::string html = page_begin(message.title) + std::string(kBareBegin);
  html += fmt::format("<h1>{}</h1>\n<p>{}</p>\n", escaped_html(message.title),
                      shown_text(message.sentence));
  if (!message.decision_id.empty()) {
    html += fmt::format("<p class=\"quiet\">On record as <code>{}</code></p>\n",
                        escaped_html(message.decision_id));
  }
  html += fmt::format("<p><a href=\"{}\">{}</a></p>\n", escaped_html(message.link),
                      escaped_html(message.link_text));
  return html + std::string(kPageEnd);
}

}  // namespace bartizan
