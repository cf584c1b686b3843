// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/errors.hpp>

#include <array>
#include <charconv>

#include <imbrex/base/error.hpp>

namespace imbrex::cells::detail {
namespace {

std::string text_of(const named_element& who) {
  return who.name + " in cell " + who.cell + " of block " + who.block + ", in phase " +
         std::to_string(who.phase) + ", ";
}

}  // namespace

std::string number_text(double number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

void invalid_message::throw_text() const { throw error(text_); }

void throw_not_connected() {
  throw error(
      "a cell set is not connected: call cells.connect<&block::cells>(*this, ...) in the constructor");
}

void throw_other_port() {
  throw error(
      "connect of a cell set names another port, or a port of another chare: name the cell set itself");
}

void throw_other_shape(const std::string& array, const std::string& blocks) {
  throw error("a cell set needs a block for each element: the array has the shape " + array +
              ", and the decomposition " + blocks + " blocks");
}

void throw_other_grid(const std::string& domain, const std::string& cut) {
  throw error("the domain of a cell set has " + domain + " cells, and its decomposition " + cut +
              ": make it with decomposition(domain.cells(), blocks)");
}

void throw_unfinished(const char* what, std::int64_t phase) {
  throw error(std::string(what) + " begins while phase " + std::to_string(phase) +
              " of this cell set goes on: await all its cells first");
}

void throw_no_cell(const std::string& cell, const std::string& block) {
  throw error("block " + block + " has no cell " + cell +
              ", nor a copy of it: take one of own(), or of halo()");
}

void throw_narrow(double pairs, double halo) {
  throw error("pairs as far apart as " + number_text(pairs) + " need a halo as wide, and this one is " +
              number_text(halo) + ": call cache_halo(" + number_text(pairs) + ")");
}

void throw_no_halo() {
  throw error("a cell set has no halo yet, or has moved since: call cache_halo after migrate");
}

void throw_moved_too_far(const named_element& who, const std::string& to, double distance, double most) {
  throw error(text_of(who) + "moves by " + number_text(distance) + " to " + to +
              ", but may move by at most " + number_text(most) +
              ": take a shorter time step, a larger max_distance, or migrate_anywhere");
}

void throw_not_a_position(const named_element& who, const std::string& at) {
  throw error(text_of(who) + "moves to " + at + ", which is not a position: check the forces on it");
}

void throw_not_own_cell(const std::string& name, const std::string& at, const std::string& cell,
                        const std::string& block) {
  throw error(name + " at " + at + " belongs to cell " + cell + ", which block " + block +
              " does not have: insert it where owns(position) is true");
}

void throw_outside(const std::string& name, const std::string& at, const std::string& lower,
                   const std::string& upper) {
  throw error(name + " at " + at + " lies outside of the domain from " + lower + " to " + upper +
              ": elements may be inserted outside only at an open side");
}

void throw_other_values(std::size_t value_count, std::size_t elements, const char* which) {
  throw error(std::to_string(value_count) + " values for " + std::to_string(elements) + " " + which +
              " elements: give one for each");
}

std::string stranger_text(std::int64_t phase, const std::string& from, const std::string& here) {
  return "block " + from + " has sent elements to block " + here + " in phase " + std::to_string(phase) +
         ", which expects none from there: all blocks give the same distances, in the same order";
}

std::string other_kind_text(std::int64_t phase, const std::string& from, const std::string& here) {
  return "phase " + std::to_string(phase) + " differs between block " + from + " and block " + here +
         ": all blocks migrate, cache and refresh in the same order";
}

std::string other_count_text(std::int64_t phase, const std::string& from, std::size_t received_count,
                             std::size_t expected_count) {
  return "block " + from + " has sent " + std::to_string(received_count) + " values in phase " +
         std::to_string(phase) + ", and " + std::to_string(expected_count) +
         " are wanted: a refresh belongs to the last cache_halo";
}

}  // namespace imbrex::cells::detail
