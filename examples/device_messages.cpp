// SPDX-License-Identifier: Apache-2.0
// Device memory is sent between chares: heat in a rod that is divided into pieces, each on its device. The
// ends of the pieces are moved, or shared and copied to the receiver's place, or sent through channels, also
// through persistent ones. No stream waits for the host.
//   build/release/bin/device_messages --pes 2 --device emulated --devices 2
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include <imbrex/gpu.hpp>

namespace {

using imbrex::device_span;

constexpr std::size_t cells = 50;  // per piece, without one ghost cell at each end
constexpr int steps = 40;

double heat_at(std::size_t cell) { return double(cell * cell % 17); }
double next_heat(double left, double here, double right) { return here + 0.25 * (left - 2 * here + right); }

constexpr imbrex::kernel<device_span<const double>, device_span<double>> sweep{
    .name = "sweep", .host = [](device_span<const double> now, device_span<double> next) {
      for (std::size_t i = 1; i + 1 < now.size(); ++i)
        next.data()[i] = next_heat(now.data()[i - 1], now.data()[i], now.data()[i + 1]);
    }};

struct end_cell {
  int side;  // side of the receiver: 0 left, 1 right
  imbrex::device_buffer<double> heat;
};

class piece : public imbrex::chare<piece> {
 public:
  piece() {
    imbrex::pinned_buffer<double> first(imbrex::gpu(), cells + 2);
    for (std::size_t i = 0; i < cells; ++i) first[i + 1] = heat_at(where()[0] * cells + i);
    first[0] = first[cells + 1] = 0;
    for (auto* const field : {&now_, &next_}) work_.copy(field->span(), first.span());
  }

  imbrex::mailbox<end_cell> halo;

  // The ends are moved: on one device only the buffer's address is sent.
  imbrex::task<> hand_over() {
    for (int step = 0; step < steps; ++step) {
      for (int side = 0; side < 2; ++side) {
        if (!has_neighbour(side)) continue;
        imbrex::device_buffer<double> out(imbrex::gpu(), 1);
        work_.copy(out.span(), end(side));
        imbrex::send<&piece::halo>(neighbour(side), step,
                                   end_cell{1 - side, std::move(out).ready_after(work_)});
      }
      for (int n = has_neighbour(0) + has_neighbour(1); n > 0; --n) {
        const end_cell in = co_await halo.receive(step);
        work_.wait(in.heat);
        work_.copy(ghost(in.side), in.heat.span());
      }
      update();
    }
  }

  // The destination of the array that `take` receives, and the stream that orders the copy.
  imbrex::device_place<double> place(int side, int step, std::size_t) { return {landing(side, step), work_}; }
  void take(int side, int step, imbrex::device_argument<double, &piece::place>) {
    imbrex::send<&piece::landed>(self(), step, side);
  }
  imbrex::mailbox<int> landed;

  // The ends stay where they are, and are read from there.
  imbrex::task<> share() {
    for (int step = steps; step < 2 * steps; ++step) {
      std::vector<imbrex::device_loan<double>> loans;
      for (int side = 0; side < 2; ++side) {
        if (!has_neighbour(side)) continue;
        loans.push_back(imbrex::zero_copy(end(side), work_));
        imbrex::send<&piece::take>(neighbour(side), 1 - side, step, loans.back());
      }
      for (int n = has_neighbour(0) + has_neighbour(1); n > 0; --n) {
        const int side = co_await landed.receive(step);
        work_.copy(ghost(side), landing(side, step));
      }
      for (const auto& loan : loans) co_await loan.done();  // before the ends change
      update();
    }
  }

  // The exchange by a channel to each neighbour: connected once, then only data are sent.
  imbrex::device_channel<double> left, right;

  imbrex::task<> by_channels() {
    if (has_neighbour(0)) left.connect<&piece::right>(neighbour(0));
    if (has_neighbour(1)) right.connect<&piece::left>(neighbour(1));
    for (int step = 0; step < steps; ++step) {
      std::vector<imbrex::device_loan<double>> loans;
      for (int side = 0; side < 2; ++side)
        if (has_neighbour(side)) loans.push_back(channel(side).send(end(side), work_));
      for (int side = 0; side < 2; ++side)
        if (has_neighbour(side)) co_await channel(side).receive(ghost(side), work_);
      for (const auto& loan : loans) co_await loan.done();
      update();
    }
  }

