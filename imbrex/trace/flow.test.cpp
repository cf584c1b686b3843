// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/flow.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/read_file.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/trace/internal/flow_format.hpp>

namespace imbrex::trace {
namespace {

using kind = flow::action_kind;

/// PE 0 submits a kernel and sends a message; PE 1 ends the run when it has arrived.
flow small_flow() {
  flow f;
  f.facts = {.time = 7, .devices = 2};
  f.machine = "summit";
  f.device_of_pe = {0, 1};
  f.has_device = {1, 1};
  f.segments = {{0, 1}, {4, 1}, {5, 1}, {6, 2}, {7, 0}};
  f.actions = {{5, 0, kind::work},   {0, 0, kind::submit}, {0, 0, kind::await}, {0, 0, kind::send},
               {0, 3, kind::follow}, {0, 0, kind::value},  {0, 0, kind::end}};
  f.items = {{0}, {1, flow::item_cost::receive}, {2, flow::item_cost::completion, -1}};
  f.messages = {{8, 1, 1}};
  f.shapes = {{.bytes = 100, .kind = flow::operation_kind::kernel}};
  f.operations = {{0, 1, 0, 0, 0}, {0, 0, 0, 0, 0}};
  f.completions = {{0, 2, 5}};
  f.boxes = {{0}, {1}};
  f.users = {{3, 1}};
  return f;
}

std::string content_of(const flow& f) {
  const test::temporary_file file("");
  write_flow(f, file.name());
  return read_file(file.name(), 1 << 20);
}

/// The error for a file with this content; its checksum is made right.
std::string complaint(std::string content) {
  flow_format::flow_header header;
  if (content.size() >= sizeof header) {
    std::memcpy(&header, content.data(), sizeof header);
    header.checksum = flow_format::flow_checksum(std::string_view(content).substr(sizeof header));
    std::memcpy(content.data(), &header, sizeof header);
  }
  try {
    static_cast<void>(parse_flow(content, "a.flow"));
  } catch (const usage_error& e) {
    return e.what();
  }
  return "";
}

TEST(flow, comes_back_from_its_file) {
  const test::temporary_file file("");
  write_flow(small_flow(), file.name());
  const flow read = read_flow(file.name());
  EXPECT_EQ(read.facts.time, 7U);
  EXPECT_EQ(read.machine, "summit");
  EXPECT_EQ(read.pes(), 2U);
  EXPECT_EQ(read.items.at(2).priority, -1);
  EXPECT_EQ(read.messages.at(0).bytes, 8U);
  EXPECT_EQ(read.shapes.at(0).bytes, 100);
  EXPECT_EQ(content_of(read), content_of(small_flow()));
}

TEST(flow, of_cut_and_foreign_files_is_refused) {
  const std::string whole = content_of(small_flow());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string text = complaint(whole.substr(0, size));
    EXPECT_NE(text.find(size < sizeof(flow_format::flow_header) ? "is no flow" : "is cut"), std::string::npos)
        << text;
  }
  EXPECT_NE(complaint(whole + "x").find("longer"), std::string::npos);
  std::string other = whole;
  other[8] = 2;
  EXPECT_NE(complaint(other).find("has version 2, not 1"), std::string::npos);
  std::string damaged = whole;
  damaged.back() ^= 1;
  try {
    static_cast<void>(parse_flow(damaged, "a.flow"));
    FAIL() << "a changed byte was not found";
  } catch (const usage_error& e) {
    EXPECT_EQ(std::string(e.what()), "a.flow is damaged: its checksum is wrong; record the flow again");
  }
  EXPECT_THROW(static_cast<void>(read_flow("/no/such/flow")), usage_error);
}

TEST(flow, with_wrong_indices_is_refused) {
  const std::vector<std::pair<std::function<void(flow&)>, std::string>> wrong{
      {[](flow& f) { f.items[1].segment = 4; }, "item"},
      {[](flow& f) { f.messages[0].to = 2; }, "message"},
      {[](flow& f) { f.messages[0].item = 0; }, "second time"},
      {[](flow& f) { f.actions[1].what = 1; }, "refers to nothing"},
      {[](flow& f) { f.actions[1] = f.actions[3]; }, "second time"},
      {[](flow& f) { f.actions[4].what = 4; }, "no segment"},
      {[](flow& f) { f.actions[5].what = 1; }, "no box"},
      {[](flow& f) { f.actions[0].value = ~std::uint64_t{0}; }, "too long"},
      {[](flow& f) { f.actions[0].kind = static_cast<kind>(77); }, "unknown action"},
      {[](flow& f) { f.device_of_pe[1] = 2; }, "device"},
      {[](flow& f) { f.has_device.pop_back(); }, "PEs"},
      {[](flow& f) { f.users[0].segment = 9; }, "user"},
      {[](flow& f) { f.boxes[0].first_user = 1; }, "box"},
      {[](flow& f) { f.segments[1].first_action = 6; }, "segment"},
      {[](flow& f) { f.operations[0].device = 2; }, "operation"},
      {[](flow& f) { f.shapes[0].bytes = -1; }, "shape"},
      {[](flow& f) { f.shapes[0].flops = std::numeric_limits<double>::infinity(); }, "shape"},
      {[](flow& f) { f.facts.net_latency = ~std::uint64_t{0}; }, "link"},
      {[](flow& f) {
         f.facts.net_bandwidth = 1;
         f.messages[0].bytes = std::uint64_t{1} << 50U;
       },
       "sum of times"},
      {[](flow& f) { f.completions[0].operation = 1; }, "completion"},
      {[](flow& f) { f.facts.first_item = 5; }, "first item"}};
  for (const auto& [change, part] : wrong) {
    flow f = small_flow();
    change(f);
    const std::string text = complaint(content_of(f));
    EXPECT_NE(text.find("a.flow is damaged"), std::string::npos) << part;
    EXPECT_NE(text.find(part), std::string::npos) << part << ": " << text;
  }
}

}  // namespace
}  // namespace imbrex::trace
