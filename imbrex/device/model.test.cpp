// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/model.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view complete = R"(name = "mine"
[device]
memory = 1000
concurrent_kernels = 2
threads = 64
memory_bandwidth = "1GB/s"
flops = 1e9
kernel_start = "2us"
graph_kernel_start = "1us"
[copy]
engines_to_device = 1
engines_from_device = 2
to_device = "10GB/s"
from_device = "11GB/s"
latency = "1.5us"
[host]
launch = "1us"
call = "2us"
query = "3us"
synchronize = "4us"
graph_launch = "5us"
graph_operation = "6ns"
host_function = "7us"
copy_bandwidth = "8GB/s"
[message]
send = "1ns"
receive = "2ns"
callback = "3ns"
latency = "4ns"
bandwidth = "5GB/s"
)";

/// The additional tables of a file with links.
constexpr std::string_view links = R"([node]
devices = 6
sockets = 2
[link]
device = "44GB/s"
device_latency = "1us"
host = "45GB/s"
socket = "32GB/s"
socket_latency = "500ns"
card = "11GB/s"
card_device = "10GB/s"
card_latency = "1500ns"
eager = 4096
device_rendezvous = "8us"
card_rendezvous = "15us"
[step]
envelope = "1ns"
post = "2ns"
channel = "3ns"
notice = "4ns"
transfer = "5ns"
)";

/// The text with one line replaced; lines are numbered from 1.
std::string with_line(std::size_t number, std::string_view line) {
  std::istringstream in{std::string(complete)};
  std::string text;
  std::string one;
  for (std::size_t i = 1; std::getline(in, one); ++i) text += (i == number ? std::string(line) : one) + "\n";
  return text;
}

std::string refusal(std::string_view text) {
  return testing::error_of<usage_error>([&] { parse_device_model(text, "a.toml"); });
}

