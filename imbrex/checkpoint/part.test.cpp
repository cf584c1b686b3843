// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/part_image.hpp>
#include <imbrex/checkpoint/part_reader.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/checkpoint/internal/layout.hpp>
#include <imbrex/checkpoint/internal/zstd.hpp>
#include <imbrex/checkpoint/repaired_part.test.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::checkpoints::part_test {

using testing::error_of;

struct cell {
  std::int64_t number = 0;
  std::vector<double> values{};
  std::string name{};

  bool operator==(const cell&) const = default;
};

std::span<const std::byte> bytes_of(const std::uint64_t& key) { return std::as_bytes(std::span(&key, 1)); }
std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

part_header header_of(int process = 3) { return {12, 77, process, 8, 16, "program", {{"host", "a"}}}; }

cell cell_of(std::uint64_t i, std::size_t values) {
  return {static_cast<std::int64_t>(i), std::vector<double>(values, static_cast<double>(i) + 0.5),
          "cell " + std::to_string(i)};
}

cell read_cell(std::span<const std::byte> bytes) {
  reader in(bytes);
  cell c;
  in(c);
  in.finish();
  return c;
}

/// Writes two sections whose records take turns, with arrays of these sizes.
void fill(part_image& image, const std::vector<std::size_t>& sizes) {
  image.begin(header_of());
  const int cells = image.open_section({section_kind::array, "cells", schema_of<cell>(), {{"shape", "5"}}});
  const int texts = image.open_section({section_kind::value, "texts", schema_of<std::string>()});
  for (std::uint64_t i = 0; i < sizes.size(); ++i) {
    image.begin_record(cells, bytes_of(i))(cell_of(i, sizes[i]));
    image.end_record();
    image.begin_record(texts, {})(std::string(i, 'x'), image.intern("name " + std::to_string(i % 2)));
    image.end_record();
  }
  image.seal();
}

std::vector<std::byte> part_with(const std::vector<std::size_t>& sizes) {
  part_image image;
  fill(image, sizes);
  const auto bytes = image.complete();
  return {bytes.begin(), bytes.end()};
}

void expect_filled(const part_reader& in, const std::vector<std::size_t>& sizes) {
  ASSERT_EQ(in.sections().size(), 2U);
  ASSERT_EQ(in.records(0), sizes.size());
  ASSERT_EQ(in.records(1), sizes.size());
  for (std::uint64_t i = 0; i < sizes.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(in.key(0, i), bytes_of(i)));
    EXPECT_EQ(read_cell(in.record(0, i)), cell_of(i, sizes[i]));
    EXPECT_TRUE(in.key(1, i).empty());
    reader text(in.record(1, i));
    std::string read;
    std::uint32_t name = 0;
    text(read, name);
    EXPECT_EQ(read, std::string(i, 'x'));
    EXPECT_EQ(in.strings().at(name), "name " + std::to_string(i % 2));
  }
}

TEST(part, gives_back_what_was_written) {
  const std::vector<std::size_t> sizes{0, 1, 3, 1000, 7, 700'000, 0, 1'100'000, 2};
  const auto bytes = part_with(sizes);
  const part_reader in(bytes, "part");
  EXPECT_EQ(in.header().number, 12U);
  EXPECT_EQ(in.header().run, 77U);
  EXPECT_EQ(in.header().process, 3);
  EXPECT_EQ(in.header().processes, 8);
  EXPECT_EQ(in.header().pes, 16);
  EXPECT_EQ(in.header().program, "program");
  EXPECT_EQ(in.header().attributes.at("host"), "a");
  EXPECT_EQ(in.sections()[0].kind, section_kind::array);
  EXPECT_EQ(in.sections()[0].name, "cells");
  EXPECT_EQ(in.sections()[0].attributes.at("shape"), "5");
  EXPECT_EQ(difference(in.sections()[0].schema, schema_of<cell>()), "");
  expect_filled(in, sizes);
  in.verify();
}

TEST(part, may_have_no_records_and_no_sections) {
  part_image image;
  image.begin(header_of());
  image.seal();
  const part_reader empty(image.complete(), "part");
  EXPECT_TRUE(empty.sections().empty());
  image.begin(header_of());
  for (int i = 0; i < 1000; ++i) image.open_section({section_kind::group, std::to_string(i)});
  image.seal();
  const part_reader many(image.complete(), "part");
  EXPECT_EQ(many.sections().size(), 1000U);
  EXPECT_EQ(many.records(999), 0U);
}

TEST(part, has_records_at_addresses_for_any_type) {
  part_image image;
  image.begin(header_of());
  const int section = image.open_section({section_kind::value, "v"});
  for (std::size_t size = 0; size < 40; ++size) {
    image.begin_record(section, bytes_of(std::string(size, 'k'))).bytes(std::string(size, 'r').data(), size);
    image.end_record();
  }
  const part_reader in(image.complete(), "part");
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(in.key(0, i).size(), i);
    EXPECT_EQ(in.size(0, i), i);
    EXPECT_EQ(in.record(0, i).size(), i);
    if (i > 0) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(in.record(0, i).data()) % 16, 0U);
    }
  }
}

