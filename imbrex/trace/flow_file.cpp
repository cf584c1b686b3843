// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/read_file.hpp>
#include <imbrex/base/host/whole_file.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/trace/flow.hpp>
#include <imbrex/trace/internal/flow_format.hpp>

namespace imbrex::trace {
namespace {

using flow_format::flow_header;

constexpr std::size_t most_bytes = std::size_t{64} << 30U;

template <class T>
std::span<const std::byte> bytes_of(const T& all) {
  return std::as_bytes(std::span(all.data(), all.size()));
}

/// Takes arrays out of the bytes of a file.
class flow_reader {
 public:
  flow_reader(std::string_view text, const std::string& file) : file_(file), text_(text) {}

  flow read() {
    check_header();
    flow found;
    take(&found.facts, sizeof found.facts);
    take_array(found.machine);
    flow::for_each_array(found, [&](auto& all) { take_array(all); });
    if (at_ != text_.size()) refuse_damaged("it has bytes behind its last array");
    check(found);
    return found;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw usage_error(printable(file_) + " " + why); }
  [[noreturn]] void refuse_damaged(const std::string& why) const {
    refuse("is damaged: " + why + "; record the flow again");
  }

  void check_header() {
    flow_header header;
    const flow_header right;
    if (text_.size() >= sizeof header) std::memcpy(&header, text_.data(), sizeof header);
    if (text_.size() < sizeof header || header.magic != right.magic)
      refuse("is no flow; give a file that a program wrote with --record-flow");
    if (header.version != right.version)
      refuse("has version " + std::to_string(header.version) + ", not " + std::to_string(right.version) +
             ": it is of another Imbrex, or of a machine of the other byte order; record the flow again");
    const std::size_t content = text_.size() - sizeof header;
    if (header.bytes > content)
      refuse("is cut: it has " + std::to_string(content) + " bytes of " + std::to_string(header.bytes) +
             "; copy it again, or record the flow again");
    if (header.bytes < content) refuse_damaged("it is longer than it says");
    if (header.checksum != flow_format::flow_checksum({text_.data() + sizeof header, content}))
      refuse_damaged("its checksum is wrong");
    at_ = sizeof header;
  }

  void take(void* to, std::size_t bytes) {
    if (bytes > text_.size() - at_) refuse_damaged("an array ends behind the file");
    std::memcpy(to, text_.data() + at_, bytes);
    at_ += bytes;
  }
  template <class Array>
  void take_array(Array& all) {
    using element = typename Array::value_type;
    std::uint64_t count = 0;
    take(&count, sizeof count);
    if (count > (text_.size() - at_) / sizeof(element)) refuse_damaged("an array ends behind the file");
    all.resize(count);
    if (count != 0) take(all.data(), count * sizeof(element));
  }

  void require(bool is_right, const char* what) const {
    if (!is_right) refuse_damaged(std::string("it has a wrong ") + what);
  }
  /// Ranges that begin where those before them end, up to the size of what they are in; the last is a
  /// sentinel.
  template <class Array, class First>
  void check_ranges(const Array& all, First first, std::size_t size, const char* what) const {
    require(!all.empty() && first(all.front()) == 0 && first(all.back()) == size, what);
    require(std::ranges::is_sorted(all, {}, first), what);
  }

  void check(const flow& f) const {
    const auto in = [](std::uint32_t index, const auto& all) { return index < all.size(); };
    const std::size_t segments = f.segments.size() - 1;
    check_ranges(f.segments, [](const auto& s) { return s.first_action; }, f.actions.size(), "segment");
    check_ranges(f.operations, [](const auto& o) { return o.first_before; }, f.befores.size(), "operation");
    check_ranges(f.boxes, [](const auto& b) { return b.first_user; }, f.users.size(), "box");
    const std::size_t operations = f.operations.size() - 1;
    require(f.pes() != 0 && f.has_device.size() == f.pes(), "number of PEs");
    require(f.facts.devices >= 1 && f.facts.devices <= most_devices, "number of devices");
    for (const std::uint32_t device : f.device_of_pe) require(device < f.facts.devices, "device");
    require(in(f.facts.first_item, f.items), "first item");
    for (const auto& i : f.items) {
      require(i.segment < segments && i.cost <= flow::item_cost::channel, "item");
      require(i.priority >= -32 && i.priority < 32, "priority");
    }
    for (const auto& m : f.messages)
      require(
          m.bytes <= most_work && m.to < f.pes() && in(m.item, f.items) && m.cost <= flow::send_cost::channel,
          "message");
    for (const auto& s : f.shapes)
      require(s.bytes >= 0 && s.bytes <= most_amount && s.flops >= 0 && s.flops <= most_amount &&
                  s.time <= most_work && s.copied <= most_work && s.kind <= flow::operation_kind::peer &&
                  s.in_graph <= 1,
              "shape");
    for (std::size_t o = 0; o < operations; ++o) {
      const auto& one = f.operations[o];
      require(in(one.shape, f.shapes) && one.device < f.facts.devices && one.from < f.facts.devices &&
                  one.to < f.facts.devices,
              "operation");
    }
    for (const flow::before& b : f.befores) require(b.operation < operations, "predecessor");
    for (const auto& m : f.marks) require(m.operation == flow::none || m.operation < operations, "mark");
    for (const auto& c : f.completions)
      require((c.operation == flow::none || c.operation < operations) && in(c.item, f.items), "completion");
    for (const flow::user& u : f.users) require(u.segment < segments && u.source < segments, "user");
    check_actions(f);
    check_sums(f);
  }

