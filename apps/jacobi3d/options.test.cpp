// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <imbrex/testing/error_of.hpp>

namespace jacobi3d {
namespace {

using imbrex::testing::error_of;

settings parse(std::vector<std::string> words) {
  words.insert(words.begin(), "jacobi3d");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return parse_settings(int(words.size()), arguments.data());
}

std::string refusal(const std::vector<std::string>& words) {
  return error_of<imbrex::usage_error>([&] { parse(words); });
}

TEST(jacobi3d_options, defaults) {
  const settings setup = parse({});
  EXPECT_EQ(setup.grid, (extents{128, 128, 128}));
  EXPECT_EQ(setup.odf, std::vector<std::int64_t>{4});
  EXPECT_EQ(setup.overlap, overlap_mode::automatic);
  EXPECT_EQ(setup.iterations, 20);
  EXPECT_EQ(setup.warmup, 2);
  EXPECT_EQ(setup.tolerance, 0);
  EXPECT_EQ(setup.init, "hot-face");
  EXPECT_GE(setup.machine.pes, 1);
  EXPECT_FALSE(setup.check || setup.quiet);
  EXPECT_TRUE(setup.json.empty() && setup.help.empty());
}

TEST(jacobi3d_options, hot_blocks_are_a_fraction) {
  const settings setup = parse({"--hot-blocks", "2/12"});
  EXPECT_EQ(setup.hot.sweeps_of({0, 0, 0}, {1, 2, 3}), 4);
  EXPECT_EQ(setup.hot.sweeps_of({0, 0, 1}, {1, 2, 3}), 1);
  EXPECT_EQ(parse({"--hot-blocks", "1/1", "--hot-factor", "9"}).hot.sweeps_of({2, 2, 2}, {3, 3, 3}), 9);
  EXPECT_EQ(parse({}).hot.sweeps_of({0, 0, 0}, {3, 3, 3}), 1);
  for (const char* const part : {"", "1", "1/", "/6", "7/6", "1/0", "-1/6", "1/6/2", "1/x"})
    EXPECT_EQ(refusal({"--hot-blocks", part}),
              std::string("--hot-blocks '") + part +
                  "': the part of the blocks must be a fraction from 0/1 to 1/1, such as 1/6");
  EXPECT_EQ(refusal({"--hot-factor", "3"}),
            "--hot-factor '3': no block is hot; add --hot-blocks, such as 1/6");
  EXPECT_NE(refusal({"--hot-blocks", "1/6", "--hot-factor", "0"}).find("--hot-factor '0'"),
            std::string::npos);
}

TEST(jacobi3d_options, all_are_read_and_the_last_of_several_counts) {
  const settings setup = parse({"--grid",
                                "1,2,3",
                                "--grid=17,9,23",
                                "--odf",
                                "3",
                                "--odf",
                                "1,2,16",
                                "--iters",
                                "7",
                                "--warmup=0",
                                "--tolerance",
                                "2",
                                "--tolerance",
                                "1e-4",
                                "--init",
                                "linear",
                                "--init",
                                "random:5",
                                "--check",
                                "--check",
                                "--json",
                                "a",
                                "--json",
                                "b",
                                "--quiet",
                                "--pes",
                                "3",
                                "--machine=deterministic"});
  EXPECT_EQ(setup.grid, (extents{17, 9, 23}));
  EXPECT_EQ(setup.odf, (std::vector<std::int64_t>{1, 2, 16}));
  EXPECT_EQ(setup.iterations, 7);
  EXPECT_EQ(setup.warmup, 0);
  EXPECT_EQ(setup.tolerance, 1e-4);
  EXPECT_EQ(setup.init, "random:5");
  EXPECT_EQ(setup.json, "b");
  EXPECT_TRUE(setup.check && setup.quiet);
  EXPECT_EQ(setup.machine.pes, 3);
  EXPECT_EQ(setup.machine.machine, imbrex::machine_kind::deterministic);
}

TEST(jacobi3d_options, a_device_has_no_manual_overlap) {
  EXPECT_NE(refusal({"--device", "emulated", "--overlap", "manual"}).find("--overlap 'manual'"),
            std::string::npos);
  EXPECT_EQ(parse({"--device", "emulated", "--overlap", "none"}).odf, std::vector<std::int64_t>{1});
}

TEST(jacobi3d_options, a_device_takes_its_own_time) {
  EXPECT_NE(refusal({"--device", "emulated", "--spin", "1ms"}).find("--spin '1ms'"), std::string::npos);
  EXPECT_EQ(parse({"--spin", "1ms"}).spin, std::chrono::milliseconds(1));
  EXPECT_EQ(parse({}).spin.count(), 0);
}

TEST(jacobi3d_options, faces_in_messages_are_of_devices) {
  EXPECT_EQ(parse({}).comm, communication::host);
  EXPECT_EQ(parse({"--device", "emulated", "--comm", "message"}).comm, communication::message);
  EXPECT_EQ(refusal({"--comm", "message"}),
            "--comm 'message': only blocks on a device send its memory; add --device or --device-model, or "
            "leave it out");
  EXPECT_EQ(refusal({"--device", "emulated", "--comm", "mail"}),
            "--comm 'mail': faces travel by host, message, channel or persistent");
  EXPECT_EQ(
      refusal({"--device", "emulated", "--comm", "message", "--completion", "work-request"}),
      "--comm message with --completion work-request: what requests fill cannot be sent before they are "
      "done; leave out one of the two");
}

TEST(jacobi3d_options, waits_are_those_of_the_path_of_faces) {
  const std::vector<std::string> channel{"--device", "emulated", "--comm", "channel", "--waits"};
  const auto with = [](std::vector<std::string> words, const char* last) {
    words.push_back(last);
    return words;
  };
  EXPECT_EQ(parse({"--device", "emulated"}).waits, host_waits::needed);
  EXPECT_EQ(parse(with(channel, "faces")).waits, host_waits::faces);
  EXPECT_EQ(parse(with(channel, "sends")).waits, host_waits::sends);
  EXPECT_EQ(parse({"--device", "emulated", "--waits", "updates"}).waits, host_waits::updates);
  EXPECT_EQ(refusal(with(channel, "all")),
            "--waits 'all': a block waits as needed, or for sends, faces or updates");
  EXPECT_EQ(
      refusal(with(channel, "updates")),
      "--waits 'updates': the update is submitted with its faces; choose --comm host without --fusion c, "
      "--graphs and work requests");
  EXPECT_EQ(refusal({"--device", "emulated", "--graphs", "--waits", "updates"}).find("--waits 'updates'"),
            0U);
  EXPECT_EQ(refusal({"--device", "emulated", "--waits", "faces"}),
            "--waits 'faces': these faces are in messages or channels; choose --comm message or channel");
  EXPECT_EQ(
      refusal({"--waits", "sends"}),
      "--waits 'sends': only blocks on a device wait for it; add --device or --device-model, or leave it "
      "out");
}

TEST(jacobi3d_options, a_mark_is_of_devices_in_simulated_time) {
  const std::vector<std::string> simulated{"--machine", "simulated", "--device-model",
                                           "v100",      "--iters",   "9"};
  const auto with = [](std::vector<std::string> words, const char* mark) {
    words.insert(words.end(), {"--mark", mark});
    return words;
  };
  EXPECT_EQ(parse({}).mark, 0);
  EXPECT_EQ(parse(with(simulated, "8")).mark, 8);
  EXPECT_EQ(refusal(with(simulated, "9")),
            "--mark '9': all timed iterations are before it; choose fewer than --iters");
  EXPECT_EQ(
      refusal(with({"--device", "emulated"}, "1")),
      "--mark '1': only devices in simulated time are marked; add --machine simulated and --device-model");
}

TEST(jacobi3d_options, fusion_and_graphs_are_of_devices) {
  EXPECT_EQ(parse({}).fusion, kernel_fusion::none);
  EXPECT_FALSE(parse({"--device", "emulated"}).graphs);
  for (std::size_t kind = 0; kind < fusion_names.size(); ++kind) {
    const settings setup = parse({"--device", "emulated", "--fusion", fusion_names[kind], "--graphs"});
    EXPECT_EQ(setup.fusion, kernel_fusion(kind));
    EXPECT_TRUE(setup.graphs);
  }
  EXPECT_EQ(parse({"--fusion", "none"}).fusion, kernel_fusion::none);
  EXPECT_EQ(
      refusal({"--fusion", "c"}),
      "--fusion 'c': only a device has kernels to be fused; add --device or --device-model, or leave it out");
  EXPECT_EQ(refusal({"--graphs"}),
            "--graphs: only a device has graphs; add --device or --device-model, or leave it out");
  EXPECT_EQ(refusal({"--graphs", "--device", "emulated", "--completion", "work-request"}),
            "--graphs with --completion work-request: requests cannot be captured; leave out one of the two");
  EXPECT_EQ(parse({"--fusion", "c", "--device", "emulated", "--completion", "work-request"}).fusion,
            kernel_fusion::c);
}

TEST(jacobi3d_options, odf_auto_is_for_overlapping_blocks_on_processors) {
  EXPECT_TRUE(parse({"--odf", "auto"}).chooses_odf);
  EXPECT_FALSE(parse({"--odf", "auto", "--odf", "2"}).chooses_odf);
  EXPECT_NE(refusal({"--odf", "auto", "--overlap", "none"}).find("one chare per PE; leave --odf out"),
            std::string::npos);
  EXPECT_NE(
      refusal({"--odf", "auto", "--device", "emulated"}).find("compare some factors, such as --odf 1,2,4,8"),
      std::string::npos);
  EXPECT_NE(refusal({"--odf", "auto", "--restart", "saved"}).find("give that of its run"), std::string::npos);
}

TEST(jacobi3d_options, overlap_of_one_chare_per_pe_takes_no_other_odf) {
  for (const auto mode : {overlap_mode::none, overlap_mode::manual})
    for (const auto& more : {std::vector<std::string>{}, {"--odf", "1"}, {"--odf", "1,1"}}) {
      std::vector<std::string> words{"--overlap", name(mode)};
      words.insert(words.end(), more.begin(), more.end());
      const settings setup = parse(words);
      EXPECT_EQ(setup.overlap, mode);
      EXPECT_EQ(setup.odf, std::vector<std::int64_t>(more.empty() || more[1] == "1" ? 1 : 2, 1));
    }
  EXPECT_EQ(
      refusal({"--overlap", "manual", "--odf", "1,4"}),
      "--odf '1,4': --overlap manual means one chare per PE; leave --odf out, or choose --overlap auto");
  EXPECT_NE(refusal({"--odf=2", "--overlap=none"}).find("--odf '2': --overlap none"), std::string::npos);
  const settings settings_ = parse({"--overlap", "none", "--overlap", "auto", "--odf", "2"});
  EXPECT_EQ(settings_.overlap, overlap_mode::automatic);
  EXPECT_EQ(settings_.odf, std::vector<std::int64_t>{2});
}

TEST(jacobi3d_options, help_shows_both_sets) {
  const std::string help = parse({"--help"}).help;
  EXPECT_NE(help.find("--odf"), std::string::npos);
  EXPECT_NE(help.find("--pes"), std::string::npos);
}

TEST(jacobi3d_options, unknown_ones_are_refused_with_the_nearest_of_both_sets) {
  EXPECT_EQ(refusal({"--gird", "8,8,8"}), "unknown option --gird; did you mean --grid?");
  EXPECT_EQ(refusal({"--pse=2"}), "unknown option --pse; did you mean --pes?");
  EXPECT_EQ(refusal({"--serialise-always"}),
            "unknown option --serialise-always; did you mean --serialize-always?");
  EXPECT_EQ(refusal({"--frobnicate"}), "unknown option --frobnicate; see jacobi3d --help");
  EXPECT_EQ(refusal({"64"}), "unknown argument '64': jacobi3d takes options only; see jacobi3d --help");
  EXPECT_EQ(refusal({""}), "unknown argument '': jacobi3d takes options only; see jacobi3d --help");
}

TEST(jacobi3d_options, impossible_values_are_refused_by_name) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"--grid",
       {"", "8", "8,8", "8,8,8,8", "8,8,0", "8,-8,8", "8,8,x", "8,8,8,", "8 8 8", "1e3,1,1", "2147483648,1,1",
        "99999999999999999999,1,1", "8.5,8,8", "+8,8,8"}},
      {"--odf", {"", "0", "-1", "1,,2", ",1", "1,", "two", "2.5", "99999999999999999999"}},
      {"--iters", {"", "0", "-5", "ten", "1e3", "2147483648"}},
      {"--warmup", {"", "-1", "x", "2147483648"}},
      {"--spin", {"", "5", "-1us", "61s", "1h"}},
      {"--tolerance", {"", "0", "-1e-4", "nan", "inf", "1e999", "small", "1e-4x"}},
      {"--json", {""}},
      {"--overlap", {"", "automatic", "None", "manual,none", "0"}},
      {"--fusion", {"", "C", "d", "a,b", "all", "3"}},
      {"--pes", {"0", "-1", "x", "65537"}},
  };
  for (const auto& [option, values] : cases)
    for (const auto& value : values) {
      const std::string text = refusal({option, value});
      EXPECT_NE(text, "") << option << " '" << value << "'";
      EXPECT_NE(text.find(option), std::string::npos) << text;
      EXPECT_NE(text.find(value), std::string::npos) << text;
    }
  for (const auto& value : {"", "lin", "random", "random:", "random:-1", "random:x", "hot_face"})
    EXPECT_NE(refusal({"--init", value}).find("hot-face, linear or random:SEED"), std::string::npos) << value;
  for (const auto& option : {"--grid", "--odf", "--overlap", "--fusion", "--iters", "--warmup", "--tolerance",
                             "--init", "--json", "--spin"})
    EXPECT_NE(refusal({option}).find(option), std::string::npos) << option;
  EXPECT_NE(refusal({"--check=maybe"}).find("--check"), std::string::npos);
}

}  // namespace
}  // namespace jacobi3d
