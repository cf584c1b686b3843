// SPDX-License-Identifier: Apache-2.0
// Tests of device memory between two processes, with the stand-in for CUDA's runtime.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/device/buffer.hpp>
#include <imbrex/device/cuda/cuda_devices.hpp>
#include <imbrex/device/cuda/ipc_memory.hpp>
#include <imbrex/device/cuda/stand_in.test.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex {
namespace {

constexpr std::size_t size = 1'300'000;
constexpr std::size_t piece = detail::sharable_bytes;  // allocations are multiples of this

std::vector<std::byte> bytes_for(int seed) {
  std::vector<std::byte> content(size);
  for (std::size_t i = 0; i < size; ++i) content[i] = std::byte((i * 31 + std::size_t(seed)) % 251);
  return content;
}

/// One end of a connection between two processes.
class line {
 public:
  line(int in, int out) : in_(in), out_(out) {}
  template <class T>
  void say(const T& what) const {
    if (::write(out_, &what, sizeof what) != ssize_t(sizeof what)) std::abort();
  }
  template <class T>
  T hear() const {
    T what;
    if (::read(in_, &what, sizeof what) != ssize_t(sizeof what)) std::abort();
    return what;
  }

 private:
  int in_, out_;
};

/// Runs `code` in another process, connected with `here`.
template <class Code>
void beside(const Code& code, const std::function<void(const line&)>& here) {
  int there[2], back[2];
  ASSERT_EQ(::pipe(there), 0);
  ASSERT_EQ(::pipe(back), 0);
  test::end_streams();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    code(line(there[0], back[1]));
    test::end_streams();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  here(line(back[0], there[1]));
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const int each : {there[0], there[1], back[0], back[1]}) ::close(each);
}

/// The content of another process's memory, read by a copy of the device.
std::vector<std::byte> read_by(device& on, const void* there) {
  device_buffer<std::byte> own(on, size);
  pinned_buffer<std::byte> seen(on, size);
  stream work(on, stream_priority::normal, "a reader");
  work.copy(own.span(),
            device_span<const std::byte>(static_cast<const std::byte*>(there), size, on.info().id));
  work.copy(seen.span(), std::as_const(own).span());
  work.synchronize();
  return {seen.span().begin(), seen.span().end()};
}

void fill(device& on, void* address, int seed) {
  pinned_buffer<std::byte> from(on, size);
  const auto bytes = bytes_for(seed);
  std::ranges::copy(bytes, from.span().begin());
  stream work(on, stream_priority::normal, "a writer");
  work.copy(device_span<std::byte>(static_cast<std::byte*>(address), size, on.info().id),
            std::as_const(from).span());
  work.synchronize();
}

TEST(cuda_ipc_memory, is_opened_once_and_freed_when_nobody_has_it) {
  beside(
      [](const line& other) {
        const auto all = cuda_devices();
        device& on = *all[1];  // another device than the owner's
        const void* const first = on.backend().find(other.hear<memory_key>());
        const void* const second = on.backend().find(other.hear<memory_key>());
        ASSERT_NE(first, nullptr);
        EXPECT_EQ(static_cast<const std::byte*>(second) - static_cast<const std::byte*>(first), 1234);
        EXPECT_EQ(test::calls_of_ipc().open_count, 1);
        EXPECT_EQ(read_by(on, first), bytes_for(1));
        other.say('a');
        // The owner has released the memory by now, but it is still mapped here.
        const auto next = other.hear<memory_key>();
        EXPECT_EQ(read_by(on, first), bytes_for(1));
        EXPECT_EQ(test::calls_of_ipc().close_count, 0);
        const void* const third = on.backend().find(next);
        ASSERT_NE(third, nullptr);
        EXPECT_EQ(test::calls_of_ipc().close_count, 1);
        EXPECT_EQ(test::calls_of_ipc().open_count, 2);
        EXPECT_EQ(read_by(on, third), bytes_for(2));
        other.say('b');
        EXPECT_EQ(other.hear<char>(), 'c');
      },
      [](const line& other) {
        const auto all = cuda_devices();
        auto& on = *all[0];
        const std::size_t before = on.free_memory();
        void* const one = on.backend().allocate(memory_kind::device, size + 2000);
        fill(on, one, 1);
        const auto key = on.backend().key_of(one);
        const auto key_inside = on.backend().key_of(static_cast<std::byte*>(one) + 1234);
        ASSERT_TRUE(key && key_inside);
        EXPECT_FALSE(on.backend().key_of(static_cast<std::byte*>(one) + piece));
        EXPECT_EQ(test::calls_of_ipc().handles, 1);
        other.say(*key);
        other.say(*key_inside);
        EXPECT_EQ(other.hear<char>(), 'a');
        void* const two = on.backend().allocate(memory_kind::device, size);
        fill(on, two, 2);
        on.backend().release(memory_kind::device, one);
        other.say(*on.backend().key_of(two));
        EXPECT_EQ(other.hear<char>(), 'b');
        void* const three = on.backend().allocate(memory_kind::device, size);  // frees the first
        EXPECT_LE(before - on.free_memory(), 2 * piece);
        on.backend().release(memory_kind::device, three);
        on.backend().release(memory_kind::device, two);
        other.say('c');
      });
}

