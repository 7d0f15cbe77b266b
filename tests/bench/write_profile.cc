// Linked into the gateway in the `profile` preset alone: it ends by `_Exit`, behind which nobody
// writes a profile, so this stands in its place (`--wrap`).

extern "C" {

int __llvm_profile_write_file();           // NOLINT(bugprone-reserved-identifier)
[[noreturn]] void __real__Exit(int code);  // NOLINT(bugprone-reserved-identifier)
[[noreturn]] void __wrap__Exit(int code);  // NOLINT(bugprone-reserved-identifier)

void __wrap__Exit(int code) {
  __llvm_profile_write_file();
  __real__Exit(code);
}

}  // extern "C"
