// SPDX-License-Identifier: Apache-2.0
// Chares that the ranks of an MPI program make, send to and wait for: heat.cpp.
#include "monitor.h"

#include <imbrex/imbrex.hpp>
#include <imbrex/mpi.hpp>
#include <imbrex/serial/bytes.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace {

class watcher : public imbrex::chare<watcher> {
 public:
  imbrex::mailbox<std::vector<double>> cells;  // matched by the step

  /// The largest cell of the last step, once all steps are there.
  imbrex::task<double> largest(int steps) {
    for (; seen_ < steps; ++seen_) {
      const std::vector<double> now = co_await cells.receive(seen_);
      largest_ = *std::ranges::max_element(now);
    }
    co_return largest_;
  }

 private:
  int seen_ = 0;
  double largest_ = 0;
};

/// A proxy travels between ranks as bytes.
imbrex::array<watcher> watchers_of(const char* handle) {
  std::vector<std::byte> bytes(static_cast<unsigned char>(handle[0]));
  std::memcpy(bytes.data(), handle + 1, bytes.size());
  return imbrex::from_bytes<imbrex::array<watcher>>(bytes);
}

}  // namespace

void monitor_make(int parts, char* handle) {
  const auto bytes = imbrex::to_bytes(imbrex::make_array<watcher>(parts));
  handle[0] = static_cast<char>(bytes.size());
  std::memcpy(handle + 1, bytes.data(), bytes.size());
}

void monitor_show(const char* handle, int part, int step, const double* cells, int count) {
  imbrex::send<&watcher::cells>(watchers_of(handle)[part], step, std::vector<double>(cells, cells + count));
}

double monitor_largest(const char* handle, int steps) {
  return imbrex::mpi::wait(watchers_of(handle).reduce<&watcher::largest>(imbrex::max, steps));
}
