// SPDX-License-Identifier: Apache-2.0
// Compares types from random constructors with a plain list of their elements.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/datatype/constructors.hpp>
#include <imbrex/mpi/datatype/external32.hpp>
#include <imbrex/mpi/datatype/pack.hpp>
#include <imbrex/mpi/datatype/predefined.hpp>

namespace {

using namespace imbrex::mpi;

/// A type's elements by handle and displacement, and its bounds.
struct typemap {
  std::vector<std::pair<int, std::int64_t>> elements;
  std::int64_t lower = 0, upper = 0;
  bool is_set = false;  ///< the bounds are set explicitly

  std::int64_t extent() const { return upper - lower; }
};

class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}

  /// A random length, 0 in one of ten cases.
  int length(int most) { return pick(0, 9) == 0 ? 0 : pick(1, most); }
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  /// A random type and its expected typemap.
  std::pair<datatype_ref, typemap> make(int depth) {
    if (depth == 0) return basic();
    switch (pick(0, 5)) {
      case 0: {
        const auto [t, m] = make(depth - 1);
        const std::int64_t n = length(4);
        return {contiguous_type(n, t), joined({{0, n, &m}}, false)};
      }
      case 1: {
        const auto [t, m] = make(depth - 1);
        const std::int64_t n = length(4), blocks = length(3), stride = pick(-40, 90);
        std::vector<part> parts;
        for (std::int64_t i = 0; i < n; ++i) parts.push_back({i * stride, blocks, &m});
        return {vector_type(n, blocks, stride, t), joined(parts, false)};
      }
      case 2: {
        const auto [t, m] = make(depth - 1);
        std::vector<std::int64_t> lengths, displacements;
        std::vector<part> parts;
        for (int i = length(4); i > 0; --i) {
          lengths.push_back(length(3));
          displacements.push_back(pick(-60, 120));
          parts.push_back({displacements.back(), lengths.back(), &m});
        }
        return {indexed_type(lengths, displacements, t), joined(parts, false)};
      }
      case 3: {
        const auto [t, m] = make(depth - 1);
        const std::int64_t blocks = length(3), step = pick(-20, 60);
        std::vector<std::int64_t> displacements;
        std::vector<part> parts;
        for (int i = length(5), regular = pick(0, 1); i > 0; --i) {
          displacements.push_back(regular ? i * step : pick(-60, 120));
          parts.push_back({displacements.back(), blocks, &m});
        }
        return {indexed_block_type(blocks, displacements, t), joined(parts, false)};
      }
      case 4: {
        const int n = length(4);
        std::vector<std::int64_t> lengths, displacements;
        std::vector<datatype_ref> types;
        std::vector<typemap> maps;
        for (int i = 0; i < n; ++i) {
          auto [t, m] = make(pick(0, depth - 1));
          types.push_back(t);
          maps.push_back(std::move(m));
          lengths.push_back(length(3));
          displacements.push_back(pick(-50, 150));
        }
        std::vector<part> parts;
        for (std::size_t i = 0; i < maps.size(); ++i)
          parts.push_back({displacements[i], lengths[i], &maps[i]});
        return {struct_type(lengths, displacements, types), joined(parts, true)};
      }
      default: {
        auto [t, m] = make(depth - 1);
        m.lower = pick(-20, 20);
        m.upper = m.lower + pick(-10, 60);
        m.is_set = true;
        return {resized_type(m.lower, m.extent(), t), m};
      }
    }
  }

 private:
  struct part {
    std::int64_t displacement;
    std::int64_t count;
    const typemap* map;
  };

  std::pair<datatype_ref, typemap> basic() {
    static constexpr int handles[] = {MPI_CHAR,   MPI_SHORT, MPI_INT,
                                      MPI_DOUBLE, MPI_LONG,  MPI_C_DOUBLE_COMPLEX};
    const int handle = handles[pick(0, 5)];
    const datatype_ref t(predefined_type(handle));
    return {t, {{{handle, 0}}, 0, t->size(), false}};
  }

  /// The standard's definition: all elements of all copies of all parts.
  static typemap joined(const std::vector<part>& parts, bool aligned) {
    typemap all;
    bool any = false;
    for (const part& p : parts)
      for (std::int64_t i = 0; i < p.count; ++i) {
        const std::int64_t at = p.displacement + i * p.map->extent();
        for (const auto& [handle, displacement] : p.map->elements)
          all.elements.emplace_back(handle, displacement + at);
        const std::int64_t lower = p.map->lower + at, upper = p.map->upper + at;
        if (!any || (p.map->is_set && !all.is_set)) {
          all.lower = lower, all.upper = upper;
        } else if (p.map->is_set == all.is_set) {
          all.lower = std::min(all.lower, lower), all.upper = std::max(all.upper, upper);
        }
        all.is_set = all.is_set || p.map->is_set;
        any = true;
      }
    if (aligned && !all.is_set) {
      std::int64_t alignment = 1;
      for (const auto& [handle, at] : all.elements)
        alignment = std::max<std::int64_t>(alignment, predefined_type(handle)->alignment());
      while (all.extent() % alignment != 0) ++all.upper;
    }
    return all;
  }

  std::mt19937 random_;
};

