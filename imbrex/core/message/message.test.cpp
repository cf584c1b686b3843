// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/message.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/serial/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::detail {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> all;
  for (const int v : values) all.push_back(static_cast<std::byte>(v));
  return all;
}

std::uint64_t unpacked(const std::vector<std::byte>& input) {
  reader in(input);
  const std::uint64_t number = unpack_number(in);
  in.finish();
  return number;
}

TEST(PackedNumber, TakesSevenBitsToAByte) {
  std::vector<std::uint64_t> numbers{0, std::numeric_limits<std::uint64_t>::max()};
  for (unsigned bits = 1; bits < 64; ++bits)
    for (const int beside : {-1, 0, 1})
      numbers.push_back((std::uint64_t{1} << bits) + static_cast<std::uint64_t>(beside));
  for (const std::uint64_t number : numbers) {
    writer out;
    pack_number(number, out);
    std::size_t expected = 1;
    for (std::uint64_t left = number; left > 0x7f; left >>= 7U) ++expected;
    EXPECT_EQ(out.written().size(), expected) << number;
    reader in(out.written());
    EXPECT_EQ(unpack_number(in), number);
    in.finish();
  }
}

TEST(PackedNumber, IsRefusedIfItHasMoreThan64Bits) {
  const auto nine = [](int byte, std::initializer_list<int> last) {
    std::vector<std::byte> all(9, static_cast<std::byte>(byte));
    for (const int v : last) all.push_back(static_cast<std::byte>(v));
    return all;
  };
  EXPECT_EQ(unpacked(nine(0xff, {0x01})), std::numeric_limits<std::uint64_t>::max());
  EXPECT_THROW(unpacked(nine(0xff, {0x02})), serial_error);
  EXPECT_THROW(unpacked(nine(0x80, {0x7e})), serial_error);
  EXPECT_THROW(unpacked(nine(0x80, {0x80, 0x00})), serial_error);
}

TEST(PackedNumber, IsRefusedIfItIsCutOff) {
  EXPECT_THROW(unpacked(bytes({})), serial_error);
  EXPECT_THROW(unpacked(bytes({0x80})), serial_error);
  EXPECT_THROW(unpacked(bytes({0xff, 0xff})), serial_error);
}

struct empty_message : message {
  static inline message_type type_record = runtime_message_type<empty_message>();
  void serialize(auto&) {}
  void deliver() {}
};

TEST(message_purpose, is_shown_with_the_names_of_the_program) {
  const auto shown = [](std::string_view spelling, const message_purpose& purpose) {
    struct unregistered : message_type {
      unregistered(std::string_view name, const message_purpose& meant)
          : message_type(not_registered(), "none", {}, {}) {
        spelling = name;
        purpose = meant;
      }
    };
    return unregistered(spelling, purpose).shown_name();
  };
  EXPECT_EQ(shown("imbrex::detail::(anonymous namespace)::broadcast_done", {}), "broadcast done");
  EXPECT_EQ(shown("x", {"creation", "heat::block"}), "creation of heat::block");
  EXPECT_EQ(shown("x", {"broadcast", "heat::block", "heat::block::run"}), "broadcast of heat::block::run");
  // An entry of a base class.
  EXPECT_EQ(shown("x", {"broadcast", "heat::block", "heat::part<int>::run"}),
            "broadcast of heat::block::run");
  EXPECT_EQ(shown("x", {"part of a reduction", "double", {}, "imbrex::max_operation"}),
            "part of a reduction of double by max");
  EXPECT_EQ(shown("x", {"part of a reduction", "double", {}, "heat::nearest"}),
            "part of a reduction of double by nearest");
}

/// Builds a header by hand from the parts byte, the kind, the origin, the collection and the rest.
void expect_refused(int parts, const std::vector<std::byte>& rest, const char* why) {
  message_table::number();
  writer out;
  out(static_cast<std::uint8_t>(parts));
  pack_number(empty_message::type_record.id, out);
  pack_number(3, out);
  pack_number(4, out);
  out.bytes(rest.data(), rest.size());
  reader in(out.written());
  const std::string error_text = testing::error_of<serial_error>([&] {
    work* const item = empty_message::type_record.unpack(in);
    item->type->destroy(*item);
  });
  EXPECT_NE(error_text.find(why), std::string::npos) << error_text;
}

TEST(MessageHeader, RefusesWhatFitsNoField) {
  expect_refused(8, bytes({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}),
                 "epoch 281474976710656, which does not fit 48 bits");
  expect_refused(2, bytes({0x80, 0x80, 0x80, 0x80, 0x10, 0, 0}), "4294967296 in a header");
  expect_refused(1, bytes({0x7f}), "priority 127");
  expect_refused(17, {}, "the parts of a header");
  expect_refused(255, {}, "the parts of a header");
}