  // The exchange by persistent channels, which know the memory of both ends: in both arrays.
  imbrex::persistent_channel<double> to_left, to_right;

  imbrex::task<> bind(int side) {
    const std::size_t out = side == 0 ? 1 : cells, in = side == 0 ? 0 : cells + 1;
    co_await bound(side).bind({now_.span().subspan(out, 1), next_.span().subspan(out, 1)},
                              {now_.span().subspan(in, 1), next_.span().subspan(in, 1)});
  }
  imbrex::task<> by_bound_channels() {
    if (has_neighbour(0)) to_left.connect<&piece::to_right>(neighbour(0));
    if (has_neighbour(1)) to_right.connect<&piece::to_left>(neighbour(1));
    std::vector<imbrex::task<>> binding;
    for (int side = 0; side < 2; ++side)
      if (has_neighbour(side)) binding.push_back(bind(side));
    co_await imbrex::when_all(std::move(binding));
    for (int step = 0; step < steps; ++step) {
      for (int side = 0; side < 2; ++side)
        if (has_neighbour(side)) co_await bound(side).send(work_);
      for (int side = 0; side < 2; ++side)
        if (has_neighbour(side)) co_await bound(side).receive(work_);
      update();
      for (int side = 0; side < 2; ++side)
        if (has_neighbour(side)) bound(side).release(work_);
    }
  }

  imbrex::task<std::vector<double>> heat() {
    imbrex::pinned_buffer<double> all(imbrex::gpu(), cells);
    work_.copy(all.span(), std::as_const(now_).span().subspan(1, cells));
    co_await work_.done();
    co_return std::vector<double>(all.span().begin(), all.span().end());
  }

 private:
  imbrex::device_channel<double>& channel(int side) { return side == 0 ? left : right; }
  imbrex::persistent_channel<double>& bound(int side) { return side == 0 ? to_left : to_right; }
  bool has_neighbour(int side) const {
    return side == 0 ? where()[0] > 0 : where()[0] + 1 < peers().shape()[0];
  }
  imbrex::element<piece> neighbour(int side) const { return peers()[where()[0] + 2 * side - 1]; }
  device_span<const double> end(int side) { return now_.span().subspan(side == 0 ? 1 : cells, 1); }
  // Two places for each side, since a neighbour may be a step ahead.
  device_span<double> landing(int side, int step) {
    return landing_.span().subspan(std::size_t(2 * (step % 2) + side), 1);
  }
  device_span<double> ghost(int side) { return now_.span().subspan(side == 0 ? 0 : cells + 1, 1); }
  void update() {
    work_.launch(sweep, std::as_const(now_).span(), next_.span());
    std::swap(now_, next_);
  }

  imbrex::stream work_{imbrex::gpu(), imbrex::stream_priority::normal, "a piece of the rod"};
  imbrex::device_buffer<double> now_{imbrex::gpu(), cells + 2}, next_{imbrex::gpu(), cells + 2};
  imbrex::device_buffer<double> landing_{imbrex::gpu(), 4};
};

std::vector<double> heat_by_loop(std::size_t pieces) {
  std::vector<double> now(pieces * cells + 2), next(now.size());
  for (std::size_t i = 0; i < pieces * cells; ++i) now[i + 1] = heat_at(i);
  for (int step = 0; step < 4 * steps; ++step, std::swap(now, next))
    for (std::size_t i = 1; i + 1 < now.size(); ++i) next[i] = next_heat(now[i - 1], now[i], now[i + 1]);
  return {now.begin() + 1, now.end() - 1};
}

imbrex::task<int> program() {
  const std::size_t count = 6;
  const auto pieces = imbrex::make_array<piece>(count);
  co_await pieces.call<&piece::hand_over>();
  co_await pieces.call<&piece::share>();
  co_await pieces.call<&piece::by_channels>();
  co_await pieces.call<&piece::by_bound_channels>();
  std::vector<double> is;
  for (const auto& of_piece : co_await pieces.reduce<&piece::heat>(imbrex::gather))
    is.insert(is.end(), of_piece.begin(), of_piece.end());
  const bool equal = is == heat_by_loop(count);
  std::printf("%zu cells after %d steps: %s\n", is.size(), 4 * steps, equal ? "as a loop has it" : "WRONG");
  co_return equal ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return imbrex::run(argc, argv, program); }
