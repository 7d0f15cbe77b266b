#pragma once

#include <string>

#include "gateway/index/record_query.h"

namespace bartizan {

/// A report as lines for a terminal. Control characters of names are escaped.
std::string format_report_text(const RecordReport& report, const std::string& record);
/// … as Markdown, with a table for each list.
std::string format_report_markdown(const RecordReport& report, const std::string& record);
/// … as one HTML page with its style and drawings (SVG) in it, and no script.
std::string format_report_html(const RecordReport& report, const std::string& record);
/// … as one JSON object.
std::string format_report_json(const RecordReport& report, const std::string& record);

}  // namespace bartizan
