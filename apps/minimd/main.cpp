// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/program.hpp"

int main(int argc, char** argv) { return minimd::program(argc, argv); }
