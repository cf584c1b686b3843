// SPDX-License-Identifier: Apache-2.0
// A broadcast and reductions of device memory: a line is fitted to samples that are divided among chares,
// each on its device. In each step every chare computes the gradient of its samples, and all gradients are
// summed. The sum is in memory of each device, and no stream waits for the host.
//   build/release/bin/device_training --pes 4 --device emulated --devices 2
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include <imbrex/gpu.hpp>

namespace {

using imbrex::device_span;

constexpr std::size_t samples = 40;  // samples per chare
constexpr int steps = 60;

// Samples of y = 3 x - 1.
double x_of(std::size_t sample) { return double(sample * sample % 23) / 23; }
double y_of(std::size_t sample) { return 3 * x_of(sample) - 1; }

/// The gradient of the squared error of some samples, from sample `first` on.
constexpr imbrex::kernel<device_span<double>, device_span<const double>, std::size_t> differentiate{
    .name = "differentiate",
    .host = [](device_span<double> gradient, device_span<const double> weights, std::size_t first) {
      gradient.data()[0] = gradient.data()[1] = 0;
      for (std::size_t s = first; s < first + samples; ++s) {
        const double error = weights.data()[0] * x_of(s) + weights.data()[1] - y_of(s);
        gradient.data()[0] += error * x_of(s);
        gradient.data()[1] += error;
      }
    }};
constexpr imbrex::kernel<device_span<double>, device_span<const double>, double> descend{
    .name = "descend",
    .host = [](device_span<double> weights, device_span<const double> gradient, double rate) {
      for (std::size_t i = 0; i < weights.size(); ++i) weights.data()[i] -= rate * gradient.data()[i];
    }};

class trainer : public imbrex::chare<trainer> {
 public:
  imbrex::task<> train(imbrex::shared_device_buffer<double> first) {
    work_.wait(first.ready());
    work_.copy(weights_.span(), first.span());
    for (int step = 0; step < steps; ++step) {
      imbrex::device_buffer<double> gradient(imbrex::gpu(), weights_.size());
      work_.launch(differentiate, gradient.span(), weights_.span(), std::size_t(where()[0]) * samples);
      const auto all = co_await all_reduce(std::move(gradient).ready_after(work_), imbrex::sum);
      work_.wait(all.ready());
      work_.launch(descend, weights_.span(), all.span(), 1.5 / double(samples * peers().size()));
    }
  }
  imbrex::device_buffer<double> weights() {
    imbrex::device_buffer<double> copy(imbrex::gpu(), weights_.size());
    work_.copy(copy.span(), std::as_const(weights_).span());
    return std::move(copy).ready_after(work_);
  }

 private:
  imbrex::stream work_{imbrex::gpu(), imbrex::stream_priority::normal, "a trainer"};
  imbrex::device_buffer<double> weights_{imbrex::gpu(), 2};
};

imbrex::task<std::vector<double>> on_host(imbrex::shared_device_buffer<double> values) {
  imbrex::stream own(imbrex::gpu(), imbrex::stream_priority::normal, "the main task");
  imbrex::pinned_buffer<double> copy(imbrex::gpu(), values.size());
  own.wait(values.ready());
  own.copy(copy.span(), values.span());
  co_await own.done();
  co_return std::vector<double>(copy.span().begin(), copy.span().end());
}

imbrex::task<int> program() {
  const auto trainers = imbrex::make_array<trainer>(6);
  imbrex::stream own(imbrex::gpu(), imbrex::stream_priority::normal, "the main task");
  imbrex::device_buffer<double> first(imbrex::gpu(), 2);
  own.fill(first.span(), std::byte(0));
  const imbrex::shared_device_buffer<double> weights(std::move(first).ready_after(own));
  co_await trainers.call<&trainer::train>(weights);
  const auto all_least = co_await trainers.reduce<&trainer::weights>(imbrex::min);
  const auto all_most = co_await trainers.reduce<&trainer::weights>(imbrex::max);
  const std::vector<double> least = co_await on_host(all_least);
  const std::vector<double> most = co_await on_host(all_most);
  const bool agree = least == most;
  const bool fits = std::abs(least[0] - 3) < 0.05 && std::abs(least[1] + 1) < 0.05;
  std::printf("y = %.2f x %+.2f: %s\n", least[0], least[1],
              !agree ? "the trainers DISAGREE"
              : fits ? "as the samples are"
                     : "WRONG");
  co_return agree&& fits ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return imbrex::run(argc, argv, program); }
