// SPDX-License-Identifier: Apache-2.0
// Two files define classes of one name in anonymous namespaces: the run must refuse to begin.
#include <imbrex/imbrex.hpp>

void use_the_other();

namespace {

class twin : public imbrex::chare<twin> {
 public:
  void greet() {}
};

}  // namespace

int main(int argc, char** argv) {
  const int status = imbrex::run(argc, argv, []() -> imbrex::task<> {
    imbrex::send<&twin::greet>(imbrex::make_chare<twin>());
    use_the_other();
    co_await imbrex::quiescence();
  });
  return status == 1 ? 0 : 1;
}
