// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/program.hpp"

int main(int argc, char** argv) { return moldyn::program(argc, argv); }
