// SPDX-License-Identifier: Apache-2.0
// A library that reports the version of a UCX that is too old, and does nothing else.
extern "C" {

void ucp_get_version(unsigned* major, unsigned* minor, unsigned* release) {
  *major = 1;
  *minor = 12;
  *release = 1;
}

void ucs_debug_disable_signal(int) {}
}