class random_types : public ::testing::TestWithParam<unsigned> {};

/// The displacement of each packed byte of `count` elements.
std::vector<std::int64_t> byte_map(const typemap& m, std::int64_t count) {
  std::vector<std::int64_t> bytes;
  for (std::int64_t i = 0; i < count; ++i)
    for (const auto& [handle, displacement] : m.elements)
      for (std::int64_t b = 0; b < predefined_type(handle)->size(); ++b)
        bytes.push_back(i * m.extent() + displacement + b);
  return bytes;
}

TEST_P(random_types, are_what_their_elements_say) {
  int used = 0;
  for (unsigned round = 0; round < 150; ++round) {
    generator g(GetParam() * 1000 + round);
    const auto [type, map] = g.make(g.pick(1, 4));
    if (map.elements.size() > 3000) continue;
    const std::int64_t count = g.pick(1, 4);
    const std::vector<std::int64_t> places = byte_map(map, count);

    EXPECT_EQ(type->extent(), map.extent());
    EXPECT_EQ(type->lower_bound(), map.lower);
    EXPECT_EQ(type->elements(), std::int64_t(map.elements.size()));
    ASSERT_EQ(type->bytes(count), std::int64_t(places.size()));
    if (places.empty()) continue;
    ++used;
    const auto one = byte_map(map, 1);
    EXPECT_EQ(type->true_lower_bound(), *std::min_element(one.begin(), one.end()));
    EXPECT_EQ(type->true_extent(), *std::max_element(one.begin(), one.end()) + 1 - type->true_lower_bound());
    std::vector<std::int64_t> dense(places.size());
    std::iota(dense.begin(), dense.end(), 0);
    if (type->is_contiguous()) EXPECT_EQ(places, dense);
    if (count > 1 && places == dense) EXPECT_TRUE(type->is_contiguous());

    const auto [least, most] = std::minmax_element(places.begin(), places.end());
    std::vector<std::byte> memory(std::size_t(*most - *least + 1));
    for (std::byte& b : memory) b = std::byte(g.pick(0, 255));
    std::byte* origin = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(memory.data()) -
                                                     std::uintptr_t(*least));
    const auto at = [&](std::int64_t place) -> std::byte& { return memory[std::size_t(place - *least)]; };
    const typed_buffer buffer{origin, count, type.get()};

    // Pack at once, and in pieces of random lengths.
    std::vector<std::byte> packed(places.size()), pieces(places.size());
    pack(buffer, 0, packed.data(), buffer.bytes());
    for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(packed[i], at(places[i])) << i;
    for (std::int64_t done = 0; done < buffer.bytes();) {
      const std::int64_t n = std::min<std::int64_t>(buffer.bytes() - done, g.pick(1, 37));
      pack(buffer, done, pieces.data() + done, n);
      done += n;
    }
    EXPECT_EQ(pieces, packed);

    // If elements overlap, the last one remains.
    std::vector<std::byte> expected = memory;
    for (std::byte& b : packed) b = std::byte(g.pick(0, 255));
    for (std::size_t i = 0; i < places.size(); ++i) expected[std::size_t(places[i] - *least)] = packed[i];
    for (std::int64_t done = 0; done < buffer.bytes();) {
      const std::int64_t n = std::min<std::int64_t>(buffer.bytes() - done, g.pick(1, 37));
      unpack(buffer, done, packed.data() + done, n);
      done += n;
    }
    EXPECT_EQ(memory, expected);

    for (std::int64_t bytes = 0, e = 0, left = 0; bytes <= type->size(); ++bytes) {
      if (left == 0) {
        EXPECT_EQ(type->elements_in(bytes), e);
        EXPECT_EQ(type->bytes_in(e), bytes);
        if (e < type->elements()) left = predefined_type(map.elements[std::size_t(e)].first)->size();
        ++e;
      } else {
        EXPECT_EQ(type->elements_in(bytes), -1);
      }
      --left;
    }
  }
  EXPECT_GT(used, 75);
}

