#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/http/read_form.h"

/// A form that is accepted means the same when it is written anew from what was read of it.

namespace {

using namespace bartizan;

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.append("%").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const Result<Form> form = read_form(body);
  if (!form.has_value()) return 0;
  require(form->fields().size() <= limits::form_fields_max);
  std::string anew;
  for (const Form::Field& field : form->fields()) {
    require(form->find(field.name) == field.value);
    require(field.name.size() + field.value.size() < body.size());
    for (const char c : field.value)
      require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
    if (!anew.empty()) anew += "&";
    append_escaped(anew, field.name);
    anew += "=";
    append_escaped(anew, field.value);
  }
  const Result<Form> again = read_form(anew);
  require(again.has_value() && again->fields().size() == form->fields().size());
  for (std::size_t i = 0; i < form->fields().size(); ++i) {
    require(again->fields()[i].name == form->fields()[i].name);
    require(again->fields()[i].value == form->fields()[i].value);
  }
  return 0;
}
