// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/program_copy.hpp>

#include <mutex>
#include <utility>
#include <vector>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/program_image.hpp>

namespace imbrex::mpi {

namespace {

/// States of ended copies whose threads may still run, or whose memory others may have. Never destroyed,
/// since threads end after static variables.
struct kept_states {
  std::mutex mutex;
  std::vector<std::unique_ptr<copy_state>> all;

  static kept_states& of_process() {
    static auto* const kept = new kept_states;
    return *kept;
  }
};

}  // namespace

program_copy::program_copy(const program_image& image, copy_host& host, std::string prefix,
                           std::optional<std::size_t> number)
    : state_(std::make_unique<copy_state>(image.plan_, *this, host, std::move(prefix), number)) {}

program_copy::~program_copy() {
  // Open streams and data of libraries may lie in the heap of a copy that has ended here.
  const bool has_heap = state_->memory.heap() != nullptr && !state_->departure.has_left;
  if (!state_->has_threads && !has_heap) return;
  state_->host = nullptr;
  kept_states& kept = kept_states::of_process();
  const std::lock_guard hold(kept.mutex);
  kept.all.push_back(std::move(state_));
}

int program_copy::call_main(int argc, char** argv, char** environment) {
  return state_->call_main(argc, argv, environment);
}

void program_copy::exit(int status) { state_->exit(status); }

bool program_copy::enter() noexcept { return state_->enter(); }

void program_copy::take_signals() { state_->signals.take(); }

void program_copy::leave() noexcept { state_->leave(); }

program_copy* program_copy::running() noexcept {
  copy_state* const running = running_state();
  return running == nullptr ? nullptr : &running->copy;
}

std::byte* program_copy::stack() const noexcept {
  const std::size_t place = state_->plan.area->stack_at();
  return place == 0 ? nullptr : state_->at(place);
}

void program_copy::flush() noexcept { state_->flush(); }

void* program_copy::loaded_code(void* address) noexcept {
  const copy_area* const area = copy_area::current();
  const copy_state* const copy = area == nullptr ? nullptr : area->copy_at(address);
  return copy == nullptr ? address : copy->original_of(address);
}

void* program_copy::own_variable(void* loaded) const noexcept {
  const auto place = state_->plan.place_of(reinterpret_cast<std::uintptr_t>(loaded));
  return place ? state_->at(*place) : loaded;
}

bool program_copy::holds(const void* address) const noexcept { return state_->holds(address); }

}  // namespace imbrex::mpi
