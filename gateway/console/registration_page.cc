#include "gateway/console/registration_page.h"

#include <fmt/format.h>

#include "gateway/console/console_page_parts.h"
#include "gateway/http/shown_text.h"
#include "gateway/status/revocation_pages.h"

namespace bartizan {
namespace {

std::string form_of(const KeptRegistration& kept, std::string_view act, std::string_view label,
                    const PageReader& reader) {
  const std::string number = std::to_string(kept.registration.number);
  return fmt::format(
      "<form method=\"post\" action=\"/registration\">{}{}{}<button type=\"submit\">{} {}</button>"
      "</form>",
      hidden_field("csrf", reader.csrf), hidden_field("number", number), hidden_field("act", act),
      label, number);
}

/// The forms for a tool. Its registrant gets no form that the gateway would refuse.
std::string forms_of(const KeptRegistration& kept, const PageReader& reader) {
  std::string forms;
  const bool waits = kept.approved_by.empty();
  if (waits && kept.by != reader.principal) forms += form_of(kept, "approve", "Approve", reader);
  return forms + form_of(kept, "remove", "Remove", reader);
}

std::string section_of(const KeptRegistration& kept, const PageReader& reader) {
  const ToolRegistration& registration = kept.registration;
  std::string html = fmt::format("<section>\n<h2>{}: {}/{}</h2>\n<dl>\n", registration.number,
                                 shown_text(registration.server), shown_text(registration.tool));
  html += row("State", kept.approved_by.empty()
                           ? std::string("waits for a person; nobody can call the tool")
                           : "approved by " + shown_text(kept.approved_by));
  html += row("Version", shown_text(registration.version));
  html += row("Registered", fmt::format("by {}, {}", shown_text(kept.by), time_text(kept.at)));
  html += row("As it came", "<pre>" + shown_text(kept.text) + "</pre>");
  return html + "</dl>\n" + forms_of(kept, reader) + "\n</section>\n";
}

}  // namespace

std::string registrations_html(std::span<const KeptRegistration> registrations,
                               std::string_view notice, const PageReader& reader) {
  std::string html =
      page_begin("Registrations") + banner("/registrations", reader) + "<h1>Registrations</h1>\n";
  if (!notice.empty()) {
    html += "<p class=\"box\" role=\"status\">" + shown_text(notice) + "</p>\n";
  }
  html +=
      "<p>Clients registered these tools of configured servers. An approval adds what the "
      "registration says to the profile of the tool, and takes nothing from it. It goes on record "
      "with your name.</p>\n";
  if (registrations.empty()) html += "<p>No tool is registered.</p>\n";
  for (const KeptRegistration& kept : registrations)
    html += section_of(kept, reader);
  return html + std::string(kPageEnd);
}

}  // namespace bartizan
