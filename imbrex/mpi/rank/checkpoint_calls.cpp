// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/checkpoint_calls.hpp>

#include <exception>
#include <utility>

#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/extension/load.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/extension/stop.hpp>
#include <imbrex/mpi/rank/rank.hpp>

namespace imbrex::mpi {

namespace {

struct calls_of_pe {
  checkpoint_calls* here = nullptr;
};

checkpoint_calls*& calls_here() { return extension::current_pe().local<calls_of_pe>().here; }

}  // namespace

checkpoint_calls::checkpoint_calls() {
  calls_here() = this;
  // The entry `make` waits while ranks stand.
  extension::stop_here().leave_out(extension::header_of(*this));
}

task<> checkpoint_calls::make(std::string folder) {
  std::string problem;
  try {
    auto result = checkpoints::make_checkpoint(folder);
    co_await result;
  } catch (const std::exception& e) {
    problem = e.what();
  }
  imbrex::send<&checkpoint_calls::end>(peers(), problem);
}

void checkpoint_calls::end(const std::string& problem) {
  for (rank* const each : std::exchange(waiting_, {})) {
    each->way.end_checkpoint(problem);
    extension::stop_here().step(extension::header_of(chare_of(*each)));
  }
}

void checkpoint_calls::ask(const std::string& folder) {
  imbrex::send<&checkpoint_calls::make>(calls_here()->peers()[0], folder);
}

void checkpoint_calls::add(rank& waiting) {
  waiting.way.await_checkpoint();
  calls_here()->waiting_.push_back(&waiting);
}

bool has_folder_of_checkpoints() {
  return !extension::current_pe().run().settings().checkpoint.folder.empty();
}

void request_checkpoint(const std::string& folder) { checkpoint_calls::ask(folder); }
void await_checkpoint(rank& running) { checkpoint_calls::add(running); }

}  // namespace imbrex::mpi
