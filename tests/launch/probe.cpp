// SPDX-License-Identifier: Apache-2.0
// A process of a job, for launch_test.py:
//   probe exchange          gathers texts of many lengths in several rounds, and checks them
//   probe absent RANK       like exchange, but process RANK never joins
//   probe end RANK STATUS   process RANK announces STATUS and ends with it; others end with 0 a second later
//   probe vanish RANK       process RANK ends with 0 after meeting the others, which wait for ever
//   probe runs              two runs, after which the processes end without `finish`
//   probe watch             waits until the launcher has ended, then makes a file "gone.RANK"
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>

namespace {

using namespace std::chrono_literals;

/// The text of process `rank` in a round: empty, a few bytes with a zero among them, or just over 1 MiB.
std::string text_of(int rank, int round) {
  const int length_class = (rank + round) % 3;
  if (length_class == 0) return {};
  const std::size_t length = length_class == 1 ? static_cast<std::size_t>(rank) + 5 : (1U << 20) + 13;
  std::string text(length, '\0');
  for (std::size_t i = 0; i < length; ++i)
    text[i] = static_cast<char>(i * 31 + static_cast<std::size_t>(rank * 7 + round));
  return text;
}

void exchange(imbrex::bootstrap& job) {
  constexpr int rounds = 6;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<std::string> texts = job.all_gather(text_of(job.rank(), round));
    if (texts.size() != static_cast<std::size_t>(job.size()))
      throw imbrex::error(std::to_string(texts.size()) + " texts in round " + std::to_string(round));
    for (int rank = 0; rank < job.size(); ++rank)
      if (texts[static_cast<std::size_t>(rank)] != text_of(rank, round))
        throw imbrex::error("wrong text of process " + std::to_string(rank) + " in round " +
                            std::to_string(round));
  }
  std::printf("process %d of %d: %d rounds\n", job.rank(), job.size(), rounds);
}

void watch(imbrex::bootstrap& job) {
  job.all_gather("");
  std::printf("process %d of %d: watching\n", job.rank(), job.size());
  std::fflush(stdout);
  pollfd launcher{job.launcher_descriptor(), POLLIN, 0};
  if (launcher.fd >= 0 && ::poll(&launcher, 1, 30'000) == 1) {
    const std::string name = "gone." + std::to_string(job.rank());
    if (std::FILE* const file = std::fopen(name.c_str(), "w")) std::fclose(file);
  }
}

int run(const std::vector<std::string>& arguments) {
  const auto job = imbrex::find_bootstrap();
  if (!job) throw imbrex::error("no bootstrap");
  const std::string_view what = arguments.at(1);
  const auto is_meant = [&] { return job->rank() == std::stoi(arguments.at(2)); };
  int status = 0;
  if (what == "exchange") exchange(*job);
  if (what == "absent") {
    if (is_meant()) std::this_thread::sleep_for(60s);
    exchange(*job);
  }
  if (what == "end") {
    job->all_gather("");
    if (is_meant()) {
      status = std::stoi(arguments.at(3));
    } else {
      std::this_thread::sleep_for(1s);
      std::printf("process %d of %d: to the end\n", job->rank(), job->size());
    }
  }
  if (what == "vanish") {
    job->all_gather("");
    if (is_meant()) ::_exit(0);
    while (true) std::this_thread::sleep_for(60s);
  }
  if (what == "runs") {
    for (int i = 0; i < 2; ++i) {
      job->all_gather("");
      job->leave(0);
    }
    ::_exit(0);
  }
  if (what == "watch") watch(*job);
  job->finish(status);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv, argv + argc});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "probe: %s\n", e.what());
    return 1;
  }
}
