// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace imbrex::overlap {

struct point {
  double x;
  double y;
};

enum class anchor { start, middle, end };

/// The style of a line.
struct stroke {
  std::string_view colour = "#333333";
  double width = 1;
  std::string_view dashes = "";  ///< as SVG's stroke-dasharray; empty for none
};

/// The text in SVG or HTML, with its special characters escaped.
std::string xml_text(std::string_view words);

/// A self-contained SVG picture, in pixels from its upper left corner.
class drawing {
 public:
  drawing(double width, double height);

  void line(std::span<const point> through, const stroke& how);
  void rectangle(point corner, double width, double height, std::string_view colour);
  void circle(point centre, double radius, std::string_view colour);
  void text(point at, std::string_view words, anchor where = anchor::start, double size = 11);
  /// Text that reads upward, centred at the point.
  void upward_text(point at, std::string_view words, double size = 11);

  /// The complete text of the file.
  std::string svg() const { return content_ + "</svg>\n"; }

 private:
  std::string content_;
};

/// The colour of item `i`; colours repeat after eight.
std::string_view colour_of(std::size_t i);
/// A line in the colour of item `i`, dashed from the ninth item on.
stroke stroke_of(std::size_t i, double width);

}  // namespace imbrex::overlap