TEST(part, drops_a_record_that_was_not_ended) {
  part_image image;
  image.begin(header_of());
  const int section = image.open_section({section_kind::value, "v"});
  image.begin_record(section, bytes_of("lost"))(std::string(10'000, 'x'));
  image.begin_record(section, bytes_of("kept"))(1);
  image.end_record();
  image.begin_record(section, bytes_of("lost, too"))(2);
  image.seal();
  const part_reader in(image.complete(), "part");
  ASSERT_EQ(in.records(0), 1U);
  EXPECT_TRUE(std::ranges::equal(in.key(0, 0), bytes_of("kept")));
  EXPECT_EQ(in.size(0, 0), sizeof(int));
}

TEST(part, image_serves_for_many_checkpoints) {
  part_image image;
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{300'000, 1}, {1, 2, 3}, {}, {5, 300'000, 6}}) {
    fill(image, sizes);
    const auto bytes = image.complete();
    expect_filled(part_reader(bytes, "part"), sizes);
    EXPECT_TRUE(std::ranges::equal(bytes, part_with(sizes)));
  }
}

std::string refusal_of(std::span<const std::byte> bytes) {
  return error_of<error>([&] { part_reader(bytes, "a part").verify(); });
}

TEST(part, is_refused_if_any_byte_is_missing_or_changed) {
  auto bytes = part_with({0, 3, 20});
  EXPECT_EQ(refusal_of(bytes), "");
  for (std::size_t kept = 0; kept < bytes.size(); ++kept)
    EXPECT_NE(refusal_of(std::span(bytes).first(kept)), "") << kept << " bytes";
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const std::byte flip : {std::byte{1}, std::byte{0x80}}) {
      bytes[at] ^= flip;
      const std::string text = refusal_of(bytes);
      EXPECT_TRUE(text.starts_with("\"a part\" ")) << "byte " << at << ": " << text;
      bytes[at] ^= flip;
    }
}

template <class Change>
std::string refusal_of_changed(std::vector<std::byte> bytes, Change change) {
  detail::preamble first;
  std::memcpy(&first, bytes.data(), sizeof first);
  change(first);
  std::memcpy(bytes.data(), &first, sizeof first);
  return refusal_of(bytes);
}

TEST(part, says_what_is_wrong_and_what_to_do) {
  const auto bytes = part_with({1});
  EXPECT_EQ(refusal_of_changed(bytes, [](auto& p) { p.magic[0] = 'J'; }),
            "\"a part\" is no part of a checkpoint: begin from a folder that --checkpoint has written");
  EXPECT_EQ(
      refusal_of_changed(bytes, [](auto& p) { p.version = 3; }),
      "\"a part\" has format 3, and this Imbrex reads formats 1 and 2: begin from it by the Imbrex that "
      "has written it");
  EXPECT_EQ(refusal_of_changed(bytes, [](auto& p) { p.order = 0x04030201; }),
            "\"a part\" was written on a machine of the other byte order: begin from it on such a machine");
  EXPECT_EQ(refusal_of(std::span(bytes).first(100)),
            "\"a part\" is damaged: it has 100 bytes of " + std::to_string(bytes.size()) +
                "; begin from another checkpoint (imbrex checkpoint list shows them)");
  EXPECT_EQ(refusal_of_changed({bytes.begin(), bytes.begin() + 70}, [](auto& p) { p.bytes = 70; }),
            "\"a part\" is damaged: it has no trailer; begin from another checkpoint (imbrex checkpoint list "
            "shows them)");
  EXPECT_EQ(refusal_of_changed(bytes, [](auto& p) { p.reserved[4] = 1; }),
            "\"a part\" is damaged: the checksum of its bytes 0 to " +
                std::to_string(bytes.size() - sizeof(detail::trailer) - 8) +
                " is another; begin from another checkpoint (imbrex checkpoint list shows them)");
}

/// The refusal of a part with another trailer, and right checksums.
template <class Change>
std::string refusal_of_trailer(std::vector<std::byte> bytes, Change change) {
  const std::size_t at = bytes.size() - sizeof(detail::trailer);
  auto last = test::value_at<detail::trailer>(bytes, at);
  change(last);
  test::put_at(bytes, at, last);
  test::repair(bytes);
  return refusal_of(bytes);
}

