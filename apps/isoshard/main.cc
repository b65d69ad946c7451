// The program `isoshard`: the command line of the library, and nothing else.
#include <isoshard/command_line.h>

int main(int argc, char** argv) { return isoshard::run_command_line(argc, argv); }
