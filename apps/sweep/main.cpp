// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/program.hpp"

int main(int argc, char** argv) { return sweep::program(argc, argv); }