TEST(cuda_ipc_memory, is_not_found_where_its_owner_has_released_it) {
  beside(
      [](const line& other) {
        const auto all = cuda_devices();
        const auto key = other.hear<memory_key>();
        EXPECT_EQ(all[0]->backend().find(key), nullptr);
        memory_key of_nobody = key;
        of_nobody.words[9] += 1;  // the key of another file
        EXPECT_EQ(all[0]->backend().find(of_nobody), nullptr);
        EXPECT_EQ(test::calls_of_ipc().open_count, 0);
        other.say('a');
      },
      [](const line& other) {
        const auto all = cuda_devices();
        auto& on = all[0]->backend();
        void* const one = on.allocate(memory_kind::device, size);
        const auto key = on.key_of(one);
        on.release(memory_kind::device, one);
        void* const again = on.allocate(memory_kind::device, size);
        other.say(*key);
        EXPECT_EQ(other.hear<char>(), 'a');
        on.release(memory_kind::device, again);
      });
}

TEST(cuda_ipc_memory, is_not_kept_for_those_who_cannot_open_it) {
  beside(
      [](const line& other) {
        const auto all = cuda_devices();
        test::refuse_to_open();
        EXPECT_EQ(all[0]->backend().find(other.hear<memory_key>()), nullptr);
        other.say('a');
      },
      [](const line& other) {
        const auto all = cuda_devices();
        auto& on = all[0]->backend();
        const std::size_t before = on.free_memory();
        void* const one = on.allocate(memory_kind::device, size);
        other.say(*on.key_of(one));
        EXPECT_EQ(other.hear<char>(), 'a');
        on.release(memory_kind::device, one);
        EXPECT_EQ(on.free_memory(), before);
      });
}

TEST(cuda_ipc_memory, has_room_again_when_idle_processes_have_closed_it) {
  constexpr std::size_t most_of_it = std::size_t{200} << 20U;
  beside(
      [](const line& other) {
        const auto all = cuda_devices();
        auto& on = all[0]->backend();
        ASSERT_NE(on.find(other.hear<memory_key>()), nullptr);
        on.close_ended();
        EXPECT_EQ(test::calls_of_ipc().close_count, 0);
        other.say('a');
        while (test::calls_of_ipc().close_count == 0) {  // as an idle PE does
          on.close_ended();
          std::this_thread::yield();
        }
        EXPECT_EQ(other.hear<char>(), 'b');
      },
      [](const line& other) {
        const auto all = cuda_devices();
        auto& on = all[0]->backend();
        void* const one = on.allocate(memory_kind::device, most_of_it);
        other.say(*on.key_of(one));
        EXPECT_EQ(other.hear<char>(), 'a');
        on.release(memory_kind::device, one);
        void* const two = on.allocate(memory_kind::device, most_of_it);
        EXPECT_NE(two, nullptr);
        if (two != nullptr) on.release(memory_kind::device, two);
        other.say('b');
      });
}

TEST(cuda_ipc_memory, is_closed_at_the_end_before_its_owner_has_ended_it) {
  beside(
      [](const line& other) {
        const auto all = cuda_devices();
        ASSERT_NE(all[1]->backend().find(other.hear<memory_key>()), nullptr);
        for (const auto& each : all) each->backend().close_found();
        EXPECT_EQ(test::calls_of_ipc().close_count, 1);
        other.say('a');
        EXPECT_EQ(other.hear<char>(), 'b');
      },
      [](const line& other) {
        const auto all = cuda_devices();
        auto& on = all[0]->backend();
        const std::size_t before = on.free_memory();
        void* const one = on.allocate(memory_kind::device, size);
        other.say(*on.key_of(one));
        EXPECT_EQ(other.hear<char>(), 'a');
        on.release(memory_kind::device, one);
        EXPECT_EQ(on.free_memory(), before);
        other.say('b');
      });
}

TEST(cuda_ipc_memory, is_written_to_by_who_reaches_it) {
  beside(
      [](const line& other) {
        const auto all = cuda_devices();
        std::byte* const there = all[1]->backend().reach(other.hear<memory_key>());
        ASSERT_NE(there, nullptr);
        EXPECT_EQ(read_by(*all[1], there), bytes_for(1));
        fill(*all[1], there, 2);
        other.say('a');
        EXPECT_EQ(other.hear<char>(), 'b');
      },
      [](const line& other) {
        const auto all = cuda_devices();
        auto& on = *all[0];
        void* const one = on.backend().allocate(memory_kind::device, size);
        fill(on, one, 1);
        other.say(*on.backend().key_of(one));
        EXPECT_EQ(other.hear<char>(), 'a');
        EXPECT_EQ(read_by(on, one), bytes_for(2));
        other.say('b');
        on.backend().release(memory_kind::device, one);
      });
}

