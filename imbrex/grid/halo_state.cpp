// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/halo_state.hpp>

#include <imbrex/base/error.hpp>

namespace imbrex::grid::detail {

void throw_not_a_face(int side, int faces) {
  throw error("side " + std::to_string(side) +
              " is an edge or a corner: boundaries are those of the faces, 0 to " +
              std::to_string(faces - 1));
}

void throw_no_dimension(int dimension, int dimensions) {
  throw error("there is no dimension " + std::to_string(dimension) + ": the grid has " +
              std::to_string(dimensions));
}

void throw_not_connected() {
  throw error("a halo is not connected: call halo.connect<&block::halo>(*this, ...) in the constructor");
}

void throw_other_port() {
  throw error("connect of a halo names another port, or a port of another chare: name the halo itself");
}

void throw_other_shape(const std::string& array, const std::string& decomposition) {
  throw error("a halo needs a block for each element: the array has the shape " + array +
              ", and the decomposition " + decomposition + " blocks");
}

void throw_half_periodic(int dimension) {
  throw error("dimension " + std::to_string(dimension) +
              " is periodic at one end only: set both ends, by boundaries::set(" + std::to_string(dimension) +
              ", boundary::periodic)");
}

void throw_still_begun(std::int64_t step, std::int64_t begun) {
  throw error("the exchange of step " + std::to_string(step) + " begins while that of step " +
              std::to_string(begun) + " goes on: await its end first");
}

void throw_step_order(std::int64_t step, std::int64_t before) {
  throw error("the exchange of step " + std::to_string(step) + " comes after that of step " +
              std::to_string(before) + ": each step is larger than the one before");
}

void throw_not_begun() {
  throw error("the end of an exchange is awaited that has not begun: call begin first");
}

void throw_awaited_twice(std::int64_t step) {
  throw error("two entries await the end of the exchange of step " + std::to_string(step) + ": one can");
}

void throw_no_function() {
  throw error(
      "an end of the grid is boundary::function, and the exchange has no function: give it as the last "
      "argument");
}

void throw_other_extents(int field, const std::string& extents, const std::string& block,
                         const std::string& cells) {
  throw error("field " + std::to_string(field) + " of an exchange has the extents " + extents +
              ", and block " + block + " of the decomposition " + cells +
              ": make it with cut[where()].extents");
}

void throw_too_wide(int field, int width, int dimension, int most) {
  throw error("field " + std::to_string(field) + " of an exchange has " + std::to_string(width) +
              " ghost layers in dimension " + std::to_string(dimension) + ", and some block only " +
              std::to_string(most) + (most == 1 ? " cell" : " cells") +
              ": they come from one neighbour, so take fewer layers or fewer blocks");
}

void throw_other_step(std::int64_t came, const std::string& from, std::int64_t step) {
  throw error("block " + from + " has exchanged step " + std::to_string(came) +
              ", and this block has left it out and exchanges step " + std::to_string(step) +
              ": all blocks exchange the same steps");
}

void throw_second_parcel(std::int64_t step, const std::string& from) {
  throw error("block " + from + " has sent cells for step " + std::to_string(step) +
              " twice: a block exchanges each step once");
}

void throw_other_size(std::int64_t step, const std::string& from, std::size_t came, std::size_t expected) {
  throw error("block " + from + " has sent " + std::to_string(came) + " bytes of cells for step " +
              std::to_string(step) + ", and the ghost cells there take " + std::to_string(expected) +
              ": all blocks exchange fields of the same decomposition with the same ghost layers");
}

void throw_no_such_side(std::int64_t step, int side) {
  throw error(
      "cells for step " + std::to_string(step) + " came across side " + std::to_string(side) +
      ", and this block exchanges nothing there: all blocks connect with the same boundaries and sides");
}

}  // namespace imbrex::grid::detail
