// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <imbrex/base/error.hpp>

namespace minimd {
namespace {

settings parsed(std::vector<std::string> words) {
  words.insert(words.begin(), "minimd");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return parse_settings(static_cast<int>(words.size()), arguments.data());
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    parsed(words);
    return "";
  } catch (const imbrex::usage_error& e) {
    return e.what();
  }
}

TEST(options, are_read) {
  const settings setup = parsed({"--size", "4,5,6", "--steps", "7", "--thermo", "2", "--lists", "half",
                                 "--newton", "off", "--odf", "2,3", "--pes", "3"});
  EXPECT_EQ(setup.given.what.lattice, imbrex::index3(4, 5, 6));
  EXPECT_EQ(setup.given.steps, 7);
  EXPECT_EQ(setup.given.thermo, 2);
  EXPECT_EQ(setup.given.what.lists, list_kind::half);
  EXPECT_FALSE(setup.given.what.newton);
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
  EXPECT_EQ(refusal({"--check"}), "--check needs the known values: --oracle FILE");
  EXPECT_EQ(refusal({"--input", "/does/not/exist"}),
            "'/does/not/exist', the input, cannot be read: give the name of a file that exists");
  EXPECT_EQ(refusal({"--reproducible", "--size", "3"}),
            "--reproducible needs a box of twice the cut-off and skin along each side; leave it out, or take "
            "--size 4 or more");
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
