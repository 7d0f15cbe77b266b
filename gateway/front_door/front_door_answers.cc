#include "gateway/front_door/front_door_answers.h"

#include <utility>

namespace bartizan {
namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'";

}  // namespace

FrontDoorAnswer page(std::string html, int status) {
  return {.status = status,
          .content_type = "text/html; charset=utf-8",
          .body = std::move(html),
          .headers = {{"Content-Security-Policy", std::string(kPolicy)},
                      {"X-Frame-Options", "DENY"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "same-origin"},
                      {"Cache-Control", "no-store"}}};
}

FrontDoorAnswer see_other(std::string url) {
  return {.status = 303,
          .content_type = "",
          .headers = {{"Location", std::move(url)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-store"}}};
}

std::string value_of(const Form& form, std::string_view name) {
  return std::string(form.find(name).value_or(""));
}

}  // namespace bartizan
