// SPDX-License-Identifier: Apache-2.0
#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/sample.test.hpp>
#include <imbrex/testing/error_of.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <forward_list>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace imbrex {
namespace {

using sample::everything;

template <class T>
std::vector<std::byte> written(const T& value) {
  writer out;
  out(value);
  return out.take();
}

template <class T>
T read_back(std::span<const std::byte> bytes) {
  reader in(bytes);
  T value{};
  in(value);
  in.finish();
  return value;
}

template <class T>
std::string error_of(std::span<const std::byte> bytes) {
  return testing::error_of<serial_error>([&] { static_cast<void>(read_back<T>(bytes)); });
}

std::vector<std::byte> raw(std::initializer_list<std::uint64_t> numbers) {
  writer out;
  for (const std::uint64_t number : numbers) out(number);
  return out.take();
}

struct point {
  double x, y, z;
};
struct flagged {
  int number;
  bool flag;
};
struct cell {
  point centre;
  std::uint8_t kind[4];
  sample::colour colour;
};
struct pointing {
  int* target;
};
struct deep_pointing {
  std::vector<std::pair<int, pointing>> all;
};
struct referring {
  int number;
  int& target;
};
struct constant {
  const int number;
};
struct base_with_data {
  int number;
};
struct derived_from_data : base_with_data {
  std::string text;
};
class numbers_and_more : public std::vector<int> {
 public:
  numbers_and_more() : more(0) {}
  int more;
};
struct inherits : sample::closed {
  int forgotten = 0;
};
struct adds_nothing : sample::closed {};
struct no_default {
  explicit no_default(int) {}
  void serialize(auto& ar) { ar(text); }
  std::string text;
};
struct abstract {
  virtual ~abstract() = default;
  void serialize(auto&) {}
};
class private_bits {
 public:
  int number() const { return number_; }

 private:
  int number_ = 0;
};
struct writes_nothing {
  void serialize(auto&) {}
};
struct throws {
  throws() = default;
  throws(const throws&) { throw 1; }
  throws& operator=(const throws&) = default;
  void serialize(auto&) {}
};
struct nested {
  std::vector<nested> inner;
};
struct many {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x;
  friend bool operator==(const many&, const many&) = default;
};
struct too_many {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
};

}  // namespace

template <>
inline constexpr bool enable_bitwise<private_bits> = true;

namespace {

static_assert(detail::bitwise<double> && detail::bitwise<point> && detail::bitwise<cell> &&
              detail::bitwise<std::byte> && detail::bitwise<int[2][3]>);
static_assert(detail::bitwise<std::array<point, 3>> && detail::bitwise<private_bits> &&
              detail::bitwise<many>);
static_assert(detail::bitwise<std::complex<float>> && detail::bitwise<std::chrono::steady_clock::time_point>);
static_assert(!detail::bitwise<bool> && !detail::bitwise<flagged> && !detail::bitwise<int*> &&
              !detail::bitwise<pointing> && !detail::bitwise<constant>);
static_assert(!detail::bitwise<std::string> && !detail::bitwise<std::string_view> &&
              !detail::bitwise<std::span<int>>);

static_assert(serializable<everything> && serializable<bool> && serializable<flagged> && serializable<many>);
static_assert(serializable<nested> && serializable<sample::closed> && serializable<adds_nothing>);
static_assert(serializable<std::span<const double>> && serializable<std::unique_ptr<std::string>>);
static_assert(!serializable<int*> && !serializable<int&> && !serializable<const int> &&
              !serializable<void (*)()>);
static_assert(!serializable<pointing> && !serializable<deep_pointing> && !serializable<referring>);
static_assert(!serializable<std::vector<int*>> && !serializable<std::optional<pointing>>);
static_assert(!serializable<std::variant<int, pointing>> && !serializable<std::map<int, pointing>>);
static_assert(!serializable<constant> && !serializable<derived_from_data> && !serializable<too_many>);
static_assert(!serializable<numbers_and_more> && !serializable<inherits> &&
              !serializable<std::forward_list<int>>);
static_assert(!serializable<std::vector<no_default>> && serializable<no_default>);
static_assert(!serializable<std::unique_ptr<abstract>> && !serializable<std::unique_ptr<int[]>>);
static_assert(!serializable<std::shared_ptr<int>> && !serializable<std::string_view>);
static_assert(!serializable<std::span<int>> && !serializable<std::span<const bool>>);
struct shows_numbers {
  int count;
  std::span<const double> numbers;
};
static_assert(!serializable<shows_numbers> && !serializable<std::vector<std::span<const double>>> &&
              !serializable<std::pair<int, std::span<const double>>>);
static_assert(!serializable<std::function<void()>> && !serializable<std::reference_wrapper<int>>);

TEST(archive, brings_back_every_kind_of_value) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const everything before = sample::make_everything(random);
    const std::vector<std::byte> bytes = written(before);
    EXPECT_EQ(read_back<everything>(bytes), before) << "round " << round;
  }
}

