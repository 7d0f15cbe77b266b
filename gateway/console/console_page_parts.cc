#include "gateway/console/console_page_parts.h"

#include <fmt/format.h>

#include "gateway/http/shown_text.h"

namespace bartizan {
namespace {

std::string page_link(std::string_view path, std::string_view text, std::string_view current) {
  return fmt::format("<li><a href=\"{}\"{}>{}</a></li>", path,
                     path == current ? " aria-current=\"page\"" : "", text);
}

}  // namespace

std::string page_begin(std::string_view title, std::string_view head) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{} – Bartizan</title>\n<link rel=\"stylesheet\" href=\"/console.css\">\n{}</head>\n"
      "<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n",
      escaped_html(title), head);
}

std::string banner(std::string_view current, const PageReader& reader) {
  std::string links;
  if (reader.sees_all) {
    links += page_link("/", "Status", current) + page_link("/quarantine", "Quarantine", current) +
             page_link("/revocations", "Revocations", current) +
             page_link("/registrations", "Registrations", current);
  }
  links += page_link("/approvals", "Approvals", current);
  return fmt::format(
      "<header>\n<p class=\"brand\">Bartizan</p>\n<nav aria-label=\"Pages\"><ul>{}</ul></nav>\n"
      "<form method=\"post\" action=\"/sign-out\">{}<p>Signed in as <strong>{}</strong> "
      "<span class=\"quiet\">({})</span></p><button type=\"submit\" class=\"plain\">Sign out"
      "</button></form>\n</header>\n<main id=\"content\" tabindex=\"-1\">\n",
      links, hidden_field("csrf", reader.csrf), escaped_html(reader.principal),
      escaped_html(reader.proof));
}

std::string hidden_field(std::string_view name, std::string_view value) {
  return fmt::format("<input type=\"hidden\" name=\"{}\" value=\"{}\">", name, escaped_html(value));
}

std::string row(std::string_view name, std::string_view html) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, html);
}

}  // namespace bartizan
