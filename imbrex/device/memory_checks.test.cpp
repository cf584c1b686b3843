// SPDX-License-Identifier: Apache-2.0
// Checks of device memory, and of copies between devices.
#include <imbrex/device/checks.test.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace imbrex::test {
namespace {

void freed_memory_is_used_again(subject& in) {
  detail::memory_pool& pool = in.first().memory(memory_kind::device);
  const std::size_t before = pool.counts().driver_calls;
  void* place = nullptr;
  for (int i = 0; i < 50; ++i) {
    device_buffer<double> b(in.first(), 1000);
    in.expect(place == nullptr || place == b.span().data(), "freed memory is not handed out again");
    place = b.span().data();
  }
  in.expect_equal(pool.counts().driver_calls, before + 1, "the number of calls of the driver");
  pool.trim();
  in.expect_equal(pool.counts().bytes_held, 0U, "what the pool holds after trim");
}

/// The quarantine: memory is handed out again only when nothing uses it any more.
void memory_in_use_is_not_handed_out(subject& in) {
  constexpr std::size_t size = 5000;
  flag_array gate(in.first(), 1);
  stream user = make(in, "user");
  stream other = make(in, "other");
  pinned_buffer<int> result(in.first(), size);
  device_buffer<int> kept(in.first(), size);
  auto freed = std::make_unique<device_buffer<int>>(in.first(), size);
  void* const place = freed->span().data();
  user.fill(freed->span(), std::byte{1});
  user.wait(gate[0], 1);
  user.copy(kept.span(), freed->span());
  user.copy(result.span(), kept.span());
  freed.reset();
  {
    device_buffer<int> next(in.first(), size);
    in.expect(next.span().data() != place, "memory is handed out that a stream still uses");
    other.fill(next.span(), std::byte{2});
    other.synchronize();
  }
  gate.store(0, 1);
  user.synchronize();
  in.expect(std::ranges::all_of(result.span(), [](int v) { return v == 0x01010101; }),
            "what a stream read was overwritten");
  device_buffer<int> again(in.first(), size);
  device_buffer<int> more(in.first(), size);
  in.expect(again.span().data() == place || more.span().data() == place, "the memory is lost to the pool");
}

/// A block that is held outlives its buffer.
void memory_that_is_held_is_not_handed_out(subject& in) {
  constexpr std::size_t size = 3000;
  detail::memory_pool& pool = in.first().memory(memory_kind::device);
  auto held_buffer = std::make_unique<device_buffer<int>>(in.first(), size);
  const int* const place = held_buffer->span().data();
  void* const once = pool.hold(place + size / 2);
  void* const twice = pool.hold(place);
  in.expect(once != nullptr && twice == once, "a block is not found by an address in it");
  in.expect(pool.hold(&pool) == nullptr, "memory of the host is held");
  held_buffer.reset();
  in.expect(pool.hold(place) == nullptr, "a block is held that its owner has given back");
  pool.let_go(once);
  in.expect_equal(pool.counts().blocks_in_use, 1U, "blocks in use while one is held");
  {
    const device_buffer<int> next(in.first(), size);
    in.expect(next.span().data() != place, "memory is handed out that is held");
  }
  pool.let_go(twice);
  in.expect_equal(pool.counts().blocks_in_use, 0U, "blocks in use at the end");
  const device_buffer<int> one(in.first(), size), other(in.first(), size);
  in.expect(one.span().data() == place || other.span().data() == place, "the memory is lost to the pool");
}

/// The quarantine also waits for destroyed streams.
void memory_of_gone_streams_is_not_handed_out(subject& in) {
  flag_array gate(in.first(), 1);
  auto freed = std::make_unique<device_buffer<int>>(in.first(), 100);
  void* const place = freed->span().data();
  {
    stream destroyed_stream = make(in, "gone");
    destroyed_stream.wait(gate[0], 1);
    destroyed_stream.fill(freed->span(), std::byte{1});
  }
  freed.reset();
  device_buffer<int> next(in.first(), 100);
  in.expect(next.span().data() != place, "memory is handed out that a stream without owner still uses");
  gate.store(0, 1);
}

void devices_copy_from_each_other(subject& in) {
  if (in.count() < 2 || !in.first().info().can.peer_copies) return;
  event_pool events(in.first());
  stream here = make(in, "here");
  stream there(in.second(), stream_priority::normal, "there");
  pinned_buffer<int> value(in.first(), 8);
  std::ranges::fill(value.span(), 11);
  device_buffer<int> a(in.first(), 8);
  device_buffer<int> b(in.second(), 8);
  here.copy(a.span(), value.span());
  event e = events.take();
  here.record(e);
  there.wait(e);
  there.copy(b.span(), a.span());
  pinned_buffer<int> result(in.second(), 8);
  there.copy(result.span(), b.span());
  there.synchronize();
  in.expect_equal(result[7], 11, "what has been copied from another device");
  std::ranges::fill(value.span(), 12);
  here.copy(a.span(), value.span());
  here.copy(b.span(), a.span());
  here.record(e);
  there.wait(e);
  there.copy(result.span(), b.span());
  there.synchronize();
  in.expect_equal(result[7], 12, "what has been copied to another device");
}

void sizes_must_agree(subject& in) {
  stream s = make(in, "sizes");
  device_buffer<int> a(in.first(), 8);
  pinned_buffer<int> b(in.first(), 7);
  const std::string text = refusal(in, "a copy of another size", [&] { s.copy(a.span(), b.span()); });
  expect_in(in, text, "from 7 elements to 8");
  expect_in(in, text, "stream of sizes");
}

void memory_ends(subject& in) {
  const std::size_t all = in.first().info().memory;
  const std::size_t free = in.first().free_memory();
  try {
    device_buffer<char> much(in.first(), 2 * all);
    in.expect(false, "more memory is handed out than there is");
  } catch (const device_out_of_memory& e) {
    in.expect_equal(e.requested_bytes(), 2 * all, "what was asked");
    in.expect(e.free() > 0 && e.free() <= all,
              "the text says that " + std::to_string(e.free()) + " are free");
    expect_in(in, e.what(), std::to_string(2 * all));
  }
  if (in.is_real()) return;
  in.expect_equal(in.first().free_memory(), free, "what is free after a refusal");
  {
    const device_buffer<char> half(in.first(), all / 2 + 65'536);
  }
  {
    const device_buffer<char> other(in.first(), all / 3 * 2);
  }  // fits only if the pool frees the first
}

/// A device knows for each address whether it is in its memory, and in which allocation.
void addresses_tell_whose_they_are(subject& in) {
  const device_buffer<char> own_buffer(in.first(), 10'000);
  const device_buffer<char> others(in.count() < 2 ? in.first() : in.second(), 500);
  const pinned_buffer<char> pinned(in.first(), 100);
  const char on_host = 0;
  device_backend& backend = in.first().backend();
  for (const std::size_t at : {std::size_t{0}, std::size_t{4567}, std::size_t{9999}}) {
    const char* const address = own_buffer.span().data() + at;
    const auto found = backend.allocation_at(address);
    in.expect(found && found->holds(address) && found->holds(own_buffer.span().data() + 9999),
              "the memory of a device is not found by an address of it");
    in.expect(backend.addresses().holds(address), "memory lies outside of a device's addresses");
  }
  in.expect(backend.allocation_at(others.span().data()).has_value() == (in.count() < 2),
            "memory of another device is found, or memory of this one is not");
  for (const void* const other : {static_cast<const void*>(pinned.span().data()),
                                  static_cast<const void*>(&on_host), static_cast<const void*>(nullptr)})
    in.expect(!backend.allocation_at(other), "an address is found that is of no memory of the device");
}

const std::array checks{
    device_check{"addresses_tell_whose_they_are", addresses_tell_whose_they_are},
    device_check{"freed_memory_is_used_again", freed_memory_is_used_again},
    device_check{"memory_in_use_is_not_handed_out", memory_in_use_is_not_handed_out},
    device_check{"memory_that_is_held_is_not_handed_out", memory_that_is_held_is_not_handed_out},
    device_check{"memory_of_gone_streams_is_not_handed_out", memory_of_gone_streams_is_not_handed_out},
    device_check{"devices_copy_from_each_other", devices_copy_from_each_other},
    device_check{"sizes_must_agree", sizes_must_agree},
    device_check{"memory_ends", memory_ends},
};

}  // namespace

std::span<const device_check> memory_checks() { return checks; }

}  // namespace imbrex::test