TEST(device_models, are_read) {
  const device_model m = parse_device_model(complete, "a.toml");
  EXPECT_EQ(m.name, "mine");
  EXPECT_EQ(m.device.memory, 1000U);
  EXPECT_EQ(m.device.flops, 1e9);
  EXPECT_EQ(m.copy.engines_from_device, 2);
  EXPECT_EQ(m.copy.latency, 1500ns);
  EXPECT_EQ(m.copy.from_device, 11'000'000'000U);
  EXPECT_EQ(m.host.graph_operation, 6ns);
  EXPECT_EQ(m.message.latency, 4ns);
  EXPECT_EQ(m.message.bandwidth, 5'000'000'000U);
}

TEST(device_models, may_say_how_much_is_pinned) {
  EXPECT_EQ(parse_device_model(complete, "a.toml").host.pinned, 0U);
  std::string text(complete);
  text.insert(text.find("[host]") + 7, "pinned = 5000\n");
  EXPECT_EQ(parse_device_model(text, "a.toml").host.pinned, 5000U);
}

TEST(device_models, may_have_links) {
  EXPECT_FALSE(parse_device_model(complete, "a.toml").has_links());
  const device_model m = parse_device_model(std::string(complete) + std::string(links), "a.toml");
  EXPECT_TRUE(m.has_links());
  EXPECT_EQ(m.node.devices, 6);
  EXPECT_EQ(m.node.sockets, 2);
  EXPECT_EQ(m.link.device, 44'000'000'000U);
  EXPECT_EQ(m.link.card_device, 10'000'000'000U);
  EXPECT_EQ(m.link.card_latency, 1500ns);
  EXPECT_EQ(m.link.eager, 4096U);
  EXPECT_EQ(m.link.card_rendezvous, 15us);
  EXPECT_EQ(m.step.envelope, 1ns);
  EXPECT_EQ(m.step.transfer, 5ns);
}

TEST(device_models, with_some_of_the_links_say_what_is_missing) {
  for (const std::string_view table : {"[node]", "[link]", "[step]"}) {
    const std::string some(links.substr(links.find(table)));
    const std::string text = std::string(complete) + some.substr(0, some.find("\n[", 1)) + "\n";
    EXPECT_NE(refusal(text).find("is missing; models/summit.toml has them all"), std::string::npos)
        << refusal(text);
  }
  std::string misspelled(links);
  misspelled.replace(misspelled.find("card_latency"), 12, "card_latenci");
  EXPECT_NE(refusal(std::string(complete) + misspelled).find("did you mean card_latency?"),
            std::string::npos);
  EXPECT_NE(refusal(std::string(complete) + "[lnik]\n").find("did you mean link?"), std::string::npos);
}

TEST(device_models, may_say_what_an_mpi_takes) {
  const std::string path = ::testing::TempDir() + "imbrex_device_model_of_mpi.toml";
  const std::string file = std::string(complete) + std::string(links);
  std::ofstream(path) << file << "[mpi]\nsend = \"11ns\"\nreceive = \"12ns\"\nstaged_from = 13\n"
                      << "staged = \"14MB/s\"\n";
  EXPECT_EQ(find_device_model(path).message.send, 1ns);
  EXPECT_EQ(find_device_model(path).link.staged, 0U);
  const device_model m = find_device_model(path + ":mpi");
  EXPECT_EQ(m.message.send, 11ns);
  EXPECT_EQ(m.message.receive, 12ns);
  EXPECT_EQ(m.step.channel, 11ns);
  EXPECT_EQ(m.step.envelope, 0ns);
  EXPECT_EQ(m.step.completion, 4ns);
  EXPECT_EQ(m.link.staged_from, 13U);
  EXPECT_EQ(m.link.staged, 14'000'000U);
  EXPECT_EQ(m.host.copy_bandwidth, 0U);  // no limit: no message is copied
  std::ofstream(path) << file;
  EXPECT_THROW(find_device_model(path + ":mpi"), usage_error);
  EXPECT_THROW(find_device_model("v100:mpi"), usage_error);
}

TEST(device_models, take_other_values_of_single_numbers) {
  const device_model summit = find_device_model("summit");
  const device_model m = find_device_model(
      "summit,link.card=23GB/"
      "s,host.launch=x0.5,device.flops=x2,node.devices=4,link.eager=x3,message.send=7us");
  EXPECT_EQ(m.link.card, 23'000'000'000U);
  EXPECT_EQ(m.host.launch, summit.host.launch / 2);
  EXPECT_DOUBLE_EQ(m.device.flops, 2 * summit.device.flops);
  EXPECT_EQ(m.node.devices, 4);
  EXPECT_EQ(m.link.eager, 3 * summit.link.eager);
  EXPECT_EQ(m.message.send, 7us);
  EXPECT_EQ(m.message.receive, summit.message.receive);
  EXPECT_EQ(find_device_model("summit:mpi,mpi.send=3us").message.send, 3us);
  const auto problem = [](const std::string& words) {
    return testing::error_of<usage_error>([&] { find_device_model(words); });
  };
  EXPECT_NE(problem("summit,link.crad=x2").find("did you mean link.card?"), std::string::npos)
      << problem("summit,link.crad=x2");
  EXPECT_NE(problem("summit,card").find("TABLE.KEY=VALUE"), std::string::npos);
  for (const char* const wrong : {"x0", "x-1", "x", "0B/s", "fast", "xinf", "5"})
    EXPECT_NE(problem(std::string("summit,link.card=") + wrong).find("link.card="), std::string::npos)
        << wrong;
}

TEST(device_models, may_say_what_steps_inside_a_device_take) {
  const std::string steps =
      "[resident]\nlook = \"1ns\"\ntake = \"2ns\"\nsend = \"3ns\"\nflight = \"4ns\"\nentry = \"5ns\"\n"
      "device_entry = \"6ns\"\ndevice_sync = \"7ns\"\n";
  const device_model m = parse_device_model(std::string(complete) + steps + "tell = \"8ns\"\n", "a.toml");
  EXPECT_EQ(m.resident.look, 1ns);
  EXPECT_EQ(m.resident.flight, 4ns);
  EXPECT_EQ(m.resident.device_entry, 6ns);
  EXPECT_EQ(m.resident.device_sync, 7ns);
  EXPECT_EQ(m.resident.tell, 8ns);
  EXPECT_NE(refusal(std::string(complete) + steps).find("[resident] tell is missing; models/summit.toml"),
            std::string::npos)
      << refusal(std::string(complete) + steps);
}

TEST(device_models, that_cannot_be_say_where_and_why) {
  struct wrong {
    std::string text;
    std::vector<std::string> parts;
  };
  const std::vector<wrong> all{
      {with_line(3, "memory = \"much\""), {"a.toml", "line 3", "[device] memory", "whole number"}},
      {with_line(3, "memory = 0"), {"line 3", "memory = 0", "whole number from 1"}},
      {with_line(4, "concurrent_kernels = 5_000_000_000"), {"line 4", "concurrent_kernels", "2147483647"}},
      {with_line(6, "memory_bandwidth = 5"), {"line 6", "memory_bandwidth = 5", "45GB/s"}},
      {with_line(6, "memory_bandwidth = \"0GB/s\""), {"line 6", "1B/s or more"}},
      {with_line(7, "flops = -1.5"), {"line 7", "flops", "1 or more"}},
      {with_line(7, "flops = 1e-300"), {"line 7", "flops", "1 or more"}},
      {with_line(7, "flops = nan"), {"line 7", "flops"}},
      {with_line(7, "flops = true"), {"line 7", "flops = true"}},
      {with_line(8, "kernel_start = \"2 s\""), {"line 8", "kernel_start", "2.5us"}},
      {with_line(8, "kernel_start = \"0us\""), {"line 8", "from 1ns to 60s"}},
      {with_line(8, "kernel_start = \"61s\""), {"line 8", "from 1ns to 60s"}},
      {with_line(8, "kernel_strat = \"2us\""),
       {"line 8", "[device] kernel_strat", "did you mean kernel_start?"}},
      {with_line(9, ""), {"line 2", "[device] graph_kernel_start is missing", "v100.toml"}},
      {with_line(1, ""), {"line 1", "name is missing"}},
      {with_line(1, "name = \"\""), {"line 1", "name in quotes"}},
      {with_line(10, "[copi]"), {"line 10", "copi", "did you mean copy?"}},
      {with_line(1, "name = \"mine\"\ncopy = 3\n#"), {"a.toml"}},
      {with_line(12, "engines = [1"), {"line 13", "no TOML"}},
      {with_line(2, "[device\xff]"), {"line 2", "not printable ASCII"}},
      {with_line(10, "[ = 1]"), {"line 10", "no TOML"}},
      {"", {"line 1", "missing"}},
  };
  for (const wrong& example : all) {
    const std::string error_text = refusal(example.text);
    for (const std::string& part : example.parts)
      EXPECT_NE(error_text.find(part), std::string::npos) << part << " in: " << error_text;
  }
}

TEST(device_models, of_imbrex_are_found_by_name) {
  const auto names = device_model_names();
  EXPECT_TRUE(std::ranges::count(names, "v100") == 1 && std::ranges::count(names, "h200") == 1);
  for (const std::string_view name : names) EXPECT_EQ(find_device_model(name).name, name);
  const device_model v100 = find_device_model("v100");
  const device_model h200 = find_device_model("h200");
  EXPECT_TRUE(find_device_model("summit").has_links());
  EXPECT_EQ(find_device_model("lassen").node.devices, 4);
  EXPECT_EQ(find_device_model("frontier").node.devices, 8);
  EXPECT_FALSE(v100.has_links());
  EXPECT_LT(v100.device.memory_bandwidth, h200.device.memory_bandwidth);
}

TEST(device_models, are_found_by_path) {
  const std::string path = ::testing::TempDir() + "imbrex_device_model.toml";
  std::ofstream(path) << complete;
  EXPECT_EQ(find_device_model(path).name, "mine");
  EXPECT_THROW(find_device_model(::testing::TempDir() + "there_is_no_such_model.toml"), usage_error);
  EXPECT_THROW(find_device_model(::testing::TempDir()), usage_error);
  EXPECT_THROW(find_device_model("/dev/zero"), usage_error);
}

TEST(device_models, tell_how_long_a_transfer_takes) {
  EXPECT_EQ(device_model::transfer_time(1'000'000, 1'000'000'000), 1ms);
  EXPECT_EQ(device_model::transfer_time(1'000'000, 0), 0ns);
  EXPECT_GT(device_model::transfer_time(SIZE_MAX, 1), 1h);
}

}  // namespace
}  // namespace imbrex