TEST(archive, reads_at_any_address) {
  std::mt19937 random(2);
  const everything before = sample::make_everything(random);
  std::vector<std::byte> bytes = written(before);
  for (std::size_t shift = 1; shift < 9; ++shift) {
    std::vector<std::byte> moved(shift);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    EXPECT_EQ(read_back<everything>(std::span<const std::byte>(moved).subspan(shift)), before);
  }
}

TEST(archive, overwrites_what_was_there) {
  std::mt19937 random(3);
  everything value = sample::make_everything(random);
  for (int round = 0; round < 50; ++round) {
    const everything next = sample::make_everything(random);
    const std::vector<std::byte> bytes = written(next);
    reader in(bytes);
    in(value);
    EXPECT_EQ(value, next);
  }
}

TEST(archive, takes_several_values_and_aggregates_of_24_fields) {
  const many all{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
  writer out;
  EXPECT_EQ(&out(7, std::string("text"))(all), &out);
  const std::size_t size = out.size();
  const std::vector<std::byte> bytes = out.take();
  EXPECT_EQ(bytes.size(), size);
  EXPECT_EQ(out.size(), 0u);
  reader in(bytes);
  int number = 0;
  std::string text;
  many copy{};
  in(number, text)(copy);
  in.finish();
  EXPECT_EQ(number, 7);
  EXPECT_EQ(text, "text");
  EXPECT_EQ(copy, all);
}

TEST(archive, views_point_into_the_message) {
  const std::vector<double> numbers{1, 2, 3};
  writer out;
  out('c', std::span<const double>(numbers));
  const std::vector<std::byte> bytes = out.take();
  reader in(bytes);
  char character = 0;
  std::span<const double> view;
  in(character, view);
  in.finish();
  EXPECT_EQ(std::vector<double>(view.begin(), view.end()), numbers);
  EXPECT_GE(reinterpret_cast<const std::byte*>(view.data()), bytes.data());
  EXPECT_LT(reinterpret_cast<const std::byte*>(view.data()), bytes.data() + bytes.size());

  std::vector<std::byte> moved(1);
  moved.insert(moved.end(), bytes.begin(), bytes.end());
  reader misaligned(std::span<const std::byte>(moved).subspan(1));
  EXPECT_THROW(misaligned(character, view), serial_error);
}

TEST(archive, aligns_and_hands_out_bytes) {
  writer out;
  out.bytes("abc", 3);
  out.align(16);
  EXPECT_EQ(out.size(), 16u);
  out.bytes("d", 1);
  out.align(4096);
  const std::vector<std::byte> bytes = out.take();
  ASSERT_EQ(bytes.size(), 4096u);
  reader in(bytes);
  EXPECT_EQ(std::to_integer<char>(in.view(3)[2]), 'c');
  in.align(16);
  char character = 0;
  in.bytes(&character, 1);
  EXPECT_EQ(character, 'd');
  EXPECT_EQ(in.remaining(), 4079u);
  EXPECT_THROW(in.view(4080), serial_error);
  in.align(4096);
  in.finish();
  EXPECT_THROW(in.view(1), serial_error);
}

TEST(archive, counts_what_it_would_write) {
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    const auto value = sample::make_everything(random);
    writer counter(writer::counting);
    counter(std::uint8_t{1}, value);
    writer out;
    out(std::uint8_t{1}, value);
    EXPECT_EQ(counter.size(), out.size());
    counter.align(64);
    out.align(64);
    EXPECT_EQ(counter.size(), out.size());
  }
}

