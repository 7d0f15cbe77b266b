# Writes OUTPUT, a C++ source that holds the text of INPUT. A script instead of xxd: CMake is there.
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}" "#include \"config/config_schema.h\"

namespace bartizan {

std::string_view config_schema_text() {
  return R\"schema(${text})schema\";
}

}  // namespace bartizan
")
