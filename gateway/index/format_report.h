#pragma once

#include <string>

#include "gateway/index/record_query.h"

namespace bartizan {

/// Formats a report as lines for a terminal. Control characters in names are escaped.
std::string format_report_text(const RecordReport& report, const std::string& record);
/// Formats a report as Markdown, with a table for each list.
std::string format_report_markdown(const RecordReport& report, const std::string& record);
/// Formats a report as one HTML page with inline style and drawings (SVG), without scripts.
std::string format_report_html(const RecordReport& report, const std::string& record);
/// Formats a report as one JSON object.
std::string format_report_json(const RecordReport& report, const std::string& record);

}  // namespace bartizan
