// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/calibrate/calibrate.hpp>
#include <imbrex/tools/calibrate/measurement.hpp>

namespace imbrex::calibrate {
namespace {

using testing::error_of;
using words = std::vector<std::string>;

/// The machine that a calibration of a simulated one finds.
device_model calibrated(const words& line) {
  const auto request = std::get<settings>(parse_command(line));
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(calibrate(request), 0);
  const std::string text = ::testing::internal::GetCapturedStdout();
  SCOPED_TRACE(text);
  return parse_device_model(text, "here.toml");
}

void expect_near(double value, double expected, const char* what) {
  EXPECT_NEAR(value / expected, 1, 0.03) << what << ": " << value << ", not " << expected;
}

TEST(calibration, of_a_simulated_machine_finds_its_numbers) {
  const device_model found = calibrated(
      {"--base", "h200", "--rounds", "3", "--", "--machine", "simulated", "--device-model", "v100"});
  const device_model real = find_device_model("v100");
  const auto of = [](nanoseconds time) { return static_cast<double>(time.count()); };
  expect_near(of(found.message.send), of(real.message.send), "message.send");
  expect_near(of(found.message.receive), of(real.message.receive), "message.receive");
  expect_near(of(found.message.latency), of(real.message.latency), "message.latency");
  expect_near(static_cast<double>(found.message.bandwidth), static_cast<double>(real.message.bandwidth),
              "message.bandwidth");
  expect_near(of(found.host.launch), of(real.host.launch), "host.launch");
  expect_near(of(found.host.call), of(real.host.call), "host.call");
  expect_near(of(found.host.query), of(real.host.query), "host.query");
  expect_near(static_cast<double>(found.host.copy_bandwidth), static_cast<double>(real.host.copy_bandwidth),
              "host.copy_bandwidth");
  expect_near(static_cast<double>(found.copy.to_device), static_cast<double>(real.copy.to_device),
              "copy.to_device");
  expect_near(static_cast<double>(found.copy.from_device), static_cast<double>(real.copy.from_device),
              "copy.from_device");
  expect_near(static_cast<double>(found.device.memory_bandwidth),
              static_cast<double>(real.device.memory_bandwidth), "device.memory_bandwidth");
  EXPECT_EQ(found.device.flops, find_device_model("h200").device.flops);
}

TEST(calibration, writes_error_bars_and_reasons) {
  measurement of;
  of.where = "a host";
  of.numbers["message.send"] = {412.4, 15};
  of.numbers["message.bandwidth"] = {12'345'678'901.0, 0};
  of.reasons["host.launch"] = "there is no device";
  const std::string text = machine_text(device_model_text("v100"), "v100", of, "here");
  EXPECT_NE(text.find("# Measured: 412ns +- 15ns.\nsend = \"412ns\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("bandwidth = \"12300MB/s\""), std::string::npos) << text;
  EXPECT_NE(text.find("# Not measured: there is no device.\nlaunch = "), std::string::npos) << text;
  EXPECT_EQ(parse_device_model(text, "a.toml").message.send.count(), 412);
  EXPECT_EQ(parse_device_model(text, "a.toml").name, "here");
  const measured_number five = summary_of({5, 1, 3, 2, 100});
  EXPECT_EQ(five.value, 3);
  EXPECT_EQ(five.spread, 1.5);
}

TEST(calibration, refuses_impossible_values) {
  const auto complaint = [](const words& line) {
    return error_of<usage_error>([&] { parse_command(line); });
  };
  EXPECT_NE(complaint({"--rounds", "2"}).find("from 3"), std::string::npos);
  EXPECT_NE(complaint({"--base", "v1oo"}).find("v1oo"), std::string::npos);
  EXPECT_NE(complaint({"--name", "a\"b"}).find("quotes"), std::string::npos);
  const auto of_run = [](const words& line) {
    return error_of<usage_error>([&] { calibrate(std::get<settings>(parse_command(line))); });
  };
  EXPECT_NE(of_run({"--", "--iters", "3"}).find("--iters"), std::string::npos);
}

}  // namespace
}  // namespace imbrex::calibrate
