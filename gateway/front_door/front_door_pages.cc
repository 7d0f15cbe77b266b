#include "gateway/front_door/front_door_pages.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/redirect_uri.h"
#include "gateway/http/shown_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kPageEnd = "</main>\n</body>\n</html>\n";

std::string page_begin(const FrontDoorConfig& door, std::string_view title,
                       std::string_view more = "") {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{}"
      "<title>{} – Bartizan</title>\n<link rel=\"stylesheet\" href=\"{}/style.css\">\n</head>\n"
      "<body>\n<main>\n<h1>{}</h1>\n",
      more, escaped_html(title), escaped_html(door.path), escaped_html(title));
}

std::string row(std::string_view name, const std::string& html) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, html);
}

/// A sentence about the source of the client's name.
std::string origin_sentence(const SignInRequest& request) {
  if (request.client_kind == "configured") {
    return "<p class=\"quiet\">The operator of this gateway knows this application.</p>\n";
  }
  if (request.client_kind == "document") {
    return fmt::format(
        "<p class=\"quiet\">The application says of itself that it is from <strong>{}</strong>. "
        "Nobody else checked its name.</p>\n",
        escaped_html(shown_place(request.client)));
  }
  return "<p class=\"warn\">The application registered itself. Nobody checked who it is, or its "
         "name.</p>\n";
}

std::string scopes_html(std::string_view scopes) {
  if (scopes.empty()) return "everything that you may do there";
  std::string html;
  while (!scopes.empty()) {
    const std::size_t end = std::min(scopes.find(' '), scopes.size());
    html += (html.empty() ? "<code>" : ", <code>") + shown_text(scopes.substr(0, end)) + "</code>";
    scopes.remove_prefix(std::min(end + 1, scopes.size()));
  }
  return html;
}

}  // namespace

std::string shown_place(std::string_view uri) {
  if (is_loopback_redirect(uri)) return "an application on this computer";
  const std::size_t scheme = std::min(uri.find(':'), uri.size());
  if (uri.substr(0, scheme) != "https" && uri.substr(0, scheme) != "http") {
    return fmt::format("the application that opens {} links", uri.substr(0, scheme + 1));
  }
  const std::string_view after = uri.substr(std::min(scheme + 3, uri.size()));
  return std::string(after.substr(0, std::min(after.find_first_of("/?"), after.size())));
}

std::string consent_html(const FrontDoorConfig& door, const SignInRequest& request,
                         std::string_view id) {
  const std::string_view name = request.client_name.empty() ? "An application without a name"
                                                            : std::string_view(request.client_name);
  std::string html = page_begin(door, "Let an application in?");
  html += fmt::format("<p><strong>{}</strong> wants to act for you.</p>\n{}<dl>\n",
                      shown_text(name), origin_sentence(request));
  html += row("It is", "<code>" + shown_text(request.client) + "</code>");
  html += row("You are sent back to", "<strong>" + escaped_html(shown_place(request.redirect)) +
                                          "</strong> <span class=\"quiet\">(" +
                                          shown_text(request.redirect) + ")</span>");
  html += row("It may use", "<code>" + shown_text(request.resource) + "</code>");
  html += row("As far as", scopes_html(request.scopes));
  html += "</dl>\n<p>Allow it only if you have just begun this yourself.</p>\n";
  html += fmt::format(
      "<form method=\"post\" action=\"{}/consent\">\n"
      "<input type=\"hidden\" name=\"id\" value=\"{}\">\n"
      "<button type=\"submit\" name=\"decision\" value=\"deny\">Do not allow</button>\n"
      "<button type=\"submit\" name=\"decision\" value=\"allow\" class=\"main\">Allow, and sign in"
      "</button>\n</form>\n",
      escaped_html(door.path), escaped_html(id));
  return html + std::string(kPageEnd);
}

std::string forward_html(const FrontDoorConfig& door, std::string_view title,
                         std::string_view url) {
  const std::string escaped = escaped_html(url);
  std::string html = page_begin(
      door, title, fmt::format("<meta http-equiv=\"refresh\" content=\"0; url={}\">\n", escaped));
  html += fmt::format("<p><a href=\"{}\" rel=\"noreferrer\">Go on</a></p>\n", escaped);
  return html + std::string(kPageEnd);
}

std::string stopped_html(const FrontDoorConfig& door, std::string_view sentence) {
  return page_begin(door, "Not signed in") + "<p>" + shown_text(sentence) +
         "</p>\n<p class=\"quiet\">Begin again in your application.</p>\n" + std::string(kPageEnd);
}

std::string_view front_door_style() {
  return R"(:root {
  color-scheme: light dark;
  --paper: #ffffff;
  --ink: #1b1f24;
  --quiet: #57606a;
  --line: #d0d7de;
  --link: #0a53be;
  --warn: #7a5200;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d;
    --ink: #e6e9ed;
    --quiet: #a0aab4;
    --line: #3a434d;
    --link: #8ab8ff;
    --warn: #f0c060;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
a { color: var(--link); }
.quiet { color: var(--quiet); }
.warn { color: var(--warn); font-weight: 600; }
code { overflow-wrap: anywhere; }
dl { border-top: 1px solid var(--line); }
dl div { padding: .5rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
form { display: flex; gap: .75rem; flex-wrap: wrap; }
button {
  font: inherit;
  padding: .6rem 1.2rem;
  border: 1px solid var(--line);
  border-radius: .4rem;
  background: none;
  color: var(--ink);
}
button.main { background: var(--link); border-color: var(--link); color: var(--paper); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
)";
}

}  // namespace bartizan