TEST(PlainHeader, IsReadAsItWasWritten) {
  std::mt19937_64 random(7);
  const auto near = [&random](std::uint64_t limit) { return limit - 2 + random() % 4; };
  std::size_t bytes_of_short = 0;
  std::size_t bytes_of_long = 100;
  for (int n = 0; n < 10'000; ++n) {
    // Numbers around the limits of the short form, and any.
    const auto pick = [&](std::uint64_t limit) {
      switch (random() % 3) {
        case 0: return random() % limit;
        case 1: return near(limit);
        default: return random() >> random() % 64;
      }
    };
    const plain_header sent{static_cast<std::uint32_t>(pick(512)), static_cast<std::uint32_t>(pick(256)),
                            std::rotr(pick(128), 1)};
    writer out;
    pack_plain_header(sent, out);
    reader in(out.written());
    EXPECT_EQ(short_header::is_next(in), short_header::fits(sent));
    (short_header::is_next(in) ? bytes_of_short : bytes_of_long) = out.written().size();
    const plain_header got =
        short_header::is_next(in) ? unpack_short_header(in).numbers() : unpack_long_header(in).numbers;
    in.finish();
    EXPECT_EQ(got.kind, sent.kind);
    EXPECT_EQ(got.origin, sent.origin);
    EXPECT_EQ(got.collection, sent.collection);
  }
  EXPECT_EQ(bytes_of_short, 4U);
  EXPECT_GT(bytes_of_long, 4U);
}

TEST(PlainHeader, IsRefusedIfItIsCutOff) {
  for (const std::uint32_t kind : {3U, 1'000U}) {
    writer out;
    pack_plain_header({kind, 5, 1}, out);
    for (std::size_t n = 0; n < out.written().size(); ++n) {
      reader in(out.written().first(n));
      const auto unpack = [&in] {
        return short_header::is_next(in) ? unpack_short_header(in).numbers() : unpack_long_header(in).numbers;
      };
      EXPECT_THROW(static_cast<void>(unpack()), serial_error) << n << " bytes of kind " << kind;
    }
  }
}

TEST(MessageHeader, IsCountedAsItIsPacked) {
  message_table::number();
  std::mt19937_64 random(5);
  const auto any = [&random] { return static_cast<std::uint32_t>(random() >> (32 + random() % 32)); };
  for (int n = 0; n < 1'000; ++n) {
    empty_message m;
    m.type = &empty_message::type_record;
    m.origin = any();
    m.collection = random() >> random() % 64;
    if (random() % 2 == 0) m.priority = 3;
    if (random() % 2 == 0) m.bind(random() >> (64 - epoch_bits + random() % epoch_bits));
    m.may_find_none = m.of_one_life && random() % 2 == 0;
    if (random() % 2 == 0) m.reply = {any(), any(), any()};
    writer out;
    empty_message::type_record.pack(m, out);
    writer counter(writer::counting);
    empty_message::type_record.pack(m, counter);
    EXPECT_EQ(counter.size(), out.written().size());
  }
}

TEST(MessageHeader, KeepsWhatItSays) {
  message_table::number();
  empty_message sent;
  sent.type = &empty_message::type_record;
  sent.origin = 70'000;
  sent.collection = 0x8001'0002'0003'0004;
  sent.priority = -3;
  sent.bind(0xfedc'ba98'7654);
  sent.may_find_none = true;
  sent.reply = {1U << 31U, 300, 0xffffffff};
  writer out;
  empty_message::type_record.pack(sent, out);
  reader in(out.written());
  EXPECT_EQ(&kind_of_packed(in), &empty_message::type_record);
  auto& received = static_cast<message&>(*empty_message::type_record.unpack(in));
  in.finish();
  EXPECT_EQ(received.origin, sent.origin);
  EXPECT_EQ(received.collection, sent.collection);
  EXPECT_EQ(received.priority, sent.priority);
  EXPECT_TRUE(received.of_one_life);
  EXPECT_EQ(received.born(), 0xfedc'ba98'7654U);
  EXPECT_TRUE(received.may_find_none);
  EXPECT_EQ(received.reply.slot, sent.reply.slot);
  EXPECT_EQ(received.reply.generation, sent.reply.generation);
  EXPECT_EQ(received.reply.ordinal, sent.reply.ordinal);
  received.type->destroy(received);
}

}  // namespace
}  // namespace imbrex::detail
