// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/options.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/error.hpp>
#include <imbrex/testing/error_of.hpp>

#include "apps/minimd/synthetic_potential.test.hpp"

namespace minimd {
namespace {

using imbrex::testing::error_of;

settings parsed(std::vector<std::string> words) {
  words.insert(words.begin(), "minimd");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return parse_settings(static_cast<int>(words.size()), arguments.data());
}

std::string refusal(const std::vector<std::string>& words) {
  return error_of<imbrex::usage_error>([&] { parsed(words); });
}

TEST(options, are_read) {
  const settings setup = parsed({"--size", "4,5,6", "--steps", "7", "--thermo", "2", "--lists", "half",
                                 "--newton", "off", "--odf", "2,3", "--pes", "3"});
  EXPECT_EQ(setup.parameters.what.lattice, imbrex::index3(4, 5, 6));
  EXPECT_EQ(setup.parameters.steps, 7);
  EXPECT_EQ(setup.parameters.thermo, 2);
  EXPECT_EQ(setup.parameters.what.lists, list_kind::half);
  EXPECT_FALSE(setup.parameters.what.newton);
  EXPECT_EQ(setup.odf, (std::vector<std::int64_t>{2, 3}));
}

TEST(options, are_refused_with_the_value_and_the_remedy) {
  EXPECT_EQ(refusal({"--size", "4,5"}),
            "--size '4,5': the unit cells must be a whole number from 1 to 100000, or three, such as --size "
            "16,16,32");
  EXPECT_EQ(refusal({"--lists", "some"}), "--lists 'some': it must be full or half");
  EXPECT_EQ(refusal({"--newton", "off"}),
            "--newton 'off': only half lists have a choice; add --lists half, or leave it out");
  EXPECT_EQ(refusal({"--read-restart", "atoms", "--size", "5"}),
            "--size with --read-restart: the problem is the file's; leave out one of the two");
  EXPECT_EQ(refusal({"--read-restart", "atoms", "--input", "in.lj"}),
            "--input with --read-restart: the problem is the file's; leave out one of the two");
  for (const char* const radius : {"", "0.9", "2.6", "nan", "2x"})
    EXPECT_EQ(refusal({"--size", "5,6,7", "--droplet", radius}),
              std::string("--droplet '") + radius +
                  "': the radius must be a number of unit cells from 1 to 2.5, half the shortest side");
  EXPECT_EQ(refusal({"--read-restart", "atoms", "--droplet", "2"}),
            "--droplet with --read-restart: the problem is the file's; leave out one of the two");
  EXPECT_EQ(refusal({"--device", "emulated", "--balance", "auto"}),
            "--device emulated: devices do not have blocks that migrate (--balance); leave one of the two "
            "out");
  EXPECT_EQ(refusal({"--check"}), "--check needs the known values: --oracle FILE");
  EXPECT_EQ(refusal({"--input", "/does/not/exist"}),
            "'/does/not/exist', the input, cannot be read: give the name of a file that exists");
  EXPECT_EQ(refusal({"--reproducible", "--size", "3"}),
            "--reproducible needs a box of twice the cut-off and skin along each side; leave it out, or take "
            "--size 4 or more");
}

// A folder that is removed at the end of the test.
class folder {
 public:
  folder() { std::filesystem::create_directory(path_); }
  ~folder() { std::filesystem::remove_all(path_); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("minimd.options." + std::to_string(::getpid()));
};

TEST(options, take_the_mass_of_the_potential_where_no_later_one_is_given) {
  const folder here;
  const std::string potential = here.write("made_up.eam", synthetic_potential::text());
  const auto masses = [&](const std::string& mass) {
    const std::string input = here.write(
        "in.eam",
        "units metal\nlattice fcc 3.615\nregion box block 0 4 0 4 0 4\ncreate_box 1 box\ncreate_atoms 1 box\n"
        "pair_style eam\npair_coeff 1 1 " +
            potential + "\nvelocity all create 100 1\n" + mass + "fix 1 all nve\nrun 1\n");
    const problem what = parsed({"--input", input}).parameters.what;
    EXPECT_EQ(what.cutoff, synthetic_potential::cutoff);
    return std::pair(what.velocities.at(0).mass, what.mass);
  };
  EXPECT_EQ(masses(""), std::pair(synthetic_potential::mass, synthetic_potential::mass));
  EXPECT_EQ(masses("mass 1 40\n"), std::pair(synthetic_potential::mass, 40.0));
  const problem copper = parsed({"--potential", potential}).parameters.what;
  EXPECT_EQ(copper.mass, synthetic_potential::mass);
}

TEST(options, of_devices) {
  const settings setup = parsed({"--device", "emulated", "--comm", "message"});
  EXPECT_TRUE(setup.on_device());
  EXPECT_EQ(setup.comm, communication::message);
  EXPECT_EQ(parsed({"--device", "emulated"}).comm, communication::host);
}

TEST(options, refuse_what_devices_do_not_have) {
  EXPECT_EQ(refusal({"--comm", "host"}),
            "--comm 'host': only blocks on a device have a choice; add --device, or leave it out");
  EXPECT_EQ(refusal({"--device", "emulated", "--comm", "channel"}),
            "--comm 'channel': it must be host or message");
  EXPECT_EQ(refusal({"--device", "emulated", "--lists", "half"}),
            "--device emulated: devices do not have half lists; leave one of the two out");
  EXPECT_EQ(refusal({"--device", "emulated", "--reproducible"}),
            "--device emulated: devices do not have --reproducible; leave one of the two out");
  const std::vector<std::string> modelled{"--machine", "simulated", "--device-model", "summit", "--no-data"};
  EXPECT_EQ(refusal(modelled), "");
  auto with_json = modelled;
  with_json.insert(with_json.end(), {"--json", "out.json"});
  EXPECT_EQ(refusal(with_json),
            "--json with --no-data: there are no atoms to look at; leave out one of the two");
}

}  // namespace
}  // namespace minimd
