// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/lanes.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include <imbrex/net/ucx/handles.hpp>
#include <imbrex/net/ucx/library.hpp>

namespace imbrex::ucx {
namespace {

constexpr const char* head = "#\n# UCP endpoint \n#\n#               peer: <no debug data>\n";

TEST(lanes, are_of_tcp_alone) {
  const std::string one =
      "#                 lane[0]:  1:tcp/lo.0 md[1]                -> md[1]/tcp/sysdev[255] am\n";
  const std::string other =
      "#                 lane[1]:  12:tcp/eth0.0 md[1]           -> md[1]/tcp/sysdev[255] wireup\n";
  EXPECT_TRUE(names_tcp_alone(head + one + "#\n"));
  EXPECT_TRUE(names_tcp_alone(head + one + other + "#\n#  am_send: 0..<egr/short>..8185..(inf)\n"));
}

TEST(lanes, are_of_something_else_too) {
  const std::string tcp =
      "#                 lane[0]:  1:tcp/lo.0 md[1]                -> md[1]/tcp/sysdev[255] am\n";
  const std::string verbs =
      "#                 lane[1]:  5:rc_mlx5/mlx5_0:1.0 md[4]  -> md[4]/ib/sysdev[3] rma_bw#0\n";
  const std::string memory =
      "#                 lane[0]:  3:sysv/memory.0 md[2]           -> md[2]/sysv/sysdev[255] am\n";
  EXPECT_FALSE(names_tcp_alone(head + tcp + verbs));
  EXPECT_FALSE(names_tcp_alone(head + verbs + tcp));
  EXPECT_FALSE(names_tcp_alone(head + memory));
}

TEST(lanes, are_not_guessed) {
  EXPECT_FALSE(names_tcp_alone(""));
  EXPECT_FALSE(names_tcp_alone(head));
  EXPECT_FALSE(names_tcp_alone("lane["));
  EXPECT_FALSE(names_tcp_alone("lane[0]:"));
  EXPECT_FALSE(names_tcp_alone("lane[0] tcp/lo"));
  EXPECT_FALSE(names_tcp_alone("lane[0]:  1:tcpx/lo.0"));
}

/// The result for an endpoint between two workers, if UCX may use only these transports; nothing if it
/// cannot.
std::optional<bool> is_tcp_alone_with(const char* transports) {
  load();
  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES;
  parameters.features = UCP_FEATURE_AM;
  ucp_config_t* config = nullptr;
  check(ucp.config_read(nullptr, nullptr, &config), "ucp_config_read");
  check(ucp.config_modify(config, "TLS", transports), "ucp_config_modify");
  check(ucp.config_modify(config, "NET_DEVICES", "all"), "ucp_config_modify");
  ucp_context_h handle = nullptr;
  check(ucp.init_version(library::oldest_major, library::oldest_minor, &parameters, config, &handle),
        "ucp_init");
  ucp.config_release(config);
  const context owner(handle);
  const worker from = make_worker(handle, {});
  const worker to = make_worker(handle, {});
  const std::string address = address_of(to.get());
  ucp_ep_params_t there{};
  there.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  there.address = reinterpret_cast<const ucp_address_t*>(address.data());
  ucp_ep_h endpoint = nullptr;
  if (ucp.ep_create(from.get(), &there, &endpoint) != UCS_OK) return std::nullopt;
  return is_tcp_alone(endpoint);
}

TEST(lanes, of_an_endpoint) {
  const auto memory = is_tcp_alone_with("sysv");
  const auto tcp = is_tcp_alone_with("tcp");
  if (!tcp) GTEST_SKIP() << "UCX finds no TCP here";
  EXPECT_TRUE(*tcp);
  if (!memory) GTEST_SKIP() << "UCX finds no System V shared memory here";
  EXPECT_FALSE(*memory);
}

}  // namespace
}  // namespace imbrex::ucx