TEST(archive, grows_by_large_and_small_pieces) {
  writer out;
  std::string expected;
  for (std::size_t length : {1u, 255u, 256u, 257u, 100000u, 3u, 1000000u, 8u, 8u}) {
    const std::string piece(length, static_cast<char>('a' + length % 26));
    out.bytes(piece.data(), piece.size());
    expected += piece;
  }
  const std::vector<std::byte> bytes = out.take();
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), expected);
}

TEST(archive, refuses_every_truncation) {
  std::mt19937 random(4);
  for (int round = 0; round < 10; ++round) {
    const std::vector<std::byte> bytes = written(sample::make_everything(random));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      EXPECT_THROW(static_cast<void>(read_back<everything>(cut)), serial_error)
          << length << " of " << bytes.size();
    }
  }
}

TEST(archive, survives_flipped_bits) {
  std::mt19937 random(5);
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::byte> bytes = written(sample::make_everything(random));
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
      bytes[random() % bytes.size()] ^= std::byte(1u << random() % 8);
    try {
      const everything value = read_back<everything>(bytes);
      EXPECT_EQ(read_back<everything>(written(value)).numbers.size(), value.numbers.size());
    } catch (const serial_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(archive, refuses_lengths_beyond_the_message) {
  constexpr std::uint64_t huge = std::uint64_t{1} << 60;
  const std::vector<std::byte> bytes = raw({huge, 1, 2});
  EXPECT_EQ(error_of<std::string>(bytes),
            "malformed message: a length of 1152921504606846976 elements of at least 1 bytes, 16 bytes left");
  for (const std::uint64_t count : {huge, ~std::uint64_t{0}, std::uint64_t{17} * 8, std::uint64_t{129}}) {
    const std::vector<std::byte> oversized = raw({count, 1, 2});
    EXPECT_THROW(static_cast<void>(read_back<std::vector<double>>(oversized)), serial_error);
    EXPECT_THROW(static_cast<void>(read_back<std::vector<bool>>(oversized)), serial_error);
    EXPECT_THROW(static_cast<void>(read_back<std::vector<std::string>>(oversized)), serial_error);
    EXPECT_THROW(static_cast<void>(read_back<std::list<int>>(oversized)), serial_error);
    EXPECT_THROW(static_cast<void>(read_back<std::vector<writes_nothing>>(oversized)), serial_error);
    EXPECT_THROW(static_cast<void>(read_back<std::vector<std::monostate>>(oversized)), serial_error);
    EXPECT_THROW(static_cast<void>(read_back<std::set<int>>(oversized)), serial_error);
    EXPECT_THROW(static_cast<void>(read_back<std::unordered_map<int, int>>(oversized)), serial_error);
    EXPECT_THROW(static_cast<void>(read_back<std::span<const double>>(oversized)), serial_error);
  }
  EXPECT_EQ(read_back<std::vector<writes_nothing>>(written(std::vector<writes_nothing>(5))).size(), 5u);
}

TEST(archive, says_what_is_wrong_with_the_numbers) {
  const std::vector<std::byte> three(3, std::byte{7});
  EXPECT_EQ(error_of<int>(three), "truncated message: 4 bytes wanted at byte 0, 3 left");
  EXPECT_EQ(
      error_of<char>(three),
      "oversized message: 2 of 3 bytes are left over; was it written from other types than it is read into?");
  EXPECT_EQ(error_of<bool>(three), "malformed message: a bool is 7, not below 2");
  EXPECT_EQ(error_of<sample::yes_or_no>(three), "malformed message: a bool is 7, not below 2");
  EXPECT_EQ(error_of<std::optional<char>>(three),
            "malformed message: the flag of an optional value is 7, not below 2");
  using either = std::variant<int, char>;
  EXPECT_EQ(error_of<either>(three), "malformed message: the index of a variant is 7, not below 2");
}

TEST(archive, limits_the_depth_of_nesting) {
  const auto nest = [](std::size_t depth) {
    writer out;
    for (std::size_t i = 0; i < depth; ++i) out(std::uint64_t{1});
    out(std::uint64_t{0});
    return out.take();
  };
  EXPECT_EQ(read_back<nested>(nest(reader::depth_limit - 1)).inner.size(), 1u);
  EXPECT_EQ(error_of<nested>(nest(100000)),
            "values nested more than 1000 deep: send a flat container, with indices in place of nesting");
  const std::vector<std::byte> links(100000, std::byte{1});
  EXPECT_THROW(static_cast<void>(read_back<sample::linked>(links)), serial_error);
}

/// A chain of values, each of which owns the next.
struct chain {
  std::unique_ptr<chain> next;
  chain() = default;
  ~chain() {
    for (auto rest = std::move(next); rest != nullptr;) rest = std::move(rest->next);
  }
  void serialize(auto& ar) { ar(next); }

  static std::unique_ptr<chain> of(std::size_t length) {
    std::unique_ptr<chain> first;
    for (std::size_t i = 0; i < length; ++i) {
      auto before = std::make_unique<chain>();
      before->next = std::move(first);
      first = std::move(before);
    }
    return first;
  }
};

TEST(archive, writes_and_counts_no_deeper_than_it_reads) {
  const auto links =
      chain::of(reader::depth_limit / 2);  // two levels each: the pointer, and the value it points to
  const auto bytes = written(links);
  EXPECT_NE(read_back<std::unique_ptr<chain>>(bytes), nullptr);
  writer counting(writer::counting);
  counting(links);
  EXPECT_EQ(counting.size(), bytes.size());
  for (const std::size_t length : {reader::depth_limit / 2 + 1, std::size_t{1'000'000}}) {
    const auto longer = chain::of(length);
    for (auto out : {writer(), writer(writer::counting)}) try {
        out(longer);
        ADD_FAILURE() << length << " links were written";
      } catch (const serial_error& e) {
        EXPECT_STREQ(
            e.what(),
            "values nested more than 1000 deep: send a flat container, with indices in place of nesting");
      }
  }
  std::vector<nested> in_vectors(1);
  for (std::size_t i = 0; i < 2 * reader::depth_limit; ++i) {
    std::vector<nested> around(1);
    around.front().inner = std::move(in_vectors);
    in_vectors = std::move(around);
  }
  EXPECT_THROW(static_cast<void>(written(in_vectors)), serial_error);
}

TEST(archive, refuses_a_variant_that_lost_its_value) {
  std::variant<int, throws> value = 1;
  const throws source;
  EXPECT_ANY_THROW(value.emplace<throws>(source));
  EXPECT_THROW(static_cast<void>(written(value)), serial_error);
}

struct long_values {
  int before = 0;
  std::vector<double> first;
  std::string second;
  bool operator==(const long_values&) const = default;
};

/// Imitates a network: the bytes are one message, the block is another.
struct apart {
  explicit apart(const auto& value) {
    out.export_from(64);
    out(value);
  }
  reader::separate_block here() const {
    return {out.exported_block().position, out.exported_block().bytes.size(),
            out.exported_block().bytes.data()};
  }
  reader::separate_block pending() const {
    return {out.exported_block().position, out.exported_block().bytes.size(), nullptr};
  }
  writer out;
};

TEST(lending, the_first_long_block_stays_where_it_is) {
  const long_values value{1, std::vector<double>(8, 2.5), std::string(200, 'x')};
  const apart sent(value);
  EXPECT_EQ(sent.out.exported_block().bytes.data(), reinterpret_cast<const std::byte*>(value.first.data()));
  EXPECT_EQ(sent.out.written().size(), written(value).size() - 64);
  EXPECT_EQ(sent.out.size(), written(value).size());

  reader in(sent.out.written(), sent.here());
  long_values got;
  in(got);
  in.finish();
  EXPECT_EQ(got, value);
}

TEST(lending, a_block_that_is_to_come_is_put_into_what_was_read) {
  const long_values value{1, {}, std::string(200, 'x')};
  const apart sent(value);
  reader in(sent.out.written(), sent.pending());
  long_values got;
  in(got);
  in.finish();
  ASSERT_EQ(static_cast<void*>(in.place_of_block()), static_cast<void*>(got.second.data()));
  std::memcpy(in.place_of_block(), sent.out.exported_block().bytes.data(), 200);
  EXPECT_EQ(got, value);
}

TEST(lending, a_vector_that_is_to_come_is_as_any_other_afterwards) {
  const std::vector<double> value(1000, 0.1);
  const apart sent(value);
  for (std::vector<double> got :
       {std::vector<double>{}, std::vector<double>(3, 1.5), std::vector<double>(5000)}) {
    reader in(sent.out.written(), sent.pending());
    in(got);
    in.finish();
    ASSERT_EQ(got.size(), value.size());
    ASSERT_EQ(static_cast<void*>(in.place_of_block()), static_cast<void*>(got.data()));
    std::memcpy(in.place_of_block(), sent.out.exported_block().bytes.data(),
                sent.out.exported_block().bytes.size());
    EXPECT_EQ(got, value);
    got.push_back(2.5);
    got.resize(2000);
    EXPECT_EQ(got[1000], 2.5);
    EXPECT_EQ(got[1999], 0);
  }
}

TEST(lending, short_blocks_and_values_of_hand_written_functions_are_copied) {
  EXPECT_TRUE(apart(std::vector<char>(63)).out.exported_block().bytes.empty());
  EXPECT_FALSE(apart(std::vector<char>(64)).out.exported_block().bytes.empty());
  struct by_hand {
    void serialize(writer& out) { out(std::vector<int>(100)); }
    void serialize(reader& in) {
      std::vector<int> values;
      in(values);
    }
  };
  EXPECT_TRUE(apart(by_hand{}).out.exported_block().bytes.empty());
  EXPECT_TRUE(
      apart(std::map<std::string, int>{{std::string(99, 'k'), 1}}).out.exported_block().bytes.empty());
  EXPECT_TRUE(apart(std::set<std::string>{std::string(99, 'k')}).out.exported_block().bytes.empty());
}

TEST(lending, a_block_of_another_size_or_place_is_an_error) {
  const std::vector<double> value(20, 1.5);
  const apart sent(value);
  const auto read = [&](reader::separate_block block) {
    reader in(sent.out.written(), block);
    std::vector<double> got;
    in(got);
    in.finish();
  };
  EXPECT_NO_THROW(read(sent.here()));
  for (auto block : {sent.here(), sent.pending()}) {
    ++block.size;
    EXPECT_THROW(read(block), serial_error);
    block.size -= 2;
    EXPECT_THROW(read(block), serial_error);
    ++block.size;
    ++block.position;
    EXPECT_THROW(read(block), serial_error);
    block.position = 0;
    EXPECT_THROW(read(block), serial_error);
  }
  EXPECT_THROW(read({}), serial_error);
}

TEST(lending, keys_are_not_still_to_come) {
  const std::string key(100, 'k');
  const apart sent(key);
  writer as_set;
  as_set(std::uint64_t{1}, std::uint64_t{100});
  reader in(as_set.written(), {16, 100, nullptr});
  std::set<std::string> got;
  EXPECT_THROW(in(got), serial_error);
  reader here(as_set.written(), {16, 100, sent.here().bytes});
  here(got);
  EXPECT_EQ(got, std::set<std::string>{key});
}

TEST(lending, all_can_be_had_in_one_piece) {
  const long_values value{1, std::vector<double>(20, 2.5), "end"};
  const apart sent(value);
  const auto expected = written(value);
  std::vector<std::byte> whole(expected.size());
  reader here(sent.out.written(), sent.here());
  ASSERT_EQ(here.remaining(), whole.size());
  here.rest(whole.data());
  EXPECT_EQ(whole, expected);
  EXPECT_EQ(here.remaining(), 0U);

  std::vector<std::byte> later(expected.size());
  reader pending(sent.out.written(), sent.pending());
  pending.rest(later.data());
  std::memcpy(pending.place_of_block(), sent.out.exported_block().bytes.data(), 160);
  EXPECT_EQ(later, expected);

  auto wrong = sent.here();
  wrong.position = 1000;
  reader invalid_input(sent.out.written(), wrong);
  EXPECT_THROW(invalid_input.rest(whole.data()), serial_error);
}

TEST(lending, nothing_is_viewed_that_is_still_to_come) {
  const apart sent(std::string(100, 'x'));
  reader in(sent.out.written(), sent.pending());
  in.view(8);
  EXPECT_THROW(in.view(100), serial_error);
}

}  // namespace
}  // namespace imbrex
