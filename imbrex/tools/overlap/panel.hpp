// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <imbrex/tools/overlap/svg.hpp>

namespace imbrex::overlap {

/// One axis of a plot.
struct axis {
  std::string title;
  double low = 0;  ///< greater than 0 if logarithmic
  double high = 1;
  bool logarithmic = false;

  /// The fraction of the axis below the value, from 0 to 1; values outside the axis are clamped.
  double part(double value) const;
  /// Positions of tick labels: decades, with their 2 and 5 if there are few, or round steps.
  std::vector<double> ticks() const;
};

/// An axis from `low` to `high`, made non-empty.
axis linear_axis(std::string title, double low, double high);
/// A logarithmic axis for values greater than 0.
axis log_axis(std::string title, double low, double high);

/// A frame with axes, to draw in.
class panel {
 public:
  /// The outer rectangle includes the axes and titles.
  panel(drawing& on, point corner, double width, double height, const std::string& title, axis x, axis y);
  /// With names below instead of an axis; each name has an equal part of the width.
  panel(drawing& on, point corner, double width, double height, const std::string& title,
        std::span<const std::string> names, axis y);

  void curve(std::span<const point> values, const stroke& how);
  void mark(point value, std::string_view colour, const std::string& words);
  /// Draws bar `i` of the `of` bars that share a named part, between two values.
  void bar(std::size_t part, std::size_t i, std::size_t of, double from, double to, std::string_view colour);
  /// Text that reads upward above the bar, up to `to`.
  void above_bar(std::size_t part, std::size_t i, std::size_t of, double to, const std::string& words);
  void under_bar(std::size_t part, std::size_t i, std::size_t of, const std::string& words);

 private:
  void frame(const std::string& title);
  point place(point value) const;
  double bar_width(std::size_t of) const;
  double bar_left(std::size_t part, std::size_t i, std::size_t of) const;

  drawing& on_;
  point corner_;  // corner of the frame itself; its size is `width_` and `height_`
  double width_;
  double height_;
  axis x_;
  axis y_;
  std::size_t parts_ = 1;
};

/// The meaning of a line or a colour.
struct legend_entry {
  std::string words;
  stroke how;
};

/// Draws the entries in rows from the point on, with as many in a row as fit into the width.
void draw_legend(drawing& on, point at, double width, std::span<const legend_entry> entries);
/// The height of the legend.
double legend_height(double width, std::span<const legend_entry> entries);

}  // namespace imbrex::overlap