  /// Times that are added up must stay numbers of 64 bits. A device is taken to do at least 10 GB/s and
  /// 1 Tflop/s.
  void check_sums(const flow& f) const {
    require(f.facts.net_latency <= most_work && f.facts.net_injection_gap <= most_work, "link");
    const auto link_time = static_cast<double>(f.facts.net_latency + f.facts.net_injection_gap);
    const double byte_time =
        f.facts.net_bandwidth == 0 ? 0.0 : 1e9 / static_cast<double>(f.facts.net_bandwidth);
    double all = 0;
    for (const auto& a : f.actions) all += static_cast<double>(a.value);
    for (const auto& m : f.messages) all += link_time + static_cast<double>(m.bytes) * (1 + byte_time);
    for (const auto& o : std::span(f.operations).first(f.operations.size() - 1)) {
      const flow::shape& s = f.shapes[o.shape];
      all += s.bytes * 0.1 + s.flops * 0.001 + static_cast<double>(s.time) + static_cast<double>(s.copied);
    }
    require(all <= most_amount, "sum of times");
  }

  /// Each thing happens at most once: each item is queued once, each message sent once.
  void check_actions(const flow& f) const {
    using enum flow::action_kind;
    std::vector<bool> items(f.items.size());
    std::vector<bool> messages(f.messages.size());
    std::vector<bool> operations(f.operations.size() - 1);
    std::vector<bool> completions(f.completions.size());
    const std::size_t segments = f.segments.size() - 1;
    const std::size_t boxes = f.boxes.size() - 1;
    const auto take = [&](std::vector<bool>& all, std::uint32_t which) {
      require(which < all.size() && !all[which], "action: it refers to nothing, or for the second time");
      all[which] = true;
    };
    take(items, f.facts.first_item);
    for (const auto& m : f.messages) take(items, m.item);
    for (const auto& c : f.completions) take(items, c.item);
    for (const auto& a : f.actions) {
      const bool is_graph = a.kind == call;
      require(a.value <= (is_graph ? most_calls : most_work), "action: its time is too long");
      switch (a.kind) {
        case work:
        case copy: continue;
        case call:
          require(a.detail <= most_call && a.what <= most_calls, "action: an unknown call");
          continue;
        case end: continue;
        case query: require(a.what < f.marks.size(), "action: it refers to no mark"); continue;
        case send: take(messages, a.what); continue;
        case push: take(items, a.what); continue;
        case submit: take(operations, a.what); continue;
        case await: take(completions, a.what); continue;
        case follow: require(a.what < segments, "action: it refers to no segment"); continue;
        case value: require(a.what < boxes, "action: it refers to no box"); continue;
      }
      refuse_damaged("it has an unknown action");
    }
  }

  static constexpr std::uint8_t most_call = 6;  // the last emulated::host_call
  static constexpr std::uint32_t most_calls = 1U << 20U;
  static constexpr std::uint32_t most_devices = 1U << 24U;
  static constexpr std::uint64_t most_work = std::uint64_t{1} << 50U;  // 13 days
  static constexpr double most_amount = 1e18;                          // 32 years in ns

  const std::string& file_;
  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::uint64_t flow_format::flow_checksum(std::string_view content) {
  return XXH3_64bits(content.data(), content.size());
}

void write_flow(const flow& what, const std::string& file) {
  whole_file out(file);
  flow_header header;
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  out.write(std::as_bytes(std::span(&header, 1)));
  const auto write = [&](std::span<const std::byte> bytes) {
    XXH3_64bits_update(&state, bytes.data(), bytes.size());
    header.bytes += bytes.size();
    out.write(bytes);
  };
  const auto write_array = [&](const auto& all) {
    const std::uint64_t count = all.size();
    write(std::as_bytes(std::span(&count, 1)));
    write(bytes_of(all));
  };
  write(std::as_bytes(std::span(&what.facts, 1)));
  write_array(what.machine);
  flow::for_each_array(what, write_array);
  header.checksum = XXH3_64bits_digest(&state);
  out.write_first(std::as_bytes(std::span(&header, 1)));
  out.put_in_place();
}

flow parse_flow(std::string_view content, const std::string& file) {
  return flow_reader(content, file).read();
}

flow read_flow(const std::string& file) {
  std::string content;
  try {
    content = read_file(file, most_bytes);
  } catch (const error& e) {
    throw usage_error(printable(file) + " cannot be read: " + e.what());
  }
  return parse_flow(content, file);
}

}  // namespace imbrex::trace