/// The refusal of a part whose first entry in the index is another, with right checksums.
template <class Change>
std::string refusal_of_entry(std::vector<std::byte> bytes, Change change) {
  const auto last = test::value_at<detail::trailer>(bytes, bytes.size() - sizeof(detail::trailer));
  auto entry = test::value_at<detail::index_entry>(bytes, last.records_end);
  change(entry);
  test::put_at(bytes, last.records_end, entry);
  test::repair(bytes);
  return refusal_of(bytes);
}

std::string damaged(const std::string& where) {
  return "\"a part\" is damaged: " + where +
         "; begin from another checkpoint (imbrex checkpoint list shows them)";
}

TEST(part, is_refused_with_tables_that_cannot_be) {
  const auto bytes = part_with({1, 2});
  EXPECT_EQ(refusal_of_trailer(bytes, [](auto&) {}), "");
  const std::string no_place = damaged("its tables are in no place where they can be");
  EXPECT_EQ(refusal_of_trailer(bytes, [](auto& t) { t.body += std::uint64_t{1} << 60U; }), no_place);
  EXPECT_EQ(refusal_of_trailer(bytes, [](auto& t) { t.body -= 8; }), no_place);
  EXPECT_EQ(refusal_of_trailer(bytes, [](auto& t) { t.records_end = 63; }), no_place);
  EXPECT_EQ(refusal_of_trailer(bytes, [](auto& t) { t.records_end = t.index_end + 1; }), no_place);
  EXPECT_EQ(refusal_of_trailer(bytes, [](auto& t) { t.index_end = t.body + 1; }), no_place);
  EXPECT_EQ(refusal_of_trailer(bytes, [](auto& t) { t.records_end = t.index_end - 8; }),
            damaged("its index ends within a record"));
  EXPECT_EQ(refusal_of_trailer(bytes, [](auto& t) { t.magic[0] = 'J'; }), damaged("its trailer is another"));
  EXPECT_NE(refusal_of_trailer(bytes, [](auto& t) { t.index_end = t.body; }), "");
  EXPECT_NE(refusal_of_trailer(bytes, [](auto& t) { t.records_end -= 16; }), "");
  EXPECT_EQ(refusal_of_trailer(bytes, [](auto& t) { t.records_end = t.index_end; }),
            damaged("section \"cells\" has 0 records of 2"));
}

TEST(part, is_refused_with_a_size_that_wraps_around) {
  const auto bytes = part_with({1, 2});
  std::uint64_t body = ~std::uint64_t{0} >> 1U;
  for (int i = 0; i < 20; ++i)  // so that the checksums, too, have the size that they must have
    body = bytes.size() - detail::blocks_of(body) * sizeof(std::uint64_t) - sizeof(detail::trailer);
  EXPECT_GT(body, bytes.size());
  EXPECT_EQ(bytes.size() - body, detail::blocks_of(body) * sizeof(std::uint64_t) + sizeof(detail::trailer));
  EXPECT_EQ(refusal_of_trailer(bytes, [&](auto& t) { t.body = body; }),
            damaged("its tables are in no place where they can be"));
}

TEST(part, is_refused_if_a_block_and_its_checksum_have_changed) {
  auto bytes = part_with({1, 2});
  const auto last = test::value_at<detail::trailer>(bytes, bytes.size() - sizeof(detail::trailer));
  bytes[100] ^= std::byte{1};
  test::put_at(bytes, last.body, detail::checksum_of(std::span(bytes).first(last.body)));
  EXPECT_EQ(refusal_of(bytes), damaged("its checksums have another checksum"));
}

TEST(part, is_refused_with_an_index_that_cannot_be) {
  const auto bytes = part_with({1, 2});
  EXPECT_EQ(refusal_of_entry(bytes, [](auto&) {}), "");
  EXPECT_EQ(refusal_of_entry(bytes, [](auto& e) { e.section = 2; }),
            damaged("its index names section 2 of 2"));
  EXPECT_EQ(refusal_of_entry(bytes, [](auto& e) { e.section = 1; }),
            damaged("section \"cells\" has 1 records of 2"));
  EXPECT_EQ(refusal_of_entry(bytes, [](auto& e) { e.key_bytes = 0xffffffff; }),
            damaged("its index ends within a key"));
  for (const std::uint64_t size : {std::uint64_t{500}, ~std::uint64_t{0}, ~std::uint64_t{100}})
    EXPECT_EQ(refusal_of_entry(bytes, [&](auto& e) { e.bytes = size; }),
              damaged("a record ends behind the others"));
}

TEST(part, is_refused_with_a_section_of_no_known_kind) {
  part_image image;
  image.begin(header_of());
  image.open_section({static_cast<section_kind>(section_kinds), "new"});
  EXPECT_EQ(refusal_of(image.complete()), damaged("section 0 is of no known kind"));
}

