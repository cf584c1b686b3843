/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a variable that programs set. */
int counter = 5;
int count(void) { return ++counter; }
