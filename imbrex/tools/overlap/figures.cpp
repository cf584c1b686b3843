// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/figures.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <imbrex/tools/overlap/panel.hpp>

namespace imbrex::overlap {
namespace {

constexpr double panel_width = 330;
constexpr double panel_height = 250;
constexpr double head = 34;  // height of the title
constexpr double bars_height = 340;
constexpr std::size_t columns = 3;
constexpr std::size_t curve_points = 120;
constexpr std::size_t most_bars = 40;  // most elements of a datum in figure 7; each is a bar
constexpr stroke with_overlap{.colour = "#2166ac", .width = 2};
constexpr stroke without_overlap{.colour = "#b2182b", .width = 2, .dashes = "6 3"};
constexpr stroke all_hidden{.colour = "#555555", .dashes = "2 3"};

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string latency_text(microseconds latency) { return number(latency.count()) + " us"; }

/// A drawing with a title and a legend, and room for rows of panels below.
class sheet {
 public:
  sheet(std::size_t panels, const std::string& title, std::span<const legend_entry> legend)
      : sheet(std::max(640.0, panel_width * static_cast<double>(std::min(panels, columns)) + 20),
              panel_height * static_cast<double>((panels + columns - 1) / columns), title, legend) {}
  sheet(double width, double height, const std::string& title, std::span<const legend_entry> legend)
      : head_(head + legend_height(width - 36, legend)), canvas_(width, head_ + height) {
    canvas_.text({16, 22}, title, anchor::start, 14);
    draw_legend(canvas_, {18, 46}, width - 36, legend);
  }

  drawing& canvas() { return canvas_; }
  std::string svg() const { return canvas_.svg(); }

  /// The corner of the next panel.
  point next() {
    const std::size_t i = placed_++;
    return {panel_width * static_cast<double>(i % columns),
            head_ + panel_height * static_cast<double>(i / columns)};
  }

 private:
  double head_;
  drawing canvas_;
  std::size_t placed_ = 0;
};

/// Bandwidths from the smallest to the best, evenly spaced in their logarithms.
std::vector<double> curve_bandwidths(const survey& over) {
  const double low = over.bandwidths.front();
  const double high = over.best_bandwidth();
  std::vector<double> all;
  for (std::size_t k = 0; k < curve_points; ++k)
    all.push_back(low * std::pow(high / low, static_cast<double>(k) / (curve_points - 1)));
  return all;
}

std::vector<point> curve_over(const survey& over, const std::function<double(double)>& value) {
  std::vector<point> all;
  for (const double bandwidth : curve_bandwidths(over)) all.push_back({bandwidth, value(bandwidth)});
  return all;
}

double highest(std::span<const point> of) { return std::ranges::max(of, {}, &point::y).y; }

axis bandwidth_axis(const survey& over) {
  return log_axis("bandwidth, MB/s", over.bandwidths.front(), over.best_bandwidth());
}

std::vector<legend_entry> latency_legend(const survey& over, double width) {
  std::vector<legend_entry> all;
  for (std::size_t k = 0; k < over.latencies.size(); ++k)
    all.push_back({"latency " + latency_text(over.latencies[k]), stroke_of(k, width)});
  return all;
}

double least_overlap(const application& of, const network& over) {
  const datum* const worst = hardest(of, over);
  return worst == nullptr ? 0 : normalised_overlap(*worst, over);
}

figure draw_overlap(std::span<const application> of, const survey& over) {
  auto legend = latency_legend(over, 2);
  legend.push_back({"all is hidden", all_hidden});
  sheet page(of.size(), "Normalised overlap (figure 6)", legend);
  for (const application& program : of) {
    std::vector<std::vector<point>> curves;
    double most = 1;
    for (const microseconds latency : over.latencies) {
      curves.push_back(curve_over(
          over, [&](double bandwidth) { return least_overlap(program, over.at(latency, bandwidth)); }));
      most = std::max(most, highest(curves.back()));
    }
    const datum* const worst = hardest(program, over.testbed);
    panel plot(page.canvas(), page.next(), panel_width, panel_height,
               program.name + (worst == nullptr ? " (no overlap)" : " (" + worst->name + ")"),
               bandwidth_axis(over), linear_axis("T_overlap / T_comm", 0, most * 1.05));
    plot.curve(std::array{point{over.bandwidths.front(), 1}, point{over.best_bandwidth(), 1}}, all_hidden);
    for (std::size_t k = 0; k < curves.size(); ++k) plot.curve(curves[k], stroke_of(k, 2));
    const double here = least_overlap(program, over.testbed);
    if (over.testbed.bandwidth >= over.bandwidths.front() && over.testbed.bandwidth <= over.best_bandwidth())
      plot.mark({over.testbed.bandwidth, here}, "#333333", "testbed " + number(here));
  }
  return {"figure6.svg", page.svg()};
}

void draw_elements(sheet& page, const application& program, const datum& of, const survey& over) {
  const std::string title = program.name + ", " + of.name;
  const axis times = linear_axis("t(i), us", 0, available_range(of, over.testbed).most.count() * 1.1);
  const bool in_pace = of.kind == execution::pipelined && keeps_pace(of, over.testbed.gap);
  if (of.sent <= most_bars) {
    std::vector<std::string> names(of.sent);
    names[of.sent / 2] = "element i";
    panel plot(page.canvas(), page.next(), panel_width, panel_height, title, names, times);
    for (std::uint64_t i = 0; i < of.sent; ++i) {
      plot.bar(i, 0, 1, 0, available(of, i, in_pace).count(), colour_of(0));
      if (of.sent <= most_bars / 2 || i % 5 == 0) plot.under_bar(i, 0, 1, std::to_string(i));
    }
    return;
  }
  panel plot(page.canvas(), page.next(), panel_width, panel_height, title,
             linear_axis("element i", 0, static_cast<double>(of.sent - 1)), times);
  std::vector<point> values;
  for (const std::uint64_t i : some_elements(of, curve_points))
    values.push_back({static_cast<double>(i), available(of, i, in_pace).count()});
  plot.curve(values, {.colour = colour_of(0), .width = 2});
}

figure draw_times_of_elements(std::span<const application> of, const survey& over) {
  using pair = std::pair<const application*, const datum*>;
  std::vector<pair> all;
  for (const application& program : of)
    for (const datum& one : program.data) all.emplace_back(&program, &one);
  std::vector<pair> dependent;
  std::ranges::copy_if(all, std::back_inserter(dependent), [](const pair& one) {
    return one.second->dependent_work || one.second->kind == execution::pipelined;
  });
  if (dependent.empty()) dependent = std::move(all);
  sheet page(dependent.size(), "Potential overlap time of each element (figure 7)", {});
  for (const auto& [program, one] : dependent) draw_elements(page, *program, *one, over);
  return {"figure7.svg", page.svg()};
}

figure draw_times(std::span<const application> of, const survey& over) {
  const std::array<legend_entry, 2> legend{
      {{"without overlap", without_overlap}, {"with overlap", with_overlap}}};
  sheet page(of.size(),
             fmt::format("Normalised execution time at a latency of {} (figure 8)",
                         latency_text(over.testbed.latency)),
             legend);
  for (const application& program : of) {
    const auto without = curve_over(over, [&](double bandwidth) {
      return normalised_time(program, over.at(over.testbed.latency, bandwidth));
    });
    const auto with = curve_over(over, [&](double bandwidth) {
      return normalised_time_overlapped(program, over.at(over.testbed.latency, bandwidth));
    });
    panel plot(page.canvas(), page.next(), panel_width, panel_height, program.name, bandwidth_axis(over),
               log_axis("normalised time", 1, highest(without) * 1.1));
    plot.curve(without, without_overlap);
    plot.curve(with, with_overlap);
  }
  return {"figure8.svg", page.svg()};
}

/// A sheet of one panel, wide enough for `bars` bars of each program and for the programs' names.
class bar_sheet {
 public:
  bar_sheet(std::span<const application> of, std::size_t bars, const std::string& title,
            std::span<const legend_entry> legend)
      : width_(std::max(720.0, 80 + each_width(of, bars) * static_cast<double>(of.size()))),
        page_(width_, bars_height, title, legend) {
    for (const application& program : of) names_.push_back(program.name);
  }

