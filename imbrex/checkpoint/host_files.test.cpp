// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/host_files.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include <imbrex/checkpoint/driver/test_folder.test.hpp>
#include <imbrex/checkpoint/parity.hpp>

namespace imbrex::checkpoints {
namespace {

using checkpoints_test::test_folder;
using hosts = std::vector<std::vector<host_files>>;

std::string manifest_of(std::uint64_t number, int processes) {
  manifest m{.number = number, .run = 3};
  for (int p = 0; p < processes; ++p) m.parts.push_back({.process = p, .bytes = 10});
  return to_json(m);
}

std::set<std::string> names_of(const gathering& plan) {
  std::set<std::string> names;
  for (const auto& [name, host] : plan.sources) names.insert(name);
  return names;
}

const std::string first = name_of_part(0), second = name_of_part(1);
const std::string kept_by_first = name_of_parity({0, 1}, 0);

TEST(host_files, are_gathered_from_all_hosts) {
  const hosts all{{{1, manifest_of(1, 2), {first}}}, {{1, manifest_of(1, 2), {second}}}, {}};
  const gathering plan = plan_gathering(all, 0);
  EXPECT_EQ(plan.number, 1U);
  EXPECT_EQ(plan.sources, (std::vector<std::pair<std::string, int>>{{first, 0}, {second, 1}}));
  EXPECT_TRUE(plan.rebuilt.empty());
}

TEST(host_files, are_rebuilt_from_parities) {
  const hosts all{{{4, manifest_of(4, 2), {first, kept_by_first}}}, {}};
  const gathering plan = plan_gathering(all, 0);
  EXPECT_EQ(plan.number, 4U);
  EXPECT_EQ(plan.rebuilt, std::vector<int>{1});
  EXPECT_EQ(names_of(plan), (std::set<std::string>{first, kept_by_first}));
}

TEST(host_files, pass_over_what_is_not_whole_and_what_starts_die_from) {
  const hosts all{{{1, manifest_of(1, 2), {first, second}},
                   {2, manifest_of(2, 2), {first, second}, most_tries},
                   {3, manifest_of(3, 2), {first}},
                   {4, "", {first, second}},
                   {5, "no manifest", {}}}};
  const gathering plan = plan_gathering(all, 0);
  EXPECT_EQ(plan.number, 1U);
  ASSERT_EQ(plan.passed_over.size(), 4U);
  EXPECT_EQ(plan.passed_over[2],
            "checkpoint 3: part-0001.icp is lost, and cannot be rebuilt from the files of the "
            "other hosts");
  EXPECT_EQ(plan.passed_over[3], "checkpoint 2: 3 starts from it have died");
  EXPECT_EQ(plan_gathering(all, 2).number, 2U);
  EXPECT_EQ(plan_gathering(all, 3).number, 0U);
  EXPECT_EQ(plan_gathering({}, 0).number, 0U);
}

TEST(host_files, are_listed_without_damaged_parts) {
  const test_folder folder;
  EXPECT_TRUE(list_host_files(folder.path()).empty());
  const std::string path = checkpoint_folder(folder.path()).path_of(7);
  std::filesystem::create_directories(path);
  for (const std::string& name : {first, kept_by_first, std::string("other")})
    std::ofstream(path + "/" + name) << "no part";
  write_manifest_text(path, manifest_of(7, 2));
  const auto listed = list_host_files(folder.path());
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].number, 7U);
  EXPECT_EQ(listed[0].names, std::vector<std::string>{kept_by_first});
  EXPECT_EQ(listed[0].manifest_text, manifest_of(7, 2));
  EXPECT_EQ(newest_manifest(folder.path()), 7U);
  EXPECT_EQ(newest_checkpoint(folder.path()), 0U);
}

}  // namespace
}  // namespace imbrex::checkpoints