/// The driver shares pieces of 2 MiB or more, of which small allocations are parts.
TEST(cuda_ipc_memory, is_not_shared_where_it_may_lie_beside_other_memory) {
  const auto all = cuda_devices();
  auto& on = all[0]->backend();
  void* const small = on.allocate(memory_kind::device, piece / 2);
  EXPECT_FALSE(on.key_of(small));
  EXPECT_EQ(
      on.why_no_key(),
      "it is of no more than 1048576 bytes, and may lie beside other memory in what the driver would share");
  const std::size_t before = on.free_memory();
  void* const large = on.allocate(memory_kind::device, piece / 2 + 1);
  EXPECT_EQ(before - on.free_memory(), piece);
  EXPECT_TRUE(on.key_of(large));
  EXPECT_EQ(on.why_no_key(), "");
  on.release(memory_kind::device, large);
  on.release(memory_kind::device, small);
}

TEST(cuda_ipc_memory, says_when_too_many_pieces_are_shared) {
  const auto all = cuda_devices();
  auto& on = all[0]->backend();
  void* const base = on.allocate(memory_kind::device, piece);
  gpu::exported_memory exported;
  std::unique_ptr<gpu::mapping_table> others;
  std::optional<gpu::mapping_table::use> last;
  for (std::uint32_t i = 0; i < gpu::mapping_table::slots; ++i) {
    exported.add(base, piece);
    const auto key = exported.key_of(base);
    ASSERT_TRUE(key) << i;
    if (others == nullptr)
      others = gpu::mapping_table::find(
          {std::uint32_t(key->words[8]), std::uint32_t(key->words[8] >> 32U), key->words[9]});
    ASSERT_NE(others, nullptr);
    last = {std::uint32_t(key->words[10]), std::uint32_t(key->words[10] >> 32U)};
    ASSERT_TRUE(others->enter(*last));
    ASSERT_FALSE(exported.remove(base));
  }
  exported.add(base, piece);
  EXPECT_FALSE(exported.key_of(base));
  EXPECT_EQ(exported.problem(), "this process shares 4096 pieces already");
  others->leave(*last);
  EXPECT_EQ(exported.next_to_free(), base);
  EXPECT_TRUE(exported.key_of(base));
  EXPECT_EQ(exported.problem(), "");
  on.release(memory_kind::device, base);
}

TEST(cuda_ipc_memory, is_told_of_no_memory_of_others) {
  const auto all = cuda_devices();
  const int on_stack = 0;
  EXPECT_FALSE(all[0]->backend().key_of(&on_stack));
  EXPECT_EQ(all[0]->backend().why_no_key(), "");
}

TEST(cuda_mapping_table, counts_who_has_what) {
  gpu::mapping_table own;
  ASSERT_TRUE(own);
  const auto found = gpu::mapping_table::find(own.where());
  ASSERT_NE(found, nullptr);
  const auto use = own.begin();
  ASSERT_TRUE(use);
  EXPECT_TRUE(found->enter(*use));
  EXPECT_TRUE(found->enter(*use));
  EXPECT_FALSE(own.end(*use));
  EXPECT_TRUE(found->ends(*use));
  EXPECT_EQ(found->ends_so_far(), 1U);
  EXPECT_FALSE(found->enter(*use));
  found->leave(*use);
  EXPECT_FALSE(own.is_free(*use));
  found->leave(*use);
  EXPECT_TRUE(own.is_free(*use));
  EXPECT_FALSE(found->enter(*use));
  for (std::uint32_t i = 0; i < gpu::mapping_table::slots; ++i) EXPECT_TRUE(own.begin());
  EXPECT_FALSE(own.begin());  // all are in use
  const gpu::mapping_table::use again{use->slot, use->number + 2};
  EXPECT_TRUE(own.end(again));
  EXPECT_TRUE(own.begin());
}

/// The owner writes to its memory only while no process can read it; ThreadSanitizer finds violations.
TEST(cuda_mapping_table, keeps_owner_and_others_apart) {
  gpu::mapping_table own;
  std::atomic<std::uint64_t> current{0};
  std::atomic<bool> is_over{false};
  std::atomic<int> wrong{0}, read{0};
  int memory = 0;          // stands for the device's memory
  const auto look = [&] {  // uses the same mapping, since ThreadSanitizer identifies words by their addresses
    while (!is_over.load()) {
      const std::uint64_t published_use = current.load();
      const gpu::mapping_table::use use{std::uint32_t(published_use), std::uint32_t(published_use >> 32U)};
      if (published_use == 0 || !own.enter(use)) continue;
      if (memory != int(use.number + use.slot)) ++wrong;
      ++read;
      own.leave(use);
    }
  };
  std::vector<std::jthread> others;
  for (int i = 0; i < 2; ++i) others.emplace_back(look);
  for (int i = 0; i < 100 || read.load() < 20; ++i) {
    const auto use = own.begin();
    ASSERT_TRUE(use);
    // `begin` has published the use already: its number is unknown before.
    memory = int(use->number + use->slot);
    current.store(std::uint64_t{use->number} << 32U | use->slot);
    std::this_thread::yield();
    for (bool is_free = own.end(*use); !is_free; is_free = own.is_free(*use)) std::this_thread::yield();
  }
  is_over = true;
  others.clear();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace imbrex
