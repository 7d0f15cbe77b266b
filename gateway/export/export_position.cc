#include "gateway/export/export_position.h"

#include <cerrno>
#include <filesystem>

#include "audit/verify.h"
#include "gateway/process/read_file.h"
#include "gateway/process/write_file.h"

namespace bartizan {
namespace {

constexpr std::string_view kStart = "bartizan export position 1\n";

std::unexpected<Error> failed(const std::string& path, const std::string& why) {
  return fail(ErrorCode::io_failed, Fault::gateway, path + ": " + why);
}

}  // namespace

std::string position_path(std::string_view record, std::string_view name) {
  return std::string(record) + '.' + std::string(name);
}

Result<std::optional<ExportPosition>> read_position(const std::string& path) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(path, error);
  if (error) return failed(path, error.message());
  if (!is_there) return std::nullopt;
  const Result<std::string> text = read_file(path);
  if (!text.has_value()) return std::unexpected(text.error());
  std::string_view rest = *text;
  const std::string_view unknown =
      "does not say how far the export came; remove it to send all again";
  if (!rest.starts_with(kStart) || !rest.ends_with('\n')) return failed(path, std::string(unknown));
  rest.remove_prefix(kStart.size());
  rest.remove_suffix(1);
  const std::size_t line = rest.find('\n');
  if (line == rest.npos) return failed(path, std::string(unknown));
  const auto head = parse_audit_head(rest.substr(line + 1));
  if (!head.has_value()) return failed(path, std::string(unknown));
  return ExportPosition{.chain = std::string(rest.substr(0, line)), .head = *head};
}

Result<void> write_position(const std::string& path, const ExportPosition& position) {
  const std::string text =
      std::string(kStart) + position.chain + '\n' + position.head.text() + '\n';
  if (const std::error_code error = write_file(path, text)) return failed(path, error.message());
  return {};
}

}  // namespace bartizan
