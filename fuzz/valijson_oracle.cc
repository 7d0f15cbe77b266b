#include "config/throwing_valijson.h"

#include <exception>
#include <utility>

#include "fuzz/valijson_oracle.h"

namespace bartizan {
namespace {

/// Full precision: RapidJSON otherwise rounds some decimals to a neighbour.
rapidjson::Document parse(std::string_view text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
  if (document.HasParseError()) throw std::runtime_error("not JSON");
  return document;
}

}  // namespace

struct ValijsonSchema::State {
  valijson::Schema schema = {};
};

ValijsonSchema::ValijsonSchema(std::unique_ptr<State> state) : state_(std::move(state)) {}
ValijsonSchema::ValijsonSchema(ValijsonSchema&&) noexcept = default;
ValijsonSchema& ValijsonSchema::operator=(ValijsonSchema&&) noexcept = default;
ValijsonSchema::~ValijsonSchema() = default;

std::optional<ValijsonSchema> ValijsonSchema::compile(std::string_view schema) {
  auto state = std::make_unique<State>();
  try {
    const rapidjson::Document document = parse(schema);
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::RapidJsonAdapter(document), state->schema);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return ValijsonSchema(std::move(state));
}

std::optional<bool> ValijsonSchema::accepts(std::string_view value) const {
  try {
    const rapidjson::Document document = parse(value);
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    return validator.validate(state_->schema, valijson::adapters::RapidJsonAdapter(document),
                              nullptr);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace bartizan
