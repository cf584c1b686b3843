// SPDX-License-Identifier: Apache-2.0
// expect: there is none
int main() { return 0; }
