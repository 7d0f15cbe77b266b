#pragma once

// valijson prints and ends the process on a bad schema unless it is told to throw, and then makes
// RapidJSON's assertions throw too. The inline namespace keeps those functions apart from the ones
// that other files compile with ordinary assertions. To be included before anything else.
#define VALIJSON_USE_EXCEPTIONS 1
#define RAPIDJSON_NAMESPACE rapidjson
#define RAPIDJSON_NAMESPACE_BEGIN \
  namespace rapidjson {           \
  inline namespace throwing {
#define RAPIDJSON_NAMESPACE_END \
  }                             \
  }

// The libraries' headers do not pass our own warnings.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <valijson/adapters/rapidjson_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#pragma clang diagnostic pop
