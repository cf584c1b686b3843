// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/connect/path_times.hpp>

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <memory>
#include <new>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/background_thread.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>
#include <imbrex/net/endpoint/long_path.hpp>
#include <imbrex/net/endpoint/shared_memory.hpp>

namespace imbrex {

namespace {

using endpoints::shared_layout;
using endpoints::size_class;

/// One more message than endpoints compare: the first one touches new pages.
constexpr int messages_by_each_path = endpoints::path_trial::enough + 1;

template <class Function>
nanoseconds time_of(const Function& function) {
  const detail::real_clock time;
  const auto begun = time.now();
  function();
  return time.now() - begun;
}

void bind_if_allowed(int pe) {
  try {
    bind_this_thread(pe);
  } catch (const error&) {  // the kernel may well keep the threads apart by itself
  }
}

/// A page-aligned block, as long blocks of messages are (`base/pool.hpp`). On some processors copies take ten
/// times as long, depending on where blocks begin in their pages.
class block_on_pages {
 public:
  block_on_pages() { std::memset(data(), 0, size); }
  std::byte* data() const { return bytes_.get(); }
  static constexpr std::size_t size = shared_layout::longest_block;

 private:
  static constexpr std::align_val_t page{4096};
  struct deleter {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, page); }
  };
  std::unique_ptr<std::byte, deleter> bytes_{static_cast<std::byte*>(::operator new(size, page))};
};

/// A sender and a receiver, which take turns.
class two_threads {
 public:
  two_threads() : there_(endpoints::foreign_memory::find(here_.key())) {
    if (!there_)
      throw error("another thread cannot read the memory for long messages: there is no room for it");
    for (std::size_t c = 0; c < times_.size(); ++c) times_[c] = {size_class::longest(c), longest, longest};
  }

  std::vector<path_times> measure() {
    std::thread receiver = background_thread("that measures paths", [this] {
      bind_if_allowed(1);
      for_each_message([this](path_times& times) {
        turn_.arrive_and_wait();
        receive(times);
      });
    });
    bind_if_allowed(0);
    for_each_message([this](path_times& times) {
      send(times.longest);
      turn_.arrive_and_wait();
    });
    receiver.join();
    unbind_this_thread();
    if (is_refused_)
      for (auto& times : times_) times.by_kernel.reset();
    return times_;
  }

 private:
  static constexpr nanoseconds longest = nanoseconds::max();

  /// Calls `part`, one thread's part, for each message, and waits for the other thread.
  template <class Function>
  void for_each_message(const Function& part) {
    for (path_times& times : times_)
      for (int message = 0; message < messages_by_each_path; ++message) {
        part(times);
        turn_.arrive_and_wait();
      }
  }

  void send(std::size_t size) {
    std::memset(sent_.data(), ++content_, size);  // as if a program had just written it
    put_ = time_of([&] { here_.put({sent_.data(), size}, where_); });
  }
  void receive(path_times& times) {
    const auto took = time_of([&] { std::memcpy(received_.data(), there_->at(where_).data(), where_.size); });
    there_->release(where_);
    times.by_memory = std::min(times.by_memory, put_ + took);
    const iovec from{sent_.data(), times.longest};
    const iovec to{received_.data(), times.longest};
    const auto copied = time_of([&] {
      is_refused_ |=
          ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(times.longest);
    });
    times.by_kernel = std::min(*times.by_kernel, copied);
  }

  endpoints::shared_memory here_;
  std::unique_ptr<endpoints::foreign_memory> there_;
  const block_on_pages sent_;
  const block_on_pages received_;
  std::barrier<> turn_{2};
  int content_ = 0;
  endpoints::shared_block where_;
  nanoseconds put_{0};
  bool is_refused_ = false;
  std::vector<path_times> times_ = std::vector<path_times>(size_class::number);
};

}  // namespace

std::vector<path_times> measure_paths() {
  if (!has_network()) return {};
  return two_threads().measure();
}

}  // namespace imbrex
