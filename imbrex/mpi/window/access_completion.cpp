// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/access_completion.hpp>

#include <utility>

namespace imbrex::mpi {

void access_completion::begin_transfer(window_target& with) {
  ++with.pending;
  ++pending_;
}

void access_completion::end_transfer(window_target& with, access_request* rma_request) {
  --with.pending;
  --pending_;
  if (rma_request != nullptr) link_.self().complete(rma_request->awaited());
  link_.note();
}

void access_completion::await_transfers(int rank) {
  const window_target& t = link_[rank];
  link_.await([&t] { return t.pending == 0; }, "accesses", rank);
}

void access_completion::await_all_transfers() {
  link_.await([this] { return pending_ == 0; }, "its accesses");
}

void access_completion::note_sent(int to) {
  if (!std::exchange(link_[to].is_dirty, true)) dirty_.push_back(to);
}

bool access_completion::take_sent(int rank) {
  if (!std::exchange(link_[rank].is_dirty, false)) return false;
  std::erase(dirty_, rank);
  return true;
}

void access_completion::ask(int rank) {
  if (!take_sent(rank)) return;
  access_header header;
  header.kind = access_kind::flush;
  expect_answer();
  link_.send(rank, header);
}

void access_completion::note_answer() {
  --answers_;
  link_.note();
}

void access_completion::await_answers() {
  link_.await([this] { return answers_ == 0; }, "the replies of targets");
}

void access_completion::finish(int rank) {
  await_transfers(rank);
  ask(rank);
  link_.await([this] { return answers_ == 0; }, "the answer", rank);
}

void access_completion::finish_all() {
  await_all_transfers();
  for (const int rank : std::exchange(dirty_, {})) ask(rank);
  await_answers();
}

}  // namespace imbrex::mpi
