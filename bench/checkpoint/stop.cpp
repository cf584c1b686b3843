// SPDX-License-Identifier: Apache-2.0
// The stop of a run for a checkpoint, beside the copy of as much memory:
//   imbrex run -n 4 checkpoint_stop 64 16777216 5 --pes 1 --checkpoint /dev/shm/saved
// A line for each round: the stop, the time until all is on the disk, and the time of a copy of the bytes of
// one process, into memory that stays mapped. In simulated time elements may have further bytes, which a
// model leaves out:
//   checkpoint_stop 3072 64 3 67108864 --machine simulated --device-model summit --pes 3072
//       --checkpoint /dev/shm/saved --checkpoint-hosts partner
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <imbrex/checkpoint.hpp>
#include <imbrex/imbrex.hpp>
#include <imbrex/serial/absent_bytes.hpp>

namespace {

class cell : public imbrex::chare<cell> {
 public:
  cell() = default;
  cell(int bytes, std::uint64_t modelled)
      : data_(static_cast<std::size_t>(bytes), std::byte{1}), modelled_{modelled} {}

  void touch() {}
  void serialize(auto& ar) { ar(data_, modelled_); }

 private:
  std::vector<std::byte> data_;
  imbrex::absent_bytes modelled_;
};

double milliseconds(double seconds) { return seconds * 1e3; }

/// Seconds of a copy into memory that is mapped.
double seconds_of_copy(std::size_t bytes) {
  static std::vector<std::byte> from, to;
  from.assign(bytes, std::byte{2});
  to.assign(bytes, std::byte{3});
  const auto begin = std::chrono::steady_clock::now();
  std::memcpy(to.data(), from.data(), bytes);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    if (argc < 4) {
      std::fputs("usage: checkpoint_stop ELEMENTS BYTES ROUNDS [MODELLED_BYTES] --checkpoint DIR\n", stderr);
      co_return 2;
    }
    const int elements = std::atoi(argv[1]), bytes = std::atoi(argv[2]), rounds = std::atoi(argv[3]);
    const std::uint64_t modelled = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0;
    const auto cells = imbrex::make_array<cell>(imbrex::dense(elements).named("cells"), bytes, modelled);
    co_await cells.call<&cell::touch>();
    const std::size_t of_process = static_cast<std::size_t>(elements) * static_cast<std::size_t>(bytes) /
                                   static_cast<std::size_t>(std::max(1, imbrex::num_processes()));
    std::puts("   stop ms    whole ms     copy ms");
    for (int round = 0; round < rounds; ++round) {
      const double copy = seconds_of_copy(of_process);
      const imbrex::checkpoint_result saved = co_await imbrex::checkpoint();
      std::printf("%10.2f  %10.2f  %10.2f\n", milliseconds(saved.seconds_stopped),
                  milliseconds(saved.seconds), milliseconds(copy));
    }
    co_return 0;
  });
}
