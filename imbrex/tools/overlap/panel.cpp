// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/panel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace imbrex::overlap {
namespace {

constexpr double room_left = 62;
constexpr double room_right = 12;
constexpr double room_above = 26;
constexpr double room_below = 44;
constexpr double most_ticks = 8;
constexpr double legend_row = 18;

/// The smallest of 1, 2 and 5 times a power of ten that divides the range into at most six steps.
double round_step(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 6)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (range / (factor * power) <= 6) return factor * power;
  return 10 * power;
}

/// The offset of each entry from the first.
std::vector<point> legend_places(double width, std::span<const legend_entry> entries) {
  constexpr double character_width = 6.2;
  std::vector<point> all;
  point at{0, 0};
  for (const legend_entry& one : entries) {
    const double needed = 50 + character_width * static_cast<double>(one.words.size());
    if (at.x > 0 && at.x + needed > width) at = {0, at.y + legend_row};
    all.push_back(at);
    at.x += needed;
  }
  return all;
}

}  // namespace

double axis::part(double value) const {
  const double inside = std::clamp(value, low, high);
  return logarithmic ? std::log(inside / low) / std::log(high / low) : (inside - low) / (high - low);
}

std::vector<double> axis::ticks() const {
  std::vector<double> all;
  if (!logarithmic) {
    const double step = round_step(high - low);
    for (double k = std::ceil(low / step); k * step <= high * (1 + 1e-12); ++k) all.push_back(k * step);
    return all;
  }
  const double decades = std::log10(high / low);
  const double step = std::max(1.0, std::ceil(decades / most_ticks));
  for (double power = std::floor(std::log10(low)); power <= std::log10(high); power += step)
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor != 1 && decades > 2) break;
      const double value = factor * std::pow(10, power);
      if (value >= low * (1 - 1e-12) && value <= high * (1 + 1e-12)) all.push_back(value);
    }
  return all;
}

axis linear_axis(std::string title, double low, double high) {
  return {std::move(title), low, high > low ? high : low + 1};
}

axis log_axis(std::string title, double low, double high) {
  const bool flat = high < low * 1.5;
  return {std::move(title), flat ? low / 1.5 : low, flat ? high * 1.5 : high, true};
}

panel::panel(drawing& on, point corner, double width, double height, const std::string& title, axis x, axis y)
    : on_(on),
      corner_{corner.x + room_left, corner.y + room_above},
      width_(width - room_left - room_right),
      height_(height - room_above - room_below),
      x_(std::move(x)),
      y_(std::move(y)) {
  frame(title);
  for (const double value : x_.ticks()) {
    const point at = place({value, y_.low});
    on_.line(std::array{at, point{at.x, at.y + 4}}, {});
    on_.text({at.x, at.y + 16}, fmt::format("{:g}", value), anchor::middle, 10);
  }
  on_.text({corner_.x + width_ / 2, corner_.y + height_ + 33}, x_.title, anchor::middle);
}

panel::panel(drawing& on, point corner, double width, double height, const std::string& title,
             std::span<const std::string> names, axis y)
    : on_(on),
      corner_{corner.x + room_left, corner.y + room_above},
      width_(width - room_left - room_right),
      height_(height - room_above - room_below),
      y_(std::move(y)),
      parts_(names.size()) {
  frame(title);
  for (std::size_t i = 0; i < names.size(); ++i)
    on_.text({bar_left(i, 0, 1) + bar_width(1) / 2, corner_.y + height_ + 33}, names[i], anchor::middle);
}

void panel::frame(const std::string& title) {
  const point low{corner_.x, corner_.y + height_};
  for (const double value : y_.ticks()) {
    const double y = low.y - height_ * y_.part(value);
    on_.line(std::array{point{low.x, y}, point{low.x + width_, y}}, {.colour = "#dddddd"});
    on_.text({low.x - 6, y + 4}, fmt::format("{:g}", value), anchor::end, 10);
  }
  on_.line(std::array{corner_, low, point{low.x + width_, low.y}}, {});
  on_.upward_text({corner_.x - 48, corner_.y + height_ / 2}, y_.title);
  on_.text({corner_.x + width_ / 2, corner_.y - 9}, title, anchor::middle, 12);
}

point panel::place(point value) const {
  return {corner_.x + width_ * x_.part(value.x), corner_.y + height_ * (1 - y_.part(value.y))};
}

void panel::curve(std::span<const point> values, const stroke& how) {
  std::vector<point> through;
  for (const point& one : values) through.push_back(place(one));
  on_.line(through, how);
}

void panel::mark(point value, std::string_view colour, const std::string& words) {
  const point at = place(value);
  on_.circle(at, 3.5, colour);
  on_.text({at.x - 6, at.y - 6}, words, anchor::end, 10);
}

double panel::bar_width(std::size_t of) const {
  return width_ / static_cast<double>(parts_) * 0.86 / static_cast<double>(of);
}

double panel::bar_left(std::size_t part, std::size_t i, std::size_t of) const {
  return corner_.x + width_ / static_cast<double>(parts_) * (static_cast<double>(part) + 0.07) +
         bar_width(of) * static_cast<double>(i);
}

void panel::bar(std::size_t part, std::size_t i, std::size_t of, double from, double to,
                std::string_view colour) {
  const double top = corner_.y + height_ * (1 - y_.part(to));
  const double bottom = corner_.y + height_ * (1 - y_.part(from));
  on_.rectangle({bar_left(part, i, of), top}, bar_width(of) * 0.92, bottom - top, colour);
}

void panel::above_bar(std::size_t part, std::size_t i, std::size_t of, double to, const std::string& words) {
  constexpr double character_width = 5.5;
  const point at{
      bar_left(part, i, of) + bar_width(of) * 0.46 + 4,
      corner_.y + height_ * (1 - y_.part(to)) - 5 - character_width * static_cast<double>(words.size()) / 2};
  on_.upward_text(at, words, 10);
}

void panel::under_bar(std::size_t part, std::size_t i, std::size_t of, const std::string& words) {
  on_.text({bar_left(part, i, of) + bar_width(of) * 0.46, corner_.y + height_ + 14}, words, anchor::middle,
           9);
}

void draw_legend(drawing& on, point at, double width, std::span<const legend_entry> entries) {
  const auto places = legend_places(width, entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const point here{at.x + places[i].x, at.y + places[i].y};
    on.line(std::array{point{here.x, here.y - 4}, point{here.x + 26, here.y - 4}}, entries[i].how);
    on.text({here.x + 31, here.y}, entries[i].words);
  }
}

double legend_height(double width, std::span<const legend_entry> entries) {
  return entries.empty() ? 0 : legend_places(width, entries).back().y + legend_row;
}

}  // namespace imbrex::overlap
