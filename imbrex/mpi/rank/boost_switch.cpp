// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/boost_switch.hpp>

#include <boost/context/detail/fcontext.hpp>

namespace imbrex::mpi {

namespace {

namespace context = boost::context::detail;
using arrival = extension::stack_switch::arrival;

IMBREX_UNSEEN_BY_SANITIZERS void begin(context::transfer_t from) { fiber::begin({from.fctx, from.data}); }

void* make(std::byte* top, std::size_t bytes) { return context::make_fcontext(top, bytes, &begin); }

IMBREX_UNSEEN_BY_SANITIZERS arrival jump(void* to, void* data) {
  const context::transfer_t from = context::jump_fcontext(to, data);
  return {from.fctx, from.data};
}

}  // namespace

const extension::stack_switch boost_switch{&make, &jump};

}  // namespace imbrex::mpi
