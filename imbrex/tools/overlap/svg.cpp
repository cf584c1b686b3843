// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/svg.hpp>

#include <fmt/format.h>

#include <array>

namespace imbrex::overlap {
std::string xml_text(std::string_view words) {
  std::string all;
  for (const char c : words) {
    switch (c) {
      case '&': all += "&amp;"; break;
      case '<': all += "&lt;"; break;
      case '>': all += "&gt;"; break;
      default: all += c;
    }
  }
  return all;
}

drawing::drawing(double width, double height)
    : content_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                           "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\">\n",
                           width, height)) {
  rectangle({0, 0}, width, height, "#ffffff");
}

void drawing::line(std::span<const point> through, const stroke& how) {
  std::string points;
  for (const point& one : through) points += fmt::format("{:.1f},{:.1f} ", one.x, one.y);
  content_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"{}/>\n",
                          points, how.colour, how.width,
                          how.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", how.dashes));
}

void drawing::rectangle(point corner, double width, double height, std::string_view colour) {
  content_ +=
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                  corner.x, corner.y, width, height, colour);
}

void drawing::circle(point centre, double radius, std::string_view colour) {
  content_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"/>\n", centre.x,
                          centre.y, radius, colour);
}

void drawing::text(point at, std::string_view words, anchor where, double size) {
  static constexpr std::array<std::string_view, 3> names{"start", "middle", "end"};
  content_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{:g}\">{}</text>\n",
                          at.x, at.y, names[static_cast<std::size_t>(where)], size, xml_text(words));
}

void drawing::upward_text(point at, std::string_view words, double size) {
  content_ += fmt::format(
      "<text transform=\"translate({:.1f},{:.1f}) rotate(-90)\" text-anchor=\"middle\" "
      "font-size=\"{:g}\">{}</text>\n",
      at.x, at.y, size, xml_text(words));
}

std::string_view colour_of(std::size_t i) {
  static constexpr std::array<std::string_view, 8> colours{"#2166ac", "#b2182b", "#1b7837", "#e08214",
                                                           "#762a83", "#35978f", "#8c510a", "#555555"};
  return colours[i % colours.size()];
}

stroke stroke_of(std::size_t i, double width) {
  static constexpr std::array<std::string_view, 4> dashes{"", "6 3", "2 2", "8 3 2 3"};
  return {.colour = colour_of(i), .width = width, .dashes = dashes[i / 8 % dashes.size()]};
}

}  // namespace imbrex::overlap
