#pragma once

// By default valijson prints an error for a bad schema and ends the process. With this macro it
// throws instead, and makes RapidJSON's assertions throw too. The inline namespace separates those
// functions from the ones that other files compile with ordinary assertions. Include this header
// first.
#define VALIJSON_USE_EXCEPTIONS 1
#define RAPIDJSON_NAMESPACE rapidjson
#define RAPIDJSON_NAMESPACE_BEGIN \
  namespace rapidjson {           \
  inline namespace throwing {
#define RAPIDJSON_NAMESPACE_END \
  }                             \
  }

// The libraries' headers cause warnings under our flags.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <valijson/adapters/rapidjson_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#pragma clang diagnostic pop
