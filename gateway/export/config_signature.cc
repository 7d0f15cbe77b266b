#include "gateway/export/config_signature.h"

#include "audit/digest.h"
#include "config/load/load_config.h"
#include "gateway/process/read_file.h"
#include "schemas/base/sha256.h"

namespace bartizan {

std::string digest_of(std::string_view text) {
  Digester digester;
  return hex_of(digester.sha256(text));
}

std::string digest_of(const SecretReference& reference) {
  if (reference.kind == SecretReference::Kind::none) return "";
  const Result<SecretText> secret = read_secret(reference);
  return reference.name + '\n' + digest_of(secret.has_value() ? secret->view() : "");
}

std::string digest_of_file(const std::string& path) {
  if (path.empty()) return "";
  return path + '\n' + digest_of(read_file(path).value_or(""));
}

std::string joined(std::initializer_list<std::string> parts) {
  std::string all;
  for (const std::string& part : parts)
    all += std::to_string(part.size()) + ':' + part;
  return all;
}

}  // namespace bartizan
