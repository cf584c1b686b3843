// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/options/options.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/core/options/environment_options.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <imbrex/testing/error_of.hpp>

namespace {

using imbrex::array_placement;
using imbrex::machine_kind;
using imbrex::testing::error_of;

/// An argc/argv as main() gets it, including argv[0] and the terminating null.
class command_line {
 public:
  command_line(std::initializer_list<std::string> arguments) : words_{"program"} {
    words_.insert(words_.end(), arguments.begin(), arguments.end());
    for (auto& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
    count = static_cast<int>(words_.size());
    seen_ = pointers_.data();
  }
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;

  imbrex::options parse() { return imbrex::parse_options(count, seen_); }
  void refuse_near_misses() { imbrex::refuse_near_misses(count, seen_); }

  /// The arguments left after argv[0], joined by blanks.
  std::string rest() const {
    EXPECT_EQ(seen_[count], nullptr);
    EXPECT_STREQ(seen_[0], "program");
    std::string joined;
    for (int i = 1; i < count; ++i) joined += (i > 1 ? " " : "") + std::string(seen_[i]);
    return joined;
  }

  int count = 0;

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
  char** seen_;
};

std::string refusal(std::initializer_list<std::string> arguments) {
  command_line line(arguments);
  const std::string before = line.rest();
  try {
    line.parse();
    line.refuse_near_misses();
  } catch (const imbrex::usage_error& e) {
    EXPECT_EQ(line.rest(), before);
    return e.what();
  }
  return "accepted";
}

TEST(options, have_defaults) {
  command_line line{};
  const auto chosen = line.parse();
  EXPECT_EQ(chosen.pes, 0);
  EXPECT_EQ(chosen.machine, machine_kind::threads);
  EXPECT_EQ(chosen.bind, imbrex::options::binding::none);
  EXPECT_FALSE(chosen.shuffle);
  EXPECT_FALSE(chosen.seed);
  EXPECT_FALSE(chosen.serialize_always);
  EXPECT_EQ(chosen.placement, array_placement::bricks);
  EXPECT_EQ(chosen.net_latency.count(), 0);
  EXPECT_EQ(chosen.net_bandwidth, 0U);
  EXPECT_EQ(chosen.net_injection_gap.count(), 0);
  EXPECT_EQ(line.rest(), "");
}

TEST(options, are_taken_out_and_the_rest_stays_in_order) {
  command_line line{"--grid",
                    "8,8",
                    "--pes",
                    "4",
                    "in.txt",
                    "--machine=deterministic",
                    "-v",
                    "--bind",
                    "core",
                    "--shuffle=0",
                    "--seed",
                    "18446744073709551615",
                    "--serialize-always",
                    "--placement",
                    "blocks",
                    "--iters=3"};
  const auto chosen = line.parse();
  EXPECT_EQ(chosen.pes, 4);
  EXPECT_EQ(chosen.machine, machine_kind::deterministic);
  EXPECT_EQ(chosen.bind, imbrex::options::binding::core);
  EXPECT_EQ(chosen.shuffle, 0U);
  EXPECT_EQ(chosen.seed, 18446744073709551615U);
  EXPECT_TRUE(chosen.serialize_always);
  EXPECT_EQ(chosen.placement, array_placement::blocks);
  EXPECT_EQ(line.rest(), "--grid 8,8 in.txt -v --iters=3");
}

TEST(options, name_the_fabric) {
  EXPECT_EQ(command_line({"--pes", "2"}).parse().net, "ucx");
  EXPECT_EQ(command_line({"--net", "loopback"}).parse().net, "loopback");
}

TEST(options, give_the_network_its_delays) {
  command_line line{"--net-latency", "200us", "--net-bandwidth=1Gbit/s", "--net-injection-gap=1.5us"};
  const auto chosen = line.parse();
  EXPECT_EQ(chosen.net_latency, std::chrono::microseconds(200));
  EXPECT_EQ(chosen.net_bandwidth, 125'000'000U);
  EXPECT_EQ(chosen.net_injection_gap, std::chrono::nanoseconds(1500));
}

TEST(options, show_control_characters_of_arguments_escaped) {
  EXPECT_TRUE(refusal({"--pes", "4\x1b[31m\nimbrex: error: none"})
                  .starts_with("--pes 4\\x1b[31m\\x0aimbrex: error: none: the number"));
  EXPECT_TRUE(refusal({"--options", "/no/such\rfile"}).starts_with("--options /no/such\\x0dfile cannot"));
}

TEST(options, refuse_delays_that_cannot_be) {
  EXPECT_EQ(refusal({"--net-latency", "200"}),
            "--net-latency 200: the value must be a time from 0s to 60s with its unit, ns, us, ms or s, such "
            "as 200us or 1.5ms");
  EXPECT_TRUE(refusal({"--net-latency=61s"}).starts_with("--net-latency 61s: "));
  EXPECT_TRUE(refusal({"--net-injection-gap", "-1us"}).starts_with("--net-injection-gap -1us: "));
  EXPECT_EQ(refusal({"--net-bandwidth=1GiB/s"}),
            "--net-bandwidth 1GiB/s: the value must be a rate from 1kB/s to 1000GB/s with its unit, B/s, "
            "kB/s, MB/s, GB/s, kbit/s, Mbit/s or Gbit/s, such as 1GB/s or 100Mbit/s; leave --net-bandwidth "
            "out for no limit");
  for (const char* value : {"0B/s", "999B/s", "1001GB/s"})
    EXPECT_TRUE(
        refusal({"--net-bandwidth", value}).starts_with("--net-bandwidth " + std::string(value) + ": "))
        << value;
}

TEST(options, say_which_devices_there_are_and_how_they_are_watched) {
  command_line line({"--device", "emulated", "--devices=3", "--device-model", "v100", "--device-map",
                     "round-robin", "--completion", "callback", "--completion-poll", "20us"});
  const imbrex::options settings = line.parse();
  EXPECT_EQ(line.rest(), "");
  EXPECT_EQ(settings.device, "emulated");
  EXPECT_EQ(settings.devices, 3);
  EXPECT_EQ(settings.device_model, "v100");
  EXPECT_EQ(settings.map, imbrex::device_map::round_robin);
  EXPECT_EQ(settings.completion, imbrex::completion_method::callback);
  EXPECT_EQ(settings.poll.time, imbrex::nanoseconds(20'000));
  EXPECT_EQ(command_line({"--device-map", "near"}).parse().map, imbrex::device_map::near);
  EXPECT_EQ(command_line({"--device-map=none"}).parse().map, imbrex::device_map::none);
  EXPECT_EQ(refusal({"--device-map", "nears"}),
            "--device-map nears: the value must be one of block, round-robin, near, none; did you mean "
            "--device-map near?");
  EXPECT_EQ(command_line({"--completion-poll", "7"}).parse().poll.turns, 7);
  EXPECT_EQ(command_line({"--completion-poll", "7", "--completion-poll=adaptive"}).parse().poll.turns, 0);
  EXPECT_EQ(command_line({"--completion", "sync"}).parse().completion,
            imbrex::completion_method::synchronous);
  EXPECT_EQ(command_line({"--completion", "flag"}).parse().completion, imbrex::completion_method::flag);
  for (const char* wrong : {"0", "-1", "2000000", "2s", "0s", "often", ""})
    EXPECT_NE(refusal({"--completion-poll", wrong}).find("--completion-poll "), std::string::npos) << wrong;
  for (const char* wrong : {"0", "65537", "two"})
    EXPECT_NE(refusal({"--devices", wrong}).find("from 1 to 65536"), std::string::npos) << wrong;
  EXPECT_NE(refusal({"--completion", "pol"}).find("did you mean --completion poll?"), std::string::npos);
}

TEST(options, choose_the_balancer_and_its_record) {
  const auto none = command_line({}).parse().balance;
  EXPECT_EQ(none.strategy, "");
  EXPECT_EQ(none.record, "");
  const auto all = command_line({"--balance", "segments", "--balance-every=5", "--balance-report",
                                 "--balance-record", "loads.imb"})
                       .parse()
                       .balance;
  EXPECT_EQ(all.strategy, "segments");
  EXPECT_EQ(all.every_points, 5);
  EXPECT_TRUE(all.report);
  EXPECT_EQ(all.record, "loads.imb");
  EXPECT_EQ(all.by, imbrex::balanced_loads::both);
  EXPECT_EQ(command_line({"--balance-by", "device"}).parse().balance.by, imbrex::balanced_loads::device);
  EXPECT_EQ(command_line({"--balance-by", "cpu"}).parse().balance.by, imbrex::balanced_loads::cpu);
  EXPECT_NE(refusal({"--balance-by", "gpu"}).find("--balance-by "), std::string::npos);
  EXPECT_EQ(command_line({"--balance-every", "2s"}).parse().balance.every_time, std::chrono::seconds(2));
  for (const char* wrong : {"0", "-1", "0s", "often", ""})
    EXPECT_NE(refusal({"--balance-every", wrong}).find("--balance-every "), std::string::npos) << wrong;
  EXPECT_EQ(refusal({"--balance="}), "--balance: the strategy is empty; write --balance auto");
  EXPECT_EQ(refusal({"--balance-record="}),
            "--balance-record: the file is empty; write --balance-record FILE");
}

TEST(options, choose_checkpoints_and_restarts) {
  const auto none = command_line({}).parse().checkpoint;
  EXPECT_EQ(none.folder + none.restart, "");
  EXPECT_EQ(none.keep, 2);
  const auto all = command_line({"--checkpoint", "saved", "--checkpoint-every=10min", "--checkpoint-keep",
                                 "3", "--checkpoint-on", "USR2", "--restart=saved/000012"})
                       .parse()
                       .checkpoint;
  EXPECT_EQ(all.folder, "saved");
  EXPECT_EQ(all.every_time, std::chrono::minutes(10));
  EXPECT_EQ(all.keep, 3);
  EXPECT_EQ(all.signal, SIGUSR2);
  EXPECT_EQ(all.restart, "saved/000012");
  const auto automatic =
      command_line({"--checkpoint=d", "--checkpoint-every", "auto", "--mtbf=6h"}).parse().checkpoint;
  EXPECT_TRUE(automatic.every_auto);
  EXPECT_EQ(automatic.mtbf, std::chrono::hours(6));
  EXPECT_EQ(command_line({"--checkpoint=d", "--checkpoint-every", "50"}).parse().checkpoint.every_points, 50);
  for (const char* wrong : {"0", "-1", "0s", "often", ""})
    EXPECT_NE(refusal({"--checkpoint=d", "--checkpoint-every", wrong}).find("--checkpoint-every "),
              std::string::npos)
        << wrong;
  const auto refused = [](const imbrex::options& chosen) {
    return error_of<imbrex::usage_error>([&] { imbrex::detail::check_fields(chosen); });
  };
  EXPECT_EQ(refused(command_line({"--checkpoint-every", "5"}).parse()),
            "--checkpoint-every: the run has no folder for checkpoints; give --checkpoint DIR");
  EXPECT_EQ(refused(command_line({"--checkpoint-on", "USR1"}).parse()),
            "--checkpoint-on: the run has no folder for checkpoints; give --checkpoint DIR");
  EXPECT_NE(refusal({"--checkpoint-on", "KILL"}).find("--checkpoint-on "), std::string::npos);
  EXPECT_NE(refusal({"--checkpoint-keep", "0"}).find("from 1"), std::string::npos);
  EXPECT_EQ(command_line({"--fault", "pe 3 at 2s"}).parse().checkpoint.faults.listed.at(0).pe, 3);
  EXPECT_NE(refusal({"--fault", "pe 3"}).find("--fault pe 3: \"at\" is missing at the end"),
            std::string::npos);
  EXPECT_NE(refusal({"--mtbf", "0s"}).find("--mtbf "), std::string::npos);
  EXPECT_EQ(refusal({"--restart="}), "--restart: the folder is empty; write --restart DIR");
}

TEST(options, say_what_is_recorded) {
  const auto none = command_line({}).parse();
  EXPECT_EQ(none.trace, "");
  EXPECT_FALSE(none.trace_buffer.waits || none.trace_paused || none.reports.stats || none.reports.nvtx);
  const auto all = command_line({"--trace", "run.trace", "--trace-buffer=64kB", "--trace-full", "wait",
                                 "--trace-paused", "--stats", "--nvtx"})
                       .parse();
  EXPECT_EQ(all.trace, "run.trace");
  EXPECT_EQ(all.trace_buffer.bytes, 64'000U);
  EXPECT_TRUE(all.trace_buffer.waits && all.trace_paused && all.reports.stats && all.reports.nvtx);
  EXPECT_FALSE(command_line({"--trace-full", "wait", "--trace", "f", "--trace-full", "drop"})
                   .parse()
                   .trace_buffer.waits);
  for (const char* const size : {"64", "3999B", "101GB", "big", ""})
    EXPECT_NE(refusal({"--trace-buffer", size}).find("from 4kB to 100GB"), std::string::npos) << size;
  EXPECT_NE(refusal({"--trace="}).find("the file to write"), std::string::npos);
  EXPECT_NE(refusal({"--trace-full", "weit"}).find("did you mean --trace-full wait?"), std::string::npos);
  for (const char* const alone : {"--trace-full=drop", "--trace-buffer=8MB", "--trace-paused"})
    EXPECT_NE(refusal({alone, "--stats"}).find("recording, which needs --trace; add --trace FILE"),
              std::string::npos);
  EXPECT_NE(refusal({"--stats=1"}).find("takes no value"), std::string::npos);
}

TEST(options, stay_after_two_dashes) {
  command_line line{"--pes", "2", "--", "--pes", "3"};
  EXPECT_EQ(line.parse().pes, 2);
  EXPECT_EQ(line.rest(), "-- --pes 3");
}

TEST(options, count_last_when_repeated) {
  command_line line{"--pes=2", "--pes", "65536", "--bind=core", "--bind=none"};
  const auto chosen = line.parse();
  EXPECT_EQ(chosen.pes, imbrex::detail::max_pes);
  EXPECT_EQ(chosen.bind, imbrex::options::binding::none);
}

TEST(options, survive_an_empty_command_line) {
  int count = 0;
  char* terminator = nullptr;
  char** nothing = &terminator;
  EXPECT_EQ(imbrex::parse_options(count, nothing).pes, 0);
  EXPECT_EQ(count, 0);
}

TEST(options, refuse_numbers_of_pes_that_cannot_be) {
  EXPECT_EQ(refusal({"--pes", "0"}),
            "--pes 0: the number of PEs must be a whole number from 1 to 65536; leave --pes out for one per "
            "processor (" +
                std::to_string(imbrex::usable_processors()) + " here)");
  for (const char* value : {"x", "-3", "+3", "2x", "", " 2", "0x2", "1.5", "99999999999999999999", "65537"})
    EXPECT_TRUE(refusal({"a", "--pes", value}).starts_with("--pes " + std::string(value) + ": the number"))
        << value;
}

TEST(options, a_model_in_simulated_time_means_devices) {
  command_line line{"--machine", "simulated", "--no-data", "--device-model=h200"};
  const auto chosen = line.parse();
  EXPECT_EQ(line.rest(), "");
  EXPECT_EQ(chosen.machine, machine_kind::simulated);
  EXPECT_EQ(chosen.device, "emulated");
  EXPECT_FALSE(chosen.device_data);
  EXPECT_TRUE(refusal({"--no-data=yes"}).starts_with("--no-data=yes: --no-data takes no value"));
  command_line without_model{"--machine", "simulated"};
  EXPECT_EQ(without_model.parse().device, "");
  command_line in_real_time{"--device-model=h200"};
  EXPECT_EQ(in_real_time.parse().device, "");
}

TEST(options, say_how_work_is_spread_over_streams) {
  command_line line{"--streams", "five"};
  EXPECT_EQ(line.parse().streams, imbrex::stream_policy::five);
  EXPECT_EQ(refusal({"--streams=six"}), "--streams six: the value must be one of single, two, four, five");
}

TEST(options, say_how_device_memory_goes) {
  EXPECT_EQ(command_line({}).parse().gpu_path, imbrex::device_path::any);
  EXPECT_EQ(command_line({"--gpu-path", "shared"}).parse().gpu_path, imbrex::device_path::shared);
  EXPECT_EQ(command_line({"--gpu-path", "host"}).parse().source.device_words, "--gpu-path host");
  EXPECT_EQ(refusal({"--gpu-path=bus"}),
            "--gpu-path bus: the value must be one of any, host, peer, shared, network");
}

TEST(options, remember_what_only_devices_have_use_for) {
  EXPECT_EQ(command_line({"--device=emulated", "--devices", "2"}).parse().source.device_words, "");
  EXPECT_EQ(command_line({"--completion", "poll"}).parse().source.device_words, "--completion poll");
  EXPECT_EQ(command_line({"--streams", "five", "--device-map=none"}).parse().source.device_words,
            "--device-map none");
  EXPECT_EQ(command_line({"--completion-poll", "10"}).parse().source.device_words, "--completion-poll 10");
}

TEST(options, have_the_names_of_their_values) {
  EXPECT_EQ(imbrex::option_word(machine_kind::threads), "threads");
  EXPECT_EQ(imbrex::option_word(machine_kind::simulated), "simulated");
  EXPECT_EQ(imbrex::option_word(imbrex::completion_method::synchronous), "sync");
  EXPECT_EQ(imbrex::option_word(imbrex::completion_method::flag), "flag");
}

TEST(options, refuse_a_missing_value) {
  EXPECT_TRUE(refusal({"--pes"}).starts_with("--pes needs a value"));
  EXPECT_TRUE(refusal({"--machine", "--pes", "3"}).starts_with("--machine needs a value"));
  EXPECT_TRUE(refusal({"--seed", "--"}).starts_with("--seed needs a value"));
}

TEST(options, refuse_words_and_seeds_that_cannot_be) {
  EXPECT_EQ(refusal({"--bind", "sockets"}), "--bind sockets: the value must be one of none, core");
  EXPECT_EQ(
      refusal({"--machine=thread"}),
      "--machine thread: the value must be one of threads, deterministic, simulated; did you mean --machine "
      "threads?");
  EXPECT_EQ(refusal({"--machine", "virtual"}),
            "--machine virtual: that machine is called simulated; write --machine simulated");
  EXPECT_TRUE(
      refusal({"--shuffle", "often"}).starts_with("--shuffle often: the seed must be a whole number"));
  EXPECT_TRUE(refusal({"--seed=18446744073709551616"}).starts_with("--seed 18446744073709551616: the seed"));
  EXPECT_NE(refusal({"--placement", "boxes"}).find("bricks, blocks"), std::string::npos)
      << refusal({"--placement", "boxes"});
  EXPECT_TRUE(refusal({"--serialize-always=no"}).starts_with("--serialize-always=no: "));
}

TEST(options, nearly_spelled_are_refused_with_the_right_one) {
  EXPECT_EQ(refusal({"--pse", "4"}),
            "unknown option --pse; did you mean --pes? (An argument of the program's own goes after --.)");
  EXPECT_TRUE(refusal({"--pe=4"}).starts_with("unknown option --pe; did you mean --pes?"));
  EXPECT_TRUE(refusal({"-pes", "4"}).starts_with("unknown option -pes; did you mean --pes?"));
  EXPECT_TRUE(
      refusal({"--serialise-allways"}).starts_with("unknown option --serialise-allways; did you mean "));
  EXPECT_TRUE(
      refusal({"--mashin", "threads"}).starts_with("unknown option --mashin; did you mean --machine?"));
}

TEST(options, of_programs_are_none_of_the_runtimes_business) {
  EXPECT_EQ(refusal({"--eps", "1e-4", "--yes", "--grid", "8", "--size", "-3", "-", "", "--help", "pes",
                     "--iters=3"}),
            "accepted");
  EXPECT_EQ(refusal({"--", "--pse", "4"}), "accepted");
}

TEST(options, come_from_a_file_in_its_place) {
  const imbrex::test::temporary_file file("# tuned\n--odf 4\n--pes=2\n--name 'a b'\n");
  command_line line({"--odf", "1", "--pes", "1", "--options", file.name(), "--grid", "8"});
  EXPECT_EQ(line.parse().pes, 2);
  EXPECT_EQ(line.rest(), "--odf 1 --odf 4 --name a b --grid 8");
  command_line overruled({"--options=" + file.name(), "--pes", "3", "--", "--options", "x"});
  EXPECT_EQ(overruled.parse().pes, 3);
  EXPECT_EQ(overruled.rest(), "--odf 4 --name a b -- --options x");
  const imbrex::test::temporary_file more("--bind core");
  command_line both({"--options", file.name(), "--options", more.name()});
  EXPECT_EQ(both.parse().bind, imbrex::options::binding::core);
  EXPECT_EQ(both.rest(), "--odf 4 --name a b");
}

TEST(options, of_a_file_are_checked_as_others) {
  const imbrex::test::temporary_file wrong("--pes 0");
  EXPECT_TRUE(refusal({"--options", wrong.name()}).starts_with("--pes 0: "));
  const imbrex::test::temporary_file misspelled("--pse 4");
  command_line line({"--options", misspelled.name()});
  line.parse();
  EXPECT_THROW(line.refuse_near_misses(), imbrex::usage_error);
  EXPECT_TRUE(refusal({"--options"}).starts_with("--options needs a value"));
  EXPECT_TRUE(refusal({"--options", "/no/such/file"}).starts_with("--options /no/such/file cannot be read"));
}

TEST(options, of_a_file_may_say_how_many_processes_there_are) {
  const imbrex::test::temporary_file file("-n 4\n--pes 2\n");
  command_line line({"--options", file.name()});
  EXPECT_EQ(line.parse().source.processes, 4);
  EXPECT_EQ(line.rest(), "");
  command_line of_the_programs_own({"-n", "4"});
  EXPECT_EQ(of_the_programs_own.parse().source.processes, 0);
  EXPECT_EQ(of_the_programs_own.rest(), "-n 4");
}

TEST(options, come_from_the_environment_before_the_command_line) {
  setenv("IMBREX_OPTIONS", "--pes 2 --bind core", 1);
  command_line line({"--pes", "3", "in.txt"});
  const auto chosen = line.parse();
  EXPECT_EQ(chosen.pes, 3);
  EXPECT_EQ(chosen.bind, imbrex::options::binding::core);
  EXPECT_EQ(line.rest(), "in.txt");
  setenv("IMBREX_OPTIONS", "--pse 2", 1);
  EXPECT_EQ(refusal({}), "IMBREX_OPTIONS: there is no option --pse of the runtime; did you mean --pes?");
  unsetenv("IMBREX_OPTIONS");
}

TEST(options, come_from_the_environment_alone_with_those_of_others) {
  const std::vector<imbrex::option_words> others{{"--ranks", "N", ""}, {"--prefix", "", ""}};
  std::string taken;
  const auto parse = [&] {
    return imbrex::parse_environment(others, [&](std::size_t place, const imbrex::parsed_option& input) {
      taken += std::to_string(place) + std::string(input.value) + ";";
    });
  };
  EXPECT_EQ(parse().pes, 0);
  setenv("IMBREX_OPTIONS", "--ranks 4 --pes 2 --prefix --ranks=5", 1);
  EXPECT_EQ(parse().pes, 2);
  EXPECT_EQ(taken, "04;1;05;");
  EXPECT_EQ(std::getenv("IMBREX_OPTIONS"), nullptr);
  setenv("IMBREX_OPTIONS", "--rank 2", 1);
  EXPECT_EQ(error_of<imbrex::usage_error>([&] { parse(); }),
            "IMBREX_OPTIONS: there is no option --rank of the runtime; did you mean --ranks?");
  unsetenv("IMBREX_OPTIONS");
}

TEST(options, have_a_help_line_each) {
  const std::string help = imbrex::options_help();
  ASSERT_EQ(imbrex::option_names().size(), 45U);
  for (const auto name : imbrex::option_names())
    EXPECT_NE(help.find("\n  " + std::string(name) + " "), help.npos) << name;
}

TEST(options, balance_by_a_strategy_and_periods) {
  command_line line({"--balance", "segments", "--balance-every", "5", "--balance-report", "own"});
  const imbrex::options chosen = line.parse();
  EXPECT_EQ(chosen.balance.strategy, "segments");
  EXPECT_EQ(chosen.balance.every_points, 5U);
  EXPECT_TRUE(chosen.balance.report);
  EXPECT_EQ(line.rest(), "own");
  command_line timed({"--balance-every", "2s"});
  EXPECT_EQ(timed.parse().balance.every_time, std::chrono::seconds(2));
  for (const char* const period : {"0", "-1", "often", "0s"})
    EXPECT_NE(refusal({"--balance-every", period}).find("the period must be auto"), std::string::npos)
        << period;
  imbrex::options both;
  both.balance.every_points = 2;
  both.balance.every_time = std::chrono::seconds(1);
  EXPECT_NE(
      error_of<imbrex::usage_error>([&] { imbrex::detail::check_fields(both); }).find("every_points = 2"),
      std::string::npos);
}

}  // namespace