TEST_P(random_types, are_copied_to_one_another) {
  for (unsigned round = 0; round < 40; ++round) {
    generator g(GetParam() * 1000 + round);
    const auto [from, from_map] = g.make(3);
    const auto [to, to_map] = g.make(3);
    const std::int64_t n = g.pick(1, 300);
    const auto from_places = byte_map(from_map, n), to_places = byte_map(to_map, n);
    const auto bytes = std::int64_t(std::min(from_places.size(), to_places.size()));
    if (bytes == 0 || bytes > 100'000) continue;
    const auto span = [](const std::vector<std::int64_t>& places) {
      const auto [least, most] = std::minmax_element(places.begin(), places.end());
      return std::pair(*least, *most);
    };
    const auto [from_least, from_most] = span(from_places);
    const auto [to_least, to_most] = span(to_places);
    std::vector<std::byte> source(std::size_t(from_most - from_least + 1));
    std::vector<std::byte> target(std::size_t(to_most - to_least + 1));
    for (std::byte& b : source) b = std::byte(g.pick(0, 255));
    auto expected = target;
    for (std::size_t i = 0; i < std::size_t(bytes); ++i)
      expected[std::size_t(to_places[i] - to_least)] = source[std::size_t(from_places[i] - from_least)];
    const auto origin = [](std::vector<std::byte>& memory, std::int64_t least) {
      return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(memory.data()) -
                                          std::uintptr_t(least));
    };
    copy({origin(source, from_least), n, from.get()}, {origin(target, to_least), n, to.get()}, bytes);
    EXPECT_EQ(target, expected);
  }
}

TEST_P(random_types, come_back_from_external32) {
  for (unsigned round = 0; round < 40; ++round) {
    generator g(GetParam() * 1000 + round);
    const auto [type, map] = g.make(3);
    const std::int64_t n = g.pick(1, 3);
    const auto places = byte_map(map, n);
    if (places.empty() || places.size() > 100'000) continue;
    const auto [least, most] = std::minmax_element(places.begin(), places.end());
    // The upper halves are zero, since external32 keeps only four bytes of a long.
    std::vector<std::byte> memory(std::size_t(*most - *least + 1), std::byte(0)), before;
    std::byte* origin = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(memory.data()) -
                                                     std::uintptr_t(*least));
    const typed_buffer buffer{origin, n, type.get()};
    std::vector<std::byte> packed(std::size_t(n * type->external_size()));
    for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = std::byte(g.pick(0, 127));
    unpack_external(packed.data(), buffer);
    before = memory;
    pack_external(buffer, packed.data());
    std::fill(memory.begin(), memory.end(), std::byte(0));
    unpack_external(packed.data(), buffer);
    EXPECT_EQ(memory, before);
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_types, ::testing::Range(0U, 6U));

}  // namespace
