// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/page/page.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include <imbrex/tools/trace/page/page_files.hpp>
#include <imbrex/tools/trace/report_json.hpp>
#include <imbrex/tools/trace/summary.hpp>

namespace imbrex::tools {

namespace {

using nlohmann::ordered_json;

/// Numbers in the byte order of browsers, little-endian.
template <class Number>
class packed {
 public:
  template <class From>
  void add(From number) {
    const auto fits = static_cast<Number>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(number), std::numeric_limits<Number>::max()));
    for (std::size_t k = 0; k < sizeof(Number); ++k)
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(fits) >> (8 * k) & 0xffU);
  }

  std::string base64() const {
    static constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes_.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes_.size(); at += 3) {
      std::uint32_t group = 0;
      const std::size_t have = std::min<std::size_t>(3, bytes_.size() - at);
      for (std::size_t k = 0; k < have; ++k)
        group |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[at + k])) << (16 - 8 * k);
      for (std::size_t k = 0; k < 4; ++k) text += k <= have ? digits[group >> (18 - 6 * k) & 63U] : '=';
    }
    return text;
  }

 private:
  std::string bytes_;
};
using bytes = packed<std::uint8_t>;
using shorts = packed<std::uint16_t>;
using words = packed<std::uint32_t>;

constexpr std::size_t most_kinds = 250;  // kinds of things in bins, which must fit in a byte
constexpr std::size_t most_entries = 8;  // entries shown separately in one bin

/// The entries shown separately in bins: those with the longest times. All others are merged.
struct entry_kinds {
  explicit entry_kinds(const std::vector<entry_report>& entries) : place(entries.size(), 0) {
    std::vector<std::uint32_t> order(entries.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(),
              [&](auto l, auto r) { return std::pair(entries[r].time, l) < std::pair(entries[l].time, r); });
    order.resize(std::min(order.size(), most_kinds - pe_states - 1));
    for (const auto entry : order) {
      place[entry] = static_cast<std::uint8_t>(pe_states + 1 + separate_entries.size());
      separate_entries.push_back(entry);
    }
  }
  // Numbers: states, then one for merged entries, then separate entries.
  std::uint8_t of(std::uint32_t what) const {
    if (what >= share_of(pe_state{}) && what < share_of(pe_state{}) + pe_states)
      return static_cast<std::uint8_t>(what - share_of(pe_state{}));
    if (what >= place.size() || place[what] == 0) return pe_states;
    return place[what];
  }

  std::vector<std::uint8_t> place;
  std::vector<std::uint32_t> separate_entries;
};

/// Keeps the longest times of a bin and adds the others to the first, the merged one.
void keep_longest(std::span<std::uint64_t> times) {
  std::vector<std::uint64_t> longest;
  for (const auto time : times.subspan(1))
    if (time > 0) longest.push_back(time);
  if (longest.size() <= most_entries) return;
  const auto least = longest.begin() + most_entries - 1;
  std::nth_element(longest.begin(), least, longest.end(), std::greater<>{});
  for (auto& time : times.subspan(1)) {
    if (time >= *least) continue;
    times[0] += time;
    time = 0;
  }
}

/// For each bin the number of its shares; then for each share its kind and its 255ths of the bin.
ordered_json bins_json(const timeline::row& row, const bin_scale& scale, const entry_kinds& kinds) {
  bytes counts;
  bytes shares;
  for (const auto& bin : row.shares.bins()) {
    std::array<std::uint64_t, 256> times{};
    for (const share& one : bin)
      times[row.is_pe ? kinds.of(one.what) : std::min<std::uint32_t>(one.what, 5)] += one.time;
    if (row.is_pe) keep_longest(std::span(times).subspan(pe_states));
    unsigned count = 0;
    for (std::size_t k = 0; k < times.size(); ++k) {
      const auto part = static_cast<std::uint64_t>(
          std::llround(255.0 * static_cast<double>(times[k]) / static_cast<double>(scale.width)));
      if (part == 0) continue;
      ++count;
      shares.add(k);
      shares.add(part);
    }
    counts.add(count);
  }
  return {{"counts", counts.base64()}, {"shares", shares.base64()}};
}

ordered_json link_json(const timeline::link& link, const bin_scale& scale) {
  const auto loads = link.in_flight.loads(scale);
  double most = 0;
  double most_bytes = 0;
  for (const auto& load : loads) {
    most = std::max(most, load.count / static_cast<double>(scale.width));
    most_bytes = std::max(most_bytes, load.amount / static_cast<double>(scale.width));
  }
  bytes counts;
  bytes amounts;
  const auto scaled = [&](double of, double all) {
    return all == 0 ? 0 : std::ceil(255 * std::max(of, 0.0) / static_cast<double>(scale.width) / all - 1e-6);
  };
  for (const auto& load : loads) {
    counts.add(scaled(load.count, most));
    amounts.add(scaled(load.amount, most_bytes));
  }
  return {{"from", link.from},
          {"to", link.to},
          {"messages", link.messages},
          {"bytes", link.bytes},
          {"most", most},
          {"most_bytes", most_bytes},
          {"count", counts.base64()},
          {"amount", amounts.base64()}};
}

