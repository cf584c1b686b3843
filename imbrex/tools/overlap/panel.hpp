// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <imbrex/tools/overlap/svg.hpp>

namespace imbrex::overlap {

/// One direction of a plot.
struct axis {
  std::string title;
  double low = 0;  ///< greater than 0 if logarithmic
  double high = 1;
  bool logarithmic = false;

  /// What of the axis lies below the value, from 0 to 1; values beyond its ends count as the ends.
  double part(double value) const;
  /// Where to write numbers: decades, also their 2 and 5 where there are few, or round steps.
  std::vector<double> ticks() const;
};

/// From `low` to `high`, but never empty.
axis linear_axis(std::string title, double low, double high);
/// Of values greater than 0.
axis log_axis(std::string title, double low, double high);

/// A frame with axes to draw in.
class panel {
 public:
  /// The outer rectangle, in which axes and titles have room too.
  panel(drawing& on, point corner, double width, double height, const std::string& title, axis x, axis y);
  /// With names below instead of an axis, one for each of as many equal parts of the width.
  panel(drawing& on, point corner, double width, double height, const std::string& title,
        std::span<const std::string> names, axis y);

  void curve(std::span<const point> values, const stroke& how);
  void mark(point value, std::string_view colour, const std::string& words);
  /// The bar `i` of `of` of them that share a named part of the width, from one value up to another.
  void bar(std::size_t part, std::size_t i, std::size_t of, double from, double to, std::string_view colour);
  /// Words that read upward above that bar, up to `to`.
  void above_bar(std::size_t part, std::size_t i, std::size_t of, double to, const std::string& words);
  void under_bar(std::size_t part, std::size_t i, std::size_t of, const std::string& words);

 private:
  void frame(const std::string& title);
  point place(point value) const;
  double bar_width(std::size_t of) const;
  double bar_left(std::size_t part, std::size_t i, std::size_t of) const;

  drawing& on_;
  point corner_;  // of the frame itself, as its size
  double width_;
  double height_;
  axis x_;
  axis y_;
  std::size_t parts_ = 1;
};

/// What a line or a colour stands for.
struct legend_entry {
  std::string words;
  stroke how;
};

/// Explains the entries in rows from the point on, as many as fit into the width in each.
void draw_legend(drawing& on, point at, double width, std::span<const legend_entry> entries);
/// How high that is.
double legend_height(double width, std::span<const legend_entry> entries);

}  // namespace imbrex::overlap
