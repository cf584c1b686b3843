// SPDX-License-Identifier: Apache-2.0
// relay.hpp
#include <imbrex/resident/chare.hpp>

/// One on each GPU. It adds to the received numbers, puts them into the memory of the next GPU, and signals
/// that GPU.
struct relay : imbrex::resident::chare<relay> {
  imbrex::resident::symmetric<std::uint64_t> numbers;
  imbrex::resident::trigger arrived;

  IMBREX_DEVICE void pass(imbrex::resident::context<relay>& here, std::uint32_t left) {
    std::uint64_t* const own = here.local(numbers);
    for (std::uint64_t i = here.thread(); i < numbers.size; i += here.threads()) own[i] += i;
    here.sync();
    if (left == 0) return here.exit(own[numbers.size - 1]);
    const int next = (here.where()[0] + 1) % here.shape()[0];
    here.put(numbers, here.gpu_of<relay>(next), own);
    here.signal<&relay::pass>(next, here.of<relay>(next).arrived, 1, left - 1);
  }
  using entries = imbrex::resident::entries<&relay::pass>;
};
