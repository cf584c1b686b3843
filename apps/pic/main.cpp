// SPDX-License-Identifier: Apache-2.0
#include "apps/pic/program.hpp"

int main(int argc, char** argv) { return pic::program(argc, argv); }
