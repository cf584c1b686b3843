// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/type_description.hpp>

#include <string>
#include <unordered_map>

#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::mpi {

namespace {

// The description lists types, each after its components; the last is the described type.
enum class form : std::int64_t {
  predefined,  ///< the handle
  composed,    ///< repetitions, stride, lower bound, extent, number of blocks, three numbers per block
};

class describer {
 public:
  std::int64_t add(const datatype& type) {
    if (const auto known = known_.find(&type); known != known_.end()) return known->second;
    if (predefined_type(type.handle()) == &type) {
      append({std::int64_t(form::predefined), type.handle()});
    } else {
      std::vector<std::int64_t> parts;
      for (const type_block& b : type.blocks()) parts.push_back(add(*b.type));
      append({std::int64_t(form::composed), type.repetitions(), type.stride(), type.lower_bound(),
              type.extent(), std::int64_t(parts.size())});
      for (std::size_t i = 0; i < parts.size(); ++i)
        append({type.blocks()[i].displacement, type.blocks()[i].count, parts[i]});
    }
    return known_[&type] = types_++;
  }
  std::vector<std::int64_t> numbers;

 private:
  void append(std::initializer_list<std::int64_t> more) { numbers.insert(numbers.end(), more); }
  std::unordered_map<const datatype*, std::int64_t> known_;
  std::int64_t types_ = 0;
};

class composer {
 public:
  explicit composer(std::span<const std::int64_t> numbers) : numbers_(numbers) {}

  datatype_ref compose() {
    while (at_ < numbers_.size()) types_.push_back(next_type());
    if (types_.empty()) throw serial_error("a datatype of MPI without a description");
    return types_.back();
  }

 private:
  std::int64_t next() {
    if (at_ == numbers_.size()) throw serial_error("a description of a datatype of MPI that is cut off");
    return numbers_[at_++];
  }
  datatype_ref next_type() {
    const std::int64_t what = next();
    if (what == std::int64_t(form::predefined)) {
      const std::int64_t handle = next();
      datatype* const found = predefined_type(int(handle));
      if (found == nullptr) throw serial_error("no datatype of MPI has the handle " + std::to_string(handle));
      return datatype_ref(found);
    }
    if (what != std::int64_t(form::composed))
      throw serial_error("a datatype of MPI of form " + std::to_string(what));
    const std::int64_t repetitions = next();
    const std::int64_t stride = next();
    const std::int64_t lower = next();
    const std::int64_t extent = next();
    std::vector<type_block> blocks(length());
    for (type_block& b : blocks) {
      b.displacement = next();
      b.count = next();
      const std::int64_t part = next();
      if (part < 0 || std::size_t(part) >= types_.size() || b.count < 0)
        throw serial_error("a datatype of MPI with a part that is none");
      b.type = types_[std::size_t(part)].get();
    }
    const bool repeats = repetitions != 1 && blocks.size() == 1;
    const datatype_ref result(
        repeats ? new datatype(repetitions, blocks[0].count, stride, datatype_ref(blocks[0].type))
                : new datatype(std::move(blocks)));
    if (result->lower_bound() == lower && result->extent() == extent) return result;
    return datatype_ref(new datatype(result, lower, extent));
  }
  std::size_t length() {
    constexpr std::size_t of_block = 3;
    const std::int64_t n = next();
    if (n < 0 || std::size_t(n) > (numbers_.size() - at_) / of_block)
      throw serial_error("a datatype of MPI with " + std::to_string(n) + " blocks that are cut off");
    return std::size_t(n);
  }

  std::span<const std::int64_t> numbers_;
  std::size_t at_ = 0;
  std::vector<datatype_ref> types_;
};

}  // namespace

std::vector<std::int64_t> describe(const datatype& type) {
  describer result;
  result.add(type);
  return std::move(result.numbers);
}

datatype_ref described_type(std::span<const std::int64_t> numbers) {
  try {
    return composer(numbers).compose();
  } catch (const error& refused) {
    throw serial_error(std::string("a datatype of MPI that cannot be: ") + refused.what());
  }
}

}  // namespace imbrex::mpi
