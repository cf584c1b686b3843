// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/program.hpp"

int main(int argc, char** argv) { return jacobi3d::program(argc, argv); }
