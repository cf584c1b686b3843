// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <imbrex/tools/predict/prediction.hpp>
#include <imbrex/tools/trace/readable.hpp>

namespace imbrex::predict {
namespace {

constexpr double width = 640, height = 400, left = 90, top = 30, right = 110, bottom = 50;
constexpr std::array<std::string_view, 6> colours{"#1b6ca8", "#d1495b", "#2e933c",
                                                  "#8a5a9e", "#c77d0a", "#444444"};

/// Positions on logarithmic axes.
class axes {
 public:
  explicit axes(const prediction& of) : nodes_(of.request.nodes) {
    for (const point& each : of.points) {
      if (!each.failure.empty()) continue;
      least_ = least_ == 0 ? each.time : std::min(least_, each.time);
      most_ = std::max(most_, each.time);
    }
    if (most_ < 1.1 * least_) most_ = 1.1 * least_;
  }
  double x(double nodes) const {
    return left + part(nodes, nodes_.front(), nodes_.back()) * (width - left - right);
  }
  double y(double time) const {
    return height - bottom - part(time, least_, most_) * (height - top - bottom);
  }
  double least() const { return least_; }
  double most() const { return most_; }

 private:
  static double part(double value, double least, double most) {
    return most <= least ? 0.5 : std::log(value / least) / std::log(most / least);
  }
  std::vector<int> nodes_;
  double least_ = 0;
  double most_ = 0;
};

std::string text_at(double x, double y, std::string_view anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, text);
}

std::string curve(const prediction& of, const axes& on, std::size_t number) {
  const int odf = of.request.odf[number];
  const std::string_view colour = colours[number % colours.size()];
  std::string line, dots;
  const point* last = nullptr;
  for (const point& each : of.points) {
    if (each.odf != odf || !each.failure.empty()) continue;
    line += fmt::format("{:.1f},{:.1f} ", on.x(each.nodes), on.y(each.time));
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", on.x(each.nodes),
                        on.y(each.time), colour);
    last = &each;
  }
  if (last == nullptr) return {};
  const double row = top + 16 * static_cast<double>(number);
  std::string text =
      fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", line, colour) + dots;
  if (odf > 0)
    text += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"3\" fill=\"{}\"/>\n",
                        width - right + 20, row - 5, colour) +
            text_at(width - right + 36, row, "start", fmt::format("ODF {}", odf));
  return text;
}

/// The times that an ideal machine would have: half on twice the nodes, or equal for a problem that grows.
std::string ideal(const prediction& of, const axes& on) {
  const point* const first = best_on(of, of.request.nodes.front());
  if (first == nullptr || of.request.nodes.size() < 2) return {};
  const double nodes = of.request.nodes.back();
  const double time = of.request.at.empty() ? first->time * first->nodes / nodes : first->time;
  const double shown = std::clamp(time, on.least(), on.most());
  const double until = time == shown ? nodes : first->nodes * first->time / shown;
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#999\" "
      "stroke-dasharray=\"4\"/>\n",
      on.x(first->nodes), on.y(first->time), on.x(until), on.y(shown));
}

std::string frame(const prediction& of, const axes& on) {
  std::string text =
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#ccc\"/>\n",
                  left, top, width - left - right, height - top - bottom);
  for (const int nodes : of.request.nodes)
    text += text_at(on.x(nodes), height - bottom + 18, "middle", std::to_string(nodes));
  text += text_at((left + width - right) / 2, height - 12, "middle", "nodes");
  for (const double time : {on.least(), std::sqrt(on.least() * on.most()), on.most()})
    text += text_at(left - 8, on.y(time) + 4, "end", tools::readable_time(time));
  return text;
}

}  // namespace

std::string picture(const prediction& of) {
  const axes on(of);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  text += text_at(left, top - 12, "start",
                  of.request.steps > 0 ? "time of a step; dashed: ideal" : "time; dashed: ideal");
  text += frame(of, on) + ideal(of, on);
  for (std::size_t i = 0; i < of.request.odf.size(); ++i) text += curve(of, on, i);
  return text + "</svg>\n";
}

}  // namespace imbrex::predict
