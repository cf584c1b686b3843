// SPDX-License-Identifier: Apache-2.0
// A program that is saved while it runs, and begins again on other numbers of PEs (docs/checkpoints.md).
#include <cstdio>

#include <imbrex/checkpoint.hpp>
#include <imbrex/imbrex.hpp>

class block : public imbrex::chare<block> {
 public:
  imbrex::task<double> run(int limit) {
    while (step_ < limit) {
      ++step_;
      energy_ += co_await all_reduce(0.5, imbrex::max);
      co_await balance_point<&block::run>(limit);  // moves, and stops for checkpoints, happen here
    }
    co_return energy_;
  }
  int step() const { return step_; }
  void serialize(auto& ar) { ar(step_, energy_); }  // all members

 private:
  int step_ = 0;
  double energy_ = 0;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<> {
    auto blocks = imbrex::restored<block>("blocks");  // nothing in a run that begins anew
    if (!blocks) blocks = imbrex::make_array<block>(imbrex::dense(64).named("blocks"));
    std::printf("the blocks begin at step %d\n", co_await blocks->reduce<&block::step>(imbrex::min));
    const double energy = co_await blocks->reduce<&block::run>(imbrex::max, 1000);
    std::printf("energy %g\n", energy);
  });
}