  panel bars(axis y) { return {page_.canvas(), page_.next(), width_, bars_height, "", names_, std::move(y)}; }
  std::string svg() const { return page_.svg(); }

 private:
  static double each_width(std::span<const application> of, std::size_t bars) {
    const auto length = [](const application& one) { return one.name.size(); };
    const std::size_t longest = length(*std::ranges::max_element(of, {}, length));
    return std::max(24 * static_cast<double>(bars), 8 * static_cast<double>(longest));
  }

  double width_;
  sheet page_;
  std::vector<std::string> names_;
};

figure draw_bandwidths(std::span<const application> of, const survey& over) {
  const std::size_t count = over.latencies.size();
  bar_sheet page(of, count,
                 fmt::format("Bandwidth with which overlap does as well as {:.10g} MB/s without (figure 9)",
                             over.best_bandwidth()),
                 latency_legend(over, 8));
  std::vector<std::vector<double>> needs;
  double most = 0;
  for (const application& program : of) {
    needs.emplace_back();
    for (const microseconds latency : over.latencies) {
      needs.back().push_back(equal_bandwidth(program, over.at(latency, over.best_bandwidth())));
      most = std::max(most, needs.back().back());
    }
  }
  panel plot = page.bars(linear_axis("bandwidth, MB/s", 0, most * 1.15));
  for (std::size_t i = 0; i < of.size(); ++i)
    for (std::size_t k = 0; k < count; ++k) {
      plot.bar(i, k, count, 0, needs[i][k], colour_of(k));
      plot.above_bar(i, k, count, needs[i][k], number(needs[i][k]));
    }
  return {"figure9.svg", page.svg()};
}

figure draw_shares(std::span<const application> of, const survey& over) {
  const std::array<legend_entry, 3> legend{{{"computation", {.colour = colour_of(0), .width = 8}},
                                            {"point-to-point", {.colour = colour_of(3), .width = 8}},
                                            {"collectives", {.colour = colour_of(1), .width = 8}}}};
  const std::size_t count = over.latencies.size();
  bar_sheet page(
      of, count,
      fmt::format("Parts of the time without overlap, by latency in us, at {:.10g} MB/s (figure 10)",
                  over.best_bandwidth()),
      legend);
  panel plot = page.bars(linear_axis("percent", 0, 100));
  for (std::size_t i = 0; i < of.size(); ++i)
    for (std::size_t k = 0; k < count; ++k) {
      const shares spent = breakdown(of[i], over.at(over.latencies[k], over.best_bandwidth()));
      double below = 0;
      for (const auto& [share, entry] :
           {std::pair{spent.computation, 0}, {spent.point_to_point, 1}, {spent.collectives, 2}}) {
        plot.bar(i, k, count, below, below + share, legend[static_cast<std::size_t>(entry)].how.colour);
        below += share;
      }
      plot.under_bar(i, k, count, number(over.latencies[k].count()));
    }
  return {"figure10.svg", page.svg()};
}

}  // namespace

std::array<figure, 5> draw_figures(std::span<const application> of, const survey& over) {
  return {draw_overlap(of, over), draw_times_of_elements(of, over), draw_times(of, over),
          draw_bandwidths(of, over), draw_shares(of, over)};
}

}  // namespace imbrex::overlap
