// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/process_report.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/sched/completion_source.hpp>

namespace imbrex::detail {

namespace {

constexpr std::size_t most_lines = known_waits::most_lines;
/// Kinds of queued items that the line of a PE names.
constexpr std::size_t most_kinds = 3;

std::string duration_of_busy(std::chrono::milliseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", static_cast<double>(time.count()) / 1000);
  return text.data();
}

/// The first lines, and the number of those left out.
class short_list {
 public:
  template <class Line>
  void add(const Line& line) {
    if (lines_ == most_lines) return void(++others_);
    ++lines_;
    text_ += "\n  " + line();
  }
  void add_more(std::size_t count) { others_ += count; }
  std::string text() const {
    return others_ > 0 ? text_ + "\n  and " + std::to_string(others_) + " more" : text_;
  }

 private:
  std::string text_;
  std::size_t lines_ = 0;
  std::size_t others_ = 0;
};

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", byte);
      result += escaped.data();
    } else {
      result += c;
    }
  }
  return result + "\"";
}

template <class List, class Text>
std::string json_list(const List& list, const Text& text) {
  std::string result = "[";
  for (const auto& one : list) result += (result.size() == 1 ? "" : ", ") + text(one);
  return result + "]";
}

std::string json_of(const wait& w) {
  return "{\"who\": " + json_string(w.who) + ", \"what\": " + json_string(w.what) +
         ", \"place\": " + json_string(w.place) + "}";
}

std::string json_of(const pe_report& r) {
  std::string text = "{\"pe\": " + std::to_string(r.pe) + ", \"answers\": " + (r.answers ? "true" : "false") +
                     ", \"sleeps\": " + (r.sleeps ? "true" : "false") + ", \"runs\": " + json_string(r.runs);
  if (!r.answers) return text + ", \"busy_ms\": " + std::to_string(r.busy.count()) + "}";
  const auto count = [](const pe_report::kind_count& k) {
    return "{\"name\": " + json_string(k.name) + ", \"count\": " + std::to_string(k.count) + "}";
  };
  const auto heavy = [](const pe_report::heavy_chare& c) {
    return "{\"name\": " + json_string(c.name) + ", \"share\": " + std::to_string(c.share) + "}";
  };
  return text + ", \"queued\": " + std::to_string(r.queued) + ", \"queue\": " + json_list(r.queue, count) +
         ", \"chares\": " + std::to_string(r.chares) + ", \"heaviest\": " + json_list(r.heaviest, heavy) +
         ", \"device_operations\": " + std::to_string(r.device_operations) +
         ", \"waits\": " + json_list(r.waits, [](const wait& w) { return json_of(w); }) +
         ", \"more_waits\": " + std::to_string(r.more_waits) +
         ", \"thrown\": " + json_list(r.thrown, &json_string) + "}";
}

void add_heaviest(const processor& pe, std::vector<pe_report::heavy_chare>& heaviest) {
  constexpr std::ptrdiff_t most = 5;
  std::vector<const chare_header*> all;
  std::uint64_t sum = 0;
  for_each_array(pe, [&](const local_array& part) {
    for (const chare_header* const e : part.locals()) {
      if (e->load.now > 0) all.push_back(e);
      sum += e->load.now;
    }
  });
  const auto shown = all.begin() + std::min(most, std::ssize(all));
  std::ranges::partial_sort(all, shown, std::ranges::greater(), [](const auto* e) { return e->load.now; });
  for (auto e = all.begin(); e != shown; ++e)
    heaviest.push_back(
        {(*e)->home->element_name(**e), static_cast<double>((*e)->load.now) / static_cast<double>(sum)});
}

}  // namespace

std::string shown_name_of(const work_type& type) {
  const message_type* const kind = message_table::find(&type);
  return kind != nullptr && kind->chare_name.empty() ? kind->shown_name() : type.name;
}

void ask(processor& pe, pe_report& report) {
  report.answers = true;
  std::map<const work_type*, std::size_t> kinds;
  queue_of(pe).for_each([&](const work& item) {
    ++report.queued;
    ++kinds[item.type];
  });
  std::map<std::string, std::size_t> names;  // an entry has one kind for messages, and one for short messages
  for (const auto& [type, count] : kinds) names[shown_name_of(*type)] += count;
  for (const auto& [name, count] : names) report.queue.push_back({name, count});
  std::ranges::sort(report.queue, [](const auto& a, const auto& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  for_each_array(pe, [&](const local_array& part) { report.chares += part.locals().size(); });
  if (pe.loads() != nullptr) add_heaviest(pe, report.heaviest);
  if (pe.completions() != nullptr) report.device_operations = pe.completions()->pending();
  report.thrown = held_exceptions_of(pe);
  const std::size_t count =
      tell_waits_of(pe, most_lines, [&](wait&& w) { report.waits.push_back(std::move(w)); });
  report.more_waits = count - report.waits.size();
}

std::string pe_report::text() const {
  std::string line = "PE " + std::to_string(pe);
  if (!answers)
    return line + (runs.empty() ? " has been busy" : " has run " + runs) + " for at least " +
           duration_of_busy(busy) + ", and cannot tell who waits there";
  line += sleeps ? " sleeps" : runs.empty() ? " looks for work" : " runs " + runs;
  line += "; it has " + std::to_string(chares) + (chares == 1 ? " chare and " : " chares and ");
  line += queued == 0 ? "an empty queue" : std::to_string(queued) + " queued: ";
  for (std::size_t i = 0; i < queue.size() && i < most_kinds; ++i)
    line += (i == 0 ? "" : ", ") + std::to_string(queue[i].count) + " " + queue[i].name;
  if (queue.size() > most_kinds) line += ", and others";
  if (device_operations > 0)
    line += "; " + std::to_string(device_operations) + " operations of its device are under way";
  return line;
}

std::string process_report::text() const {
  std::string text = "report of process " + std::to_string(process) + " of " + std::to_string(processes) +
                     " (pid " + std::to_string(pid) + ")";
  if (has_ended)
    return text + ": the run has ended here" + (processes > 1 ? ", and waits for the other processes" : "");
  short_list activities;
  short_list waits;
  short_list thrown;
  for (const pe_report& r : pes) {
    activities.add([&] { return r.text(); });
    for (const wait& w : r.waits) waits.add([&] { return w.text(); });
    waits.add_more(r.more_waits);
    for (const std::string& t : r.thrown) thrown.add([&] { return t; });
  }
  text += ":" + activities.text();
  if (!thrown.text().empty()) text += "\nExceptions that wait for other replies:" + thrown.text();
  text += waits.text().empty() ? "\nNo entry waits" : "\nWaiting:" + waits.text();
  short_list more;
  for (const std::string& line : others) more.add([&] { return line; });
  if (!others.empty()) text += "\nInside GPUs:" + more.text();
  return text;
}

std::string process_report::json() const {
  return "{\"process\": " + std::to_string(process) + ", \"processes\": " + std::to_string(processes) +
         ", \"pid\": " + std::to_string(pid) + ", \"ended\": " + (has_ended ? "true" : "false") +
         ", \"pes\": " + json_list(pes, [](const pe_report& r) { return json_of(r); }) +
         ", \"others\": " + json_list(others, &json_string) + "}";
}

}  // namespace imbrex::detail
