#include "gateway/setup/convert_groundhog.h"

#include <algorithm>

#include "config/problems.h"
#include "config/table_reader.h"
#include "config/toml_reader.h"
#include "gateway/setup/groundhog_settings.h"
#include "gateway/setup/write_converted.h"

namespace bartizan {

Conversion convert_groundhog(std::string_view text, const std::string& name,
                             const std::vector<std::string>& hosts) {
  Problems problems;
  const std::uint32_t file = problems.add_file(name);
  const auto document = parse_toml(text, file);
  if (!document.has_value()) {
    problems.error(document.error().where, document.error().message);
    return {.keys = ConversionReport({}, groundhog_keys(), problems).keys()};
  }
  ConversionReport report(*document, groundhog_keys(), problems);
  TableReader root(*document, "", {.file = file, .line = 1, .column = 1}, problems,
                   groundhog_keys());
  const GroundhogSettings settings = read_groundhog(root, hosts, report);
  Conversion conversion{.keys = report.keys()};
  const bool is_whole = std::ranges::all_of(
      conversion.keys, [](const ConvertedKey& key) { return key.refused.empty(); });
  if (!is_whole) return conversion;
  conversion.config = write_converted(settings);
  conversion.notes = conversion_notes(settings);
  return conversion;
}

}  // namespace bartizan
