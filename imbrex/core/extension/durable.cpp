// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/durable.hpp>

#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/creation.hpp>
#include <imbrex/core/name/singles.hpp>
#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::extension {

saved_array part_here::description() const {
  saved_array what;
  const auto& origin = part_->origin();
  what.kind = origin.kind;
  what.name = part_->is_of_singles() ? detail::name_of_singles(part_->id()).text
                                     : detail::lasting_name(origin, part_->shown_name());
  what.chare = part_->chare_name();
  if (is_of_named_class()) what.of = part_->shown_name();
  what.placement = origin.placement;
  writer shape;
  if (!part_->is_of_singles()) saving().write_shape(*part_, shape);
  what.shape = shape.take();
  what.elements = part_->locals().size();
  return what;
}

class_schema part_here::schema_by(schema_function describe) const {
  class_schema schema = detail::schema_of_blank(*part_, describe);
  if (!elements().empty()) schema.classes.merge(describe(*elements().front()).classes);
  return schema;
}

saved_single part_here::single(const chare_header& element) const {
  const auto key = part_->number_of(element);
  const detail::single_keys keys(part_->pe().num_pes());
  return {keys.creator(key), keys.home(key), keys.number(key)};
}

std::vector<part_here> parts_here() {
  std::vector<part_here> parts;
  detail::processor::here().for_each_collection([&](detail::collection_part& part) {
    parts.emplace_back(static_cast<detail::collection_base&>(part));
  });
  return parts;
}

void reserve_number(const std::string& name, std::uint64_t collection) {
  auto& pe = detail::processor::here();
  if (pe.collection(collection) == nullptr) detail::reserve_number(pe, name, collection);
}

std::uint64_t number_for(const std::string& name) {
  auto& pe = detail::processor::here();
  const auto* const known = detail::find_named(pe, name);
  return known != nullptr ? known->id() : pe.new_collection();
}

part_to_fill part_to_fill::of_singles(const saved_array& what) {
  auto& pe = detail::processor::here();
  const auto kind = what.of.empty() ? detail::named_thing::singles : detail::named_thing::singles_by_name;
  auto* const part = detail::part_of_saved_singles(pe, {kind, what.name}, what.chare);
  if (part == nullptr)
    throw error("a checkpoint has single chares of " + what.shown_class() +
                ", a class that this program has not");
  pe.local<detail::saved_singles>().are_here = true;
  return {*part, nullptr};
}

class_schema part_to_fill::schema_by(schema_function describe) const {
  return detail::schema_of_blank(*part_, describe);
}

void part_to_fill::install() {
  if (own_ == nullptr) return;
  detail::processor::here().install(std::move(own_));
  detail::join_stop(*part_);
  part_->reductions().created();
}

void go_on(saved_element& which) {
  auto& pe = which.element->home->pe();
  if (which.restart) pe.dispatch(*which.restart.release(), pe.pe());
}

void part_to_fill::check_class(const saved_array& what, std::string_view chare) {
  if (what.chare != chare)
    throw error("the array \"" + what.name + "\" of the checkpoint has elements of " + what.chare +
                ", not of " + std::string(chare));
}

std::string_view part_to_fill::lasting_class(const saved_array& what, std::string_view chare) {
  if (what.of.empty()) return chare;
  const std::string_view its = detail::class_of_entries(what.of);
  if (its.empty())
    throw error("the array \"" + what.name + "\" of the checkpoint has elements of " + what.of +
                ", a class that this program has not");
  return its;
}

void part_to_fill::throw_placement(const saved_array& what) {
  throw error("the array \"" + what.name + "\" of the checkpoint is placed by " + what.placement +
              ", a function that cannot be found again: use imbrex::in_blocks, imbrex::in_bricks, "
              "imbrex::round_robin, or a "
              "function object with a name");
}

}  // namespace imbrex::extension
