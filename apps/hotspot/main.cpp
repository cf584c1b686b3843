// SPDX-License-Identifier: Apache-2.0
#include "apps/hotspot/program.hpp"

int main(int argc, char** argv) { return hotspot::program(argc, argv); }
