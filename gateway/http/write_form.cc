#include "gateway/http/write_form.h"

#include <array>

namespace bartizan {

std::string escape_form(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '*' || c == '-' || c == '.' || c == '_';
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain) {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

void append_field(std::string& form, std::string_view name, std::string_view value) {
  if (!form.empty() && form.back() != '?' && form.back() != '&') form += '&';
  form += escape_form(name);
  form += '=';
  form += escape_form(value);
}

std::string with_query(std::string_view url,
                       std::span<const std::pair<std::string_view, std::string>> fields) {
  std::string whole(url);
  if (!whole.contains('?')) whole += '?';
  for (const auto& [name, value] : fields)
    append_field(whole, name, value);
  return whole;
}

}  // namespace bartizan
