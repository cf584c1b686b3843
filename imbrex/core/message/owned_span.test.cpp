// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/owned_span.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {
namespace {

struct alignas(32) aligned_row {
  double values[4];

  friend bool operator==(const aligned_row&, const aligned_row&) = default;
};

template <class E>
E element(std::size_t i) {
  if constexpr (std::is_same_v<E, aligned_row>)
    return {{static_cast<double>(i), 0.5, -1, 2}};
  else
    return static_cast<E>(3 * i + 1);
}

template <class E>
std::vector<E> elements(std::size_t count) {
  std::vector<E> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(element<E>(i));
  return all;
}

template <class E>
void expect_elements(const owned_span<E>& found, const std::vector<E>& expected) {
  const std::span<const E> shown = found;
  ASSERT_EQ(shown.size(), expected.size());
  EXPECT_TRUE(std::equal(shown.begin(), shown.end(), expected.begin()));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(shown.data()) % alignof(E), 0U);
}

template <class E>
owned_span<E> received(const owned_span<E>& sent) {
  writer out;
  out(sent);
  reader in(out.written());
  owned_span<E> value(elements<E>(50));  // earlier contents do not matter
  in(value);
  in.finish();
  return value;
}

template <class E>
class OwnedSpan : public ::testing::Test {};
using kinds = ::testing::Types<std::uint8_t, std::uint16_t, double, aligned_row>;
TYPED_TEST_SUITE(OwnedSpan, kinds);

/// Storage inside the message ends at 24 bytes: sizes below, at and above it.
constexpr std::size_t counts[] = {0, 1, 2, 3, 4, 11, 12, 13, 23, 24, 25, 100, 4097};

TYPED_TEST(OwnedSpan, HoldsWhatItIsMadeFrom) {
  for (const std::size_t count : counts) {
    SCOPED_TRACE(count);
    const auto all = elements<TypeParam>(count);
    owned_span<TypeParam> shown{std::span<const TypeParam>(all)};
    owned_span<TypeParam> from_vector{std::vector<TypeParam>(all)};
    owned_span<TypeParam> shared{std::make_shared<const std::vector<TypeParam>>(all)};
    for (auto* span : {&shown, &from_vector, &shared}) {
      expect_elements(*span, all);
      const owned_span<TypeParam> copy(*span);
      expect_elements(copy, all);
      expect_elements(received(*span), all);
      owned_span<TypeParam> moved(std::move(*span));
      expect_elements(moved, all);
      expect_elements(*span, {});
      *span = std::move(moved);
      expect_elements(*span, all);
      *span = copy;
      expect_elements(*span, all);
    }
  }
}

TYPED_TEST(OwnedSpan, TakesAnotherSize) {
  for (const std::size_t before : counts)
    for (const std::size_t after : counts) {
      owned_span<TypeParam> held{std::span<const TypeParam>(elements<TypeParam>(before))};
      const auto all = elements<TypeParam>(after);
      held.resize(after);
      std::copy(all.begin(), all.end(), held.begin());
      expect_elements(held, all);
      held.clear();
      EXPECT_EQ(held.size(), 0U);
    }
}

TEST(OwnedSpanOfVectors, IsNotCopiedWhereItNeedNotBe) {
  std::vector<double> vector(100, 1.5);
  const double* const first = vector.data();
  owned_span<double> from_vector(std::move(vector));
  const owned_span<double> moved(std::move(from_vector));
  EXPECT_EQ(moved.data(), first);

  const auto all = std::make_shared<const std::vector<double>>(4, 2.5);
  const owned_span<double> shared(all);
  const owned_span<double> copy(shared);
  EXPECT_EQ(copy.data(), all->data());
  EXPECT_EQ(all.use_count(), 3);

  const auto few = std::make_shared<const std::vector<double>>(3, 2.5);
  const owned_span<double> own(few);
  EXPECT_EQ(few.use_count(), 1);
  EXPECT_TRUE(std::ranges::equal(std::span<const double>(own), *few));
}

TEST(OwnedSpanOfVectors, KeepsAFewElementsInItself) {
  const double few[] = {1, 2, 3};
  const owned_span<double> held{std::span<const double>(few)};
  const auto* const first = reinterpret_cast<const std::byte*>(held.data());
  EXPECT_GE(first, reinterpret_cast<const std::byte*>(&held));
  EXPECT_LT(first, reinterpret_cast<const std::byte*>(&held + 1));
}

TEST(OwnedSpanOfVectors, NobodyMayShareNothing) {
  const owned_span<double> shared(std::shared_ptr<const std::vector<double>>{});
  EXPECT_TRUE(std::span<const double>(shared).empty());
}

}  // namespace
}  // namespace imbrex::detail
