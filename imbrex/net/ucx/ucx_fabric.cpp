// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ucx_fabric.hpp>

#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/net/endpoint/text.hpp>
#include <imbrex/net/ucx/heartbeat.hpp>
#include <imbrex/net/ucx/library.hpp>
#include <imbrex/net/ucx/ucx_endpoint.hpp>
#include <imbrex/net/ucx/ways.hpp>

namespace imbrex::ucx {
namespace {

class ucx_fabric final : public fabric {
 public:
  std::string introduction() override { return endpoints::to_text(whereabouts::of_this_process()); }

  void open(const std::vector<std::string>& all, int self) override {
    std::vector<whereabouts> places;
    for (const auto& text : all) places.push_back(endpoints::from_text<whereabouts>(text));
    ways_ = ways_to_others(places, static_cast<std::size_t>(self));
    context_ = make_context(connecting::may_block, ways_);
    allow_many_descriptors();  // over TCP each connection takes one, and each worker several
  }

  std::unique_ptr<fabric_worker> make_worker() override {
    return std::make_unique<ucx_worker>(context_.get());
  }

  std::unique_ptr<link_watch> make_watch(int host, const std::vector<link_monitor>& hosts,
                                         std::uint64_t token, detail::network::receiver& to) override {
    if (!watches_links()) return nullptr;
    return std::make_unique<heartbeat>(host, hosts, silence_, ways_between_hosts(ways_), token, to);
  }
  bool watches_links() const override { return silence_.count() > 0; }

  void close(bool finished) override {
    // UCX 1.18 aborts if a context ends while memory of unfinished messages is still registered in it.
    if (!finished) static_cast<void>(context_.release());
  }

 private:
  /// Read at the start, so that an invalid value is refused on a single host, too.
  const std::chrono::milliseconds silence_ = heartbeat::silence();
  ways ways_;
  context context_;
};

}  // namespace

std::unique_ptr<fabric> make_fabric() {
  load();  // a process without UCX reports that before the others wait for it
  return std::make_unique<ucx_fabric>();
}

std::unique_ptr<endpoints::fabric_endpoint> make_endpoint(std::unique_ptr<fabric_worker> of, int process,
                                                          const endpoints::places& where,
                                                          detail::network::receiver& to) {
  return endpoints::make_network_endpoint<ucx_worker>(std::move(of), process, where, to);
}

}  // namespace imbrex::ucx