ordered_json slices_json(const timeline& of, std::uint64_t unit) {
  words begin;
  words length;
  shorts row;
  shorts entry;
  words chare;
  bytes depth;
  for (const auto& s : of.slices()) {
    begin.add(s.one.time.begin / unit);
    length.add((s.one.time.end - s.one.time.begin) / unit);
    row.add(s.row);
    entry.add(s.one.entry);
    chare.add(s.chare);
    depth.add(s.one.depth);
  }
  return {{"begin", begin.base64()}, {"length", length.base64()}, {"row", row.base64()},
          {"entry", entry.base64()}, {"chare", chare.base64()},   {"depth", depth.base64()}};
}

ordered_json messages_json(const timeline& of, std::uint64_t unit) {
  words sent;
  words ready;
  words begun;
  words size;
  shorts from;
  shorts to;
  for (const auto& m : of.messages()) {
    sent.add(m.times.sent / unit);
    ready.add(m.times.ready / unit);
    begun.add(m.times.begun / unit);
    size.add(m.bytes);
    from.add(m.from);
    to.add(m.to);
  }
  return {{"sent", sent.base64()},  {"ready", ready.base64()}, {"begun", begun.base64()},
          {"bytes", size.base64()}, {"from", from.base64()},   {"to", to.base64()}};
}

ordered_json operations_json(const timeline& of, std::uint64_t unit) {
  words begin;
  words length;
  words size;
  shorts stream;
  shorts name;
  bytes kind;
  for (const auto& o : of.operations()) {
    begin.add(o.time.begin / unit);
    length.add((o.time.end - o.time.begin) / unit);
    size.add(o.bytes);
    stream.add(o.stream);
    name.add(o.name);
    kind.add(o.kind);
  }
  return {{"begin", begin.base64()},   {"length", length.base64()}, {"bytes", size.base64()},
          {"stream", stream.base64()}, {"name", name.base64()},     {"kind", kind.base64()}};
}

std::string dumped(const ordered_json& document) {
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// Escapes JSON so that it cannot end the HTML element around it: '<' occurs only in its strings.
std::string within_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

/// Replaces the only `marker` by `text`.
void put(std::string& page, std::string_view marker, std::string_view text) {
  page.replace(page.find(marker), marker.size(), text);
}

}  // namespace

std::string timeline_json(const timeline& of, const run_report& run) {
  const entry_kinds kinds(run.entries);
  // Detailed times have 32 bits: the unit is 1 ns in runs of up to four seconds.
  const std::uint64_t unit = (run.length >> 32U) + 1;
  ordered_json document{{"length", run.length},
                        {"bin", of.scale().width},
                        {"unit", unit},
                        {"entries_in_bins", kinds.separate_entries},
                        {"details", {of.details().begin, std::min(of.details().end, run.length)}},
                        {"cut", of.cut()}};
  for (const char* const list : {"rows", "links", "streams", "marked"})
    document[list] = ordered_json::array();
  for (const auto& row : of.rows()) {
    ordered_json one{{"kind", row.is_pe       ? "pe"
                              : row.is_device ? "device"
                                              : "other"},
                     {"process", row.process},
                     {"number", row.number}};
    if (row.is_pe || row.is_device) one.update(bins_json(row, of.scale(), kinds));
    document["rows"].push_back(std::move(one));
  }
  for (const auto& link : of.links()) document["links"].push_back(link_json(link, of.scale()));
  for (const auto& stream : of.streams())
    document["streams"].push_back({{"row", stream.row}, {"owner", stream.owner}});
  for (const auto& mark : of.marked())
    document["marked"].push_back(
        {mark.time.begin / unit, mark.time.end / unit, mark.row, mark.name, mark.number, mark.phase});
  document["names"] = of.marks();
  document["chares"] = of.chares();
  document["slices"] = slices_json(of, unit);
  document["messages"] = messages_json(of, unit);
  document["operations"] = operations_json(of, unit);
  return dumped(document);
}

std::string report_page(std::span<const run_report> runs,
                        std::span<const std::unique_ptr<timeline>> timelines) {
  ordered_json figures = ordered_json::array();
  for (const figure& one : summary(runs.front())) {
    static constexpr std::array kinds{"time", "bytes", "count", "part"};
    figures.push_back(
        {{"key", one.key}, {"name", one.name}, {"kind", kinds[static_cast<std::size_t>(one.kind)]}});
  }
  std::string data =
      "{\"report\":" + report_json(runs) + ",\"figures\":" + dumped(figures) + ",\"timelines\":[";
  for (std::size_t k = 0; k < runs.size(); ++k)
    data += (k == 0 ? "" : ",") + timeline_json(*timelines[k], runs[k]);
  data += "]}";
  std::string page(page_files::html);
  put(page, "%STYLE%", page_files::style);
  std::string script;
  for (const std::string_view part : page_files::scripts) script += part;
  put(page, "%SCRIPT%", script);
  // The data come last, since names in them may contain any marker.
  put(page, "%DATA%", within_script(data));
  return page;
}

}  // namespace imbrex::tools
