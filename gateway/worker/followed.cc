#include "gateway/worker/followed.h"

#include "gateway/catalogue/naming.h"

namespace bartizan {
std::optional<UriForm> followed_as(const Followed& followed, std::string_view server,
                                   std::string_view uri) {
  const auto itself = followed.find({std::string(server), std::string(uri)});
  if (itself != followed.end()) return itself->second;
  for (const auto& [resource, form] : followed) {
    if (resource.first == server && is_part_of(uri, resource.second)) return form;
  }
  return std::nullopt;
}

std::string in_form(UriForm form, std::string_view server, std::string_view uri) {
  return form == UriForm::named ? named_uri(server, uri) : std::string(uri);
}

}  // namespace bartizan
