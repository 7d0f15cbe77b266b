#include "gateway/command/command_line.h"

int main(int argc, char** argv) {
  return bartizan::run_command_line(argc, argv);
}
