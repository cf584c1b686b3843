// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/parity.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <imbrex/base/error.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/checkpoint/driver/test_folder.test.hpp>
#include <imbrex/checkpoint/part_image.hpp>
#include <imbrex/checkpoint/part_reader.hpp>
#include <imbrex/checkpoint/write_part.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::checkpoints {
namespace {

namespace fs = std::filesystem;
using checkpoints_test::test_folder;

/// Hosts with these numbers of processes.
std::vector<int> hosts_of(const std::vector<int>& counts) {
  std::vector<int> hosts;
  for (std::size_t h = 0; h < counts.size(); ++h)
    hosts.insert(hosts.end(), static_cast<std::size_t>(counts[h]), static_cast<int>(h));
  return hosts;
}

TEST(parity, has_groups_of_processes_on_different_hosts) {
  for (const int size : {2, 8})
    for (const auto& counts : std::vector<std::vector<int>>{
             {1, 1}, {2, 2}, {3, 1}, {1, 4}, {1, 1, 1}, {4, 4, 4, 4, 4}, {2, 1, 3, 2, 2, 1, 2, 2, 2, 5, 1}}) {
      const auto hosts = hosts_of(counts);
      std::set<int> protected_ones;
      for (const parity_group& group : parity_groups(hosts, size)) {
        std::set<int> of_group;
        for (const int p : group) of_group.insert(hosts[static_cast<std::size_t>(p)]);
        EXPECT_EQ(of_group.size(), group.size());
        EXPECT_GE(group.size(), 2U);
        EXPECT_LE(group.size(), static_cast<std::size_t>(2 * size - 1));
        protected_ones.insert(group.begin(), group.end());
      }
      EXPECT_EQ(protected_ones.size(), hosts.size());
    }
  EXPECT_TRUE(parity_groups(hosts_of({7}), 2).empty());
  EXPECT_TRUE(parity_groups({}, 2).empty());
}

TEST(parity, cuts_a_part_into_segments_for_all_others) {
  const parity_group group{1, 4, 7, 9};
  for (const std::uint64_t bytes : {0U, 1U, 2U, 3U, 100U}) {
    std::uint64_t next = 0;
    std::set<int> holders;
    for (const parity_segment& each : segments_of(group, 4, bytes)) {
      EXPECT_EQ(each.begin, next);
      next = each.end;
      holders.insert(each.holder);
    }
    EXPECT_EQ(next, bytes);
    EXPECT_EQ(holders, (std::set<int>{1, 7, 9}));
  }
}

TEST(parity, is_named_by_its_group_and_holder) {
  EXPECT_EQ(name_of_parity({0, 3, 12345}, 3), "xor-0000-0003-12345-0003.icx");
  EXPECT_TRUE(is_name_of_parity("xor-0000-0003-12345-0003.icx"));
  for (const char* const name :
       {"xor-0000.icx", "xor-0000-0001.icx", "xor-0000-0001-0002.icx", "part-0000.icp",
        "xor-0001-0000-0000.icx", "xor-a-b-a.icx", "xor-.icx", ".icx", ""})
    EXPECT_FALSE(is_name_of_parity(name)) << name;
}

/// A checkpoint of parts of random sizes, with the parities of their groups.
class rebuilt_parts : public ::testing::Test {
 protected:
  void write(const std::vector<int>& counts, int size) {
    const auto hosts = hosts_of(counts);
    fs::create_directories(folder.path());
    contents = {.number = 1, .run = 5, .pes = static_cast<int>(hosts.size())};
    std::vector<std::vector<std::byte>> parts;
    for (std::size_t p = 0; p < hosts.size(); ++p) {
      part_image image;
      image.begin({.number = 1, .run = 5, .process = static_cast<int>(p), .processes = contents.pes});
      const int section = image.open_section({section_kind::value, "v"});
      std::vector<std::byte> bytes(chance() % 70'000);
      for (std::byte& each : bytes) each = static_cast<std::byte>(chance());
      image.begin_record(section, {}).bytes(bytes.data(), bytes.size());
      image.end_record();
      image.seal();
      contents.parts.push_back(write_part(image, path_of_part(folder.path(), static_cast<int>(p))));
      parts.push_back(content(path_of_part(folder.path(), static_cast<int>(p))));
    }
    for (const parity_group& group : parity_groups(hosts, size)) {
      std::map<int, std::vector<std::byte>> sums;
      for (const int p : group)
        for (const parity_segment& each : segments_of(group, p, parts[static_cast<std::size_t>(p)].size()))
          add_by_xor(
              sums[each.holder], 0,
              std::span(parts[static_cast<std::size_t>(p)]).subspan(each.begin, each.end - each.begin));
      for (const int p : group) write_parity(folder.path(), group, p, sums[p]);
    }
  }
  /// Removes the files that only processes of a host have, and rebuilds its parts.
  void lose_host(const std::vector<int>& counts, int host) {
    const auto hosts = hosts_of(counts);
    for (std::size_t p = 0; p < hosts.size(); ++p) {
      if (hosts[p] != host) continue;
      fs::remove(path_of_part(folder.path(), static_cast<int>(p)));
      const std::string suffix =
          name_of_parity({0}, static_cast<int>(p)).substr(std::string("xor-0000").size());
      for (const std::string& name : names())
        if (name.ends_with(suffix)) fs::remove(folder.path() + "/" + name);
    }
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& each : fs::directory_iterator(folder.path()))
      all.push_back(each.path().filename().string());
    return all;
  }
  static std::vector<std::byte> content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }

  test_folder folder;
  manifest contents;
  random chance{3};
};

TEST_F(rebuilt_parts, are_those_of_any_lost_host) {
  const std::vector<std::vector<int>> jobs{{1, 1}, {2, 3}, {1, 1, 1, 1}, {2, 1, 2, 2, 1, 1, 2, 2, 2}};
  for (const int size : {2, 8})
    for (const auto& counts : jobs)
      for (std::size_t host = 0; host < counts.size(); ++host) {
        fs::remove_all(folder.path());
        write(counts, size);
        lose_host(counts, static_cast<int>(host));
        const auto left = names();
        for (const part_summary& each : contents.parts) {
          if (fs::exists(path_of_part(folder.path(), each.process))) continue;
          EXPECT_TRUE(can_rebuild(left, each.process));
          rebuild_part(folder.path(), contents, each.process);
          EXPECT_EQ(part_reader(path_of_part(folder.path(), each.process)).summary(), each);
        }
      }
}

TEST_F(rebuilt_parts, are_refused_after_the_loss_of_two_hosts_of_a_group_or_damage) {
  const std::vector<int> counts{1, 1, 1};
  write(counts, 8);
  const auto damaged = folder.path() + "/" + name_of_parity({0, 1, 2}, 0);
  {
    std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
    file.put('\x5a');
    file.put('\x5a');
  }
  lose_host(counts, 1);
  EXPECT_NE(testing::error_of<error>([&] { rebuild_part(folder.path(), contents, 1); }), "");
  EXPECT_FALSE(fs::exists(path_of_part(folder.path(), 1)));
  lose_host(counts, 2);
  EXPECT_FALSE(can_rebuild(names(), 1));
  EXPECT_NE(testing::error_of<error>([&] { rebuild_part(folder.path(), contents, 1); }).find("is lost"),
            std::string::npos);
}

}  // namespace
}  // namespace imbrex::checkpoints