TEST(part, may_lie_in_longer_memory) {
  auto bytes = part_with({1, 2});
  bytes.resize(bytes.size() + 1000, std::byte{7});
  expect_filled(part_reader(bytes, "part"), {1, 2});
}

TEST(part, may_lie_in_a_memory_file) {
  const descriptor file(::memfd_create("part", MFD_CLOEXEC));
  ASSERT_TRUE(file);
  part_image image{descriptor(::dup(file.get()))};
  for (const std::vector<std::size_t>& sizes : {std::vector<std::size_t>{5, 300'000, 6}, {7, 8}}) {
    fill(image, sizes);
    image.complete();
    struct ::stat found{};
    ASSERT_EQ(::fstat(file.get(), &found), 0);
    const auto size = static_cast<std::size_t>(found.st_size);
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    ASSERT_NE(memory, MAP_FAILED);
    expect_filled(part_reader({static_cast<const std::byte*>(memory), size}, "part"), sizes);
    ::munmap(memory, size);
  }
}

TEST(part, is_no_part_until_it_is_complete) {
  const descriptor file(::memfd_create("part", MFD_CLOEXEC));
  part_image image{descriptor(::dup(file.get()))};
  const auto refusal = [&file] {
    std::vector<std::byte> bytes(1'000'000);
    EXPECT_GT(::pread(file.get(), bytes.data(), bytes.size(), 0), 0);
    return refusal_of(bytes);
  };
  fill(image, {1, 2});
  EXPECT_EQ(refusal(), damaged("it has no trailer"));
  image.complete();
  EXPECT_EQ(refusal(), "");
  fill(image, {1, 2});
  EXPECT_EQ(refusal(), damaged("it has no trailer"));
}

TEST(part, is_completed_again_after_memory_has_run_out) {
  part_image image{descriptor(::memfd_create("part", MFD_CLOEXEC))};
  const std::vector<std::size_t> sizes{std::size_t{(2U << 20U) / sizeof(double)} - 40};
  fill(image, sizes);
  struct ::rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto former = std::signal(SIGXFSZ, SIG_IGN);
  ::rlimit small = before;
  small.rlim_cur = 1;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string text = error_of<error>([&] { return image.complete().size(); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, former);
  EXPECT_NE(text.find("a checkpoint needs "), std::string::npos) << text;
  EXPECT_TRUE(std::ranges::equal(image.complete(), part_with(sizes)));
}

std::vector<std::byte> compressed(std::span<const std::byte> part) {
  std::vector<std::byte> bytes;
  detail::compress_part(part, [&](auto piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  return bytes;
}

TEST(part, may_be_compressed) {
  if (detail::zstd::find() == nullptr) GTEST_SKIP() << "no libzstd.so.1";
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{}, {0, 1, 3, 1000, 7}, {0, 1, 700'000, 0, 1'100'000, 2}}) {
    const auto part = part_with(sizes);
    const auto bytes = compressed(part);
    if (sizes.size() > 5) EXPECT_LT(bytes.size(), part.size() / 4);
    const part_reader in(bytes, "part");
    expect_filled(in, sizes);
    in.verify();
    EXPECT_EQ(in.summary().bytes, bytes.size());
  }
}

TEST(part, is_refused_or_whole_if_any_compressed_byte_is_missing_or_changed) {
  if (detail::zstd::find() == nullptr) GTEST_SKIP() << "no libzstd.so.1";
  const std::vector<std::size_t> sizes{0, 1, 5};
  const auto whole = compressed(part_with(sizes));
  const auto is_refused = [](const std::vector<std::byte>& bytes) {
    return !error_of<error>([&] { part_reader(bytes, "part").verify(); }).empty();
  };
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(is_refused({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto changed = whole;
    changed[i] ^= std::byte{0x10};
    if (is_refused(changed))
      ++refused;
    else  // zstd's frames have bits without a meaning
      expect_filled(part_reader(changed, "part"), sizes);
  }
  EXPECT_GT(refused, whole.size() * 3 / 4);
}

TEST(part, checks_a_block_when_it_is_first_read) {
  auto bytes = part_with({1, 2'000'000, 1});
  bytes[detail::block_size + 5] ^= std::byte{1};
  const part_reader in(bytes, "a part");
  EXPECT_EQ(read_cell(in.record(0, 0)).number, 0);
  EXPECT_NE(error_of<error>([&] { return in.record(0, 1).size(); }), "");
  EXPECT_NE(error_of<error>([&] { return in.record(0, 1).size(); }), "");
  EXPECT_NE(error_of<error>([&] { in.verify(); }), "");
}

}  // namespace imbrex::checkpoints::part_test
