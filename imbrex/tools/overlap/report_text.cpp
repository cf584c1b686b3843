// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <imbrex/tools/overlap/report.hpp>

namespace imbrex::overlap {
namespace {

/// A table with columns as wide as their widest cell; words are left-aligned, numbers right-aligned.
class table {
 public:
  table(std::string title, std::vector<std::string> words, const std::vector<std::string>& numbers)
      : title_(std::move(title)), words_(words.size()) {
    words.insert(words.end(), numbers.begin(), numbers.end());
    rows_.push_back(std::move(words));
  }

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string all = title_ + "\n\n";
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i)
        line += i < words_ ? fmt::format("  {:<{}}", row[i], widths[i])
                           : fmt::format("  {:>{}}", row[i], widths[i]);
      all += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return all + "\n";
  }

 private:
  std::string title_;
  std::size_t words_;
  std::vector<std::vector<std::string>> rows_;
};

std::string cell(double number) { return fmt::format("{:.5g}", number); }
std::string cell(microseconds time) { return cell(time.count()); }
/// A normalised value with one digit more than the paper's.
std::string ratio(double number) {
  return number < 1000 ? fmt::format("{:.3f}", number) : fmt::format("{:.4g}", number);
}

std::string networks_text(const survey& over) {
  std::string latencies;
  for (const microseconds one : over.latencies) latencies += (latencies.empty() ? "" : ", ") + cell(one);
  return fmt::format(
      "Latencies of {} us, bandwidths of {:.10g} to {:.10g} MB/s; messages leave {} us apart.\n"
      "The testbed has {} us and {:.10g} MB/s.\n\n",
      latencies, over.bandwidths.front(), over.best_bandwidth(), cell(over.testbed.gap),
      cell(over.testbed.latency), over.testbed.bandwidth);
}

std::string independent_text(std::span<const application> of) {
  table result("Independent work by technique, us (table 3)", {"application", "datum"},
               {"T_AP", "T_AC", "loop distribution", "produce indexing", "consume indexing", "rearranged",
                "local part", "total"});
  for (const application& program : of)
    for (const datum& one : program.data) {
      const independent_work work = independent(one);
      result.add({program.name, one.name, cell(work.additional_produce), cell(work.additional_consume),
                  cell(work.loop_distribution), cell(work.produce_loop_indexing),
                  cell(work.consume_loop_indexing), cell(work.rearranged_subroutines), cell(work.local_part),
                  cell(work.total())});
    }
  return result.text();
}

std::string elements_text(std::span<const application> of, const survey& over) {
  table result("Time that could hide the transfer of elements, us (sections 3.2 and 3.3, figure 7)",
               {"application", "datum", "element"},
               {"while producing", "between", "while consuming", "t(i)"});
  for (const application& program : of)
    for (const datum& one : program.data) {
      const bool pipelined = one.kind == execution::pipelined;
      const bool in_pace = pipelined && keeps_pace(one, over.testbed.gap);
      for (const std::uint64_t i : some_elements(one, 3)) {
        const auto part = [&](transfer when) { return pipelined ? "-" : cell(usable(one, i, when)); };
        result.add({program.name, one.name, std::to_string(i), part(transfer::while_producing),
                    part(transfer::between), part(transfer::while_consuming),
                    cell(available(one, i, in_pace))});
      }
    }
  return result.text();
}

std::string what_counts(const datum& of, const survey& over) {
  if (of.kind == execution::concurrent) return of.dependent_work ? "dependent work" : "independent work";
  if (keeps_pace(of, over.testbed.gap)) return "pipelined, all but the first word";
  return pace(of, over.testbed.gap) < 1 ? "pipelined, out of pace" : "pipelined, in reverse";
}

std::string testbed_text(std::span<const application> of, const survey& over) {
  table result("On the testbed", {"application", "datum", "what counts"},
               {"T_C/max(T_P,g)", "least t(i), us", "most t(i), us", "T_overlap, us", "T_comm, us",
                "normalised overlap"});
  for (const application& program : of)
    for (const datum& one : program.data) {
      const range times = available_range(one, over.testbed);
      result.add({program.name, one.name, what_counts(one, over), cell(pace(one, over.testbed.gap)),
                  cell(times.least), cell(times.most), cell(potential(one, over.testbed)),
                  cell(transfer_time(one, over.testbed)), ratio(normalised_overlap(one, over.testbed))});
    }
  return result.text();
}

std::vector<std::string> bandwidth_headings(const survey& over) {
  std::vector<std::string> all;
  for (const double one : over.bandwidths) all.push_back(fmt::format("{:.10g} MB/s", one));
  return all;
}

std::string overlap_text(std::span<const application> of, const survey& over) {
  table result("Normalised overlap of the datum that has the least, but some (figure 6)",
               {"application", "latency, us", "datum"}, bandwidth_headings(over));
  for (const application& program : of)
    for (const microseconds latency : over.latencies) {
      const datum* const at_best = hardest(program, over.at(latency, over.best_bandwidth()));
      std::vector<std::string> row{program.name, cell(latency), at_best == nullptr ? "none" : at_best->name};
      for (const double bandwidth : over.bandwidths) {
        const network here = over.at(latency, bandwidth);
        const datum* const worst = hardest(program, here);
        row.push_back(ratio(worst == nullptr ? 0 : normalised_overlap(*worst, here)));
      }
      result.add(std::move(row));
    }
  return result.text();
}

std::string times_text(std::span<const application> of, const survey& over) {
  table result(
      fmt::format("Normalised execution time at a latency of {} us (figure 8)", cell(over.testbed.latency)),
      {"application", "overlap"}, bandwidth_headings(over));
  for (const application& program : of)
    for (const bool overlapped : {false, true}) {
      std::vector<std::string> row{program.name, overlapped ? "with" : "without"};
      for (const double bandwidth : over.bandwidths) {
        const network here = over.at(over.testbed.latency, bandwidth);
        row.push_back(
            ratio(overlapped ? normalised_time_overlapped(program, here) : normalised_time(program, here)));
      }
      result.add(std::move(row));
    }
  return result.text();
}

std::string latencies_text(std::span<const application> of, const survey& over) {
  table result(
      fmt::format("At {:.10g} MB/s: normalised execution time (table 5); bandwidths in MB/s with "
                  "which overlap equals no overlap\n(figure 9) and hides all messages; percent of the "
                  "time without overlap (figure 10)",
                  over.best_bandwidth()),
      {"application"},
      {"latency, us", "without", "with", "as well", "hides all", "computation", "point-to-point",
       "collectives"});
  for (const application& program : of)
    for (const microseconds latency : over.latencies) {
      const network here = over.at(latency, over.best_bandwidth());
      const shares spent = breakdown(program, here);
      const auto hiding = smallest_bandwidth(program, here, microseconds(0));
      result.add({program.name, cell(latency), ratio(normalised_time(program, here)),
                  ratio(normalised_time_overlapped(program, here)), cell(equal_bandwidth(program, here)),
                  hiding ? cell(*hiding) : "none", fmt::format("{:.1f}", spent.computation),
                  fmt::format("{:.1f}", spent.point_to_point), fmt::format("{:.1f}", spent.collectives)});
    }
  return result.text();
}

}  // namespace

std::string report_text(std::span<const application> of, const survey& over) {
  return networks_text(over) + independent_text(of) + elements_text(of, over) + testbed_text(of, over) +
         overlap_text(of, over) + times_text(of, over) + latencies_text(of, over);
}

}  // namespace imbrex::overlap
