// SPDX-License-Identifier: Apache-2.0
// Each copy has its own standard output: its redirection and buffering do not affect other copies.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

#include "driver.h"

namespace {

int failures = 0;
void check(bool holds, int line) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "copy %d, line %d\n", copy_number(), line);
}
#define CHECK(condition) check((condition), __LINE__)

std::string content_of(const std::string& name) {
  std::ifstream file(name);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Writes by all methods, and yields to other copies in between.
void write_all(int own) {
  for (int k = 0; k < 3; ++k) {
    std::printf("printf %d %d\n", own, k);
    copy_yield();
    std::fflush(stdout);
    std::cout << "cout " << own << " " << k << "\n" << std::flush;
    const std::string line = "write " + std::to_string(own) + "\n";
    CHECK(::write(STDOUT_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    copy_yield();
  }
  std::fflush(stdout);
}
std::string written(int own) {
  std::ostringstream text;
  for (int k = 0; k < 3; ++k)
    text << "printf " << own << " " << k << "\ncout " << own << " " << k << "\nwrite " << own << "\n";
  return text.str();
}

}  // namespace

int main() {
  const int own = copy_number();
  const std::string name = "streams." + std::to_string(getpid()) + "." + std::to_string(own);
  std::FILE* const stream = stdout;
  std::printf("first %d\n", own);
  char buffer[100];
  CHECK(std::setvbuf(stdout, buffer, own % 2 == 0 ? _IOFBF : _IONBF, sizeof buffer) == 0);
  const int kept = dup(1);
  CHECK(kept > 2);

  CHECK(std::freopen((name + "a").c_str(), "w", stdout) == stream && stdout == stream);
  write_all(own);
  CHECK(fileno(stdout) == 1 && content_of(name + "a") == written(own));
  struct stat seen{};
  CHECK(fstat(1, &seen) == 0 && static_cast<std::size_t>(seen.st_size) == written(own).size());
  CHECK(std::freopen((name + "a").c_str(), "a", stdout) == stream);
  write_all(own);
  CHECK(content_of(name + "a") == written(own) + written(own));

  const int file = open((name + "b").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  CHECK(dup2(file, 1) == 1 && close(file) == 0);
  write_all(own);
  CHECK(content_of(name + "b") == written(own));
  CHECK(dup2(kept, 1) == 1 && close(kept) == 0);
  std::printf("second %d\n", own);
  std::fflush(stdout);

  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  copy_yield();
  std::cout << "text of " << own;
  copy_yield();
  CHECK(text.str() == "text of " + std::to_string(own));
  std::cout.rdbuf(before);
  std::cout << "third " << own << "\n" << std::flush;
  copy_yield();

  CHECK(std::freopen("/no/such/folder/file", "w", stdout) == nullptr);
  CHECK(std::freopen((name + "c").c_str(), "w", stdout) == stream);
  std::printf("fourth");
  CHECK(std::fclose(stdout) == 0 && content_of(name + "c") == "fourth");
  if (own % 2 == 0) {
    copy_yield();
    CHECK(::write(1, "x", 1) == -1 && close(1) == -1 && dup(1) == -1);
    std::puts("lost");
  }
  for (const char* end : {"a", "b", "c"}) std::remove((name + end).c_str());
  return failures == 0 ? 0 : 1;
}
