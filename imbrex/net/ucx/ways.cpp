// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ways.hpp>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/net/host.hpp>

namespace imbrex::ucx {
namespace {

namespace fs = std::filesystem;

/// Transports without System V memory, which UCX opens to the user's whole group. Copies by the kernel open
/// nothing.
constexpr const char* within_one_host = "posix,cma,self";
constexpr const char* beside_neighbours = "^sysv";
constexpr const char* beside_nobody = "^sm";
constexpr const char* loopback = "lo";

using interfaces = std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)>;

interfaces all_interfaces() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) first = nullptr;
  return {first, &::freeifaddrs};
}

/// The address as digits; empty if it is of another kind.
std::string text_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address == nullptr) return {};
  if (address->sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  if (address->sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (bytes == nullptr || ::inet_ntop(address->sa_family, bytes, text.data(), text.size()) == nullptr)
    return {};
  return text.data();
}

bool is_link_local(const sockaddr* address) {
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

/// Ports of InfiniBand and the like, by UCX's names; they have no addresses.
std::set<std::string> fabric_ports() {
  std::set<std::string> found;
  std::error_code none;
  for (const auto& device : fs::directory_iterator("/sys/class/infiniband", none))
    for (const auto& port : fs::directory_iterator(device.path() / "ports", none))
      found.insert(device.path().filename().string() + ":" + port.path().filename().string());
  return found;
}

std::string namespace_of(const char* kind) {
  std::error_code none;
  return fs::read_symlink("/proc/self/ns/" + std::string(kind), none).string();
}

/// The interfaces to another host; empty if none is found.
std::set<std::string> interfaces_to(const whereabouts& other, const whereabouts& own, const route& to) {
  std::set<std::string> found;
  for (const auto& address : other.addresses) {
    const bool is_everybodys =
        std::ranges::find(own.addresses, address) != own.addresses.end();  // such as a bridge's
    const std::string name = is_everybodys ? "" : to(address);
    if (!name.empty() && name != loopback) found.insert(name);
  }
  return found;
}

/// The interfaces to all other processes; nothing if those to some process are not known.
std::optional<std::set<std::string>> interfaces_to_all(std::span<const whereabouts> all,
                                                       const whereabouts& own, const route& to) {
  std::set<std::string> devices;
  for (const auto& other : all) {
    if (other.host == own.host) {
      if (other.memory != own.memory) devices.insert(loopback);
      continue;
    }
    const auto names = interfaces_to(other, own, to);
    if (names.empty()) return std::nullopt;
    devices.insert(names.begin(), names.end());
  }
  return devices;
}

}  // namespace

whereabouts whereabouts::of_this_process() {
  whereabouts here{name_of_host(), namespace_of("pid") + " " + namespace_of("user"), {}};
  const auto all = all_interfaces();
  for (const ifaddrs* interface = all.get(); interface != nullptr; interface = interface->ifa_next) {
    const bool is_used = (interface->ifa_flags & IFF_UP) != 0 && (interface->ifa_flags & IFF_LOOPBACK) == 0;
    const std::string text = text_of(interface->ifa_addr);
    if (is_used && !text.empty() && !is_link_local(interface->ifa_addr)) here.addresses.push_back(text);
  }
  return here;
}

bool opens(std::string_view transports, std::string_view shared_memory) {
  const bool is_negated = transports.starts_with('^');
  if (is_negated) transports.remove_prefix(1);
  bool is_named = false;
  while (!transports.empty()) {
    const std::size_t end = std::min(transports.find(','), transports.size());
    const std::string_view transport = transports.substr(0, end);
    constexpr std::array<std::string_view, 4> groups{"all", "mm", "sm", "shm"};
    is_named |= transport == shared_memory || std::ranges::find(groups, transport) != groups.end();
    transports.remove_prefix(std::min(end + 1, transports.size()));
  }
  return is_named != is_negated;
}

std::string interface_to(const std::string& address) {
  constexpr int any_port = 9;
  sockaddr_storage to{};
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&to);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&to);
  socklen_t length = 0;
  if (::inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(any_port);
    length = sizeof *v4;
  } else if (::inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(any_port);
    length = sizeof *v6;
  } else {
    return {};
  }
  // The socket sends nothing: the kernel only chooses the address to send from.
  const descriptor socket(::socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), length) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&from), &size) != 0)
    return {};
  const std::string own = text_of(reinterpret_cast<const sockaddr*>(&from));
  const auto all = all_interfaces();
  for (const ifaddrs* interface = all.get(); interface != nullptr; interface = interface->ifa_next)
    if (text_of(interface->ifa_addr) == own) return interface->ifa_name;
  return {};
}

bool ways::stay_within_host() const { return transports == within_one_host; }

ways ways_to_others(std::span<const whereabouts> all, std::size_t self, const route& to) {
  const whereabouts& own = all[self];
  const auto is_here = [&](const whereabouts& other) { return other.host == own.host; };
  const auto shares = [&](const whereabouts& other) { return is_here(other) && other.memory == own.memory; };
  ways chosen;
  if (std::ranges::all_of(all, shares))
    chosen.transports = within_one_host;
  else
    chosen.transports = std::ranges::count_if(all, shares) > 1 ? beside_neighbours : beside_nobody;
  if (const auto devices = interfaces_to_all(all, own, to); devices && !devices->empty()) {
    std::set<std::string> names = *devices;
    if (!std::ranges::all_of(all, is_here)) names.merge(fabric_ports());
    for (const auto& name : names) chosen.devices += (chosen.devices.empty() ? "" : ",") + name;
  }
  if (std::getenv("UCX_TLS") != nullptr) chosen.transports.clear();
  if (std::getenv("UCX_NET_DEVICES") != nullptr) chosen.devices.clear();
  return chosen;
}

ways ways_between_hosts(const ways& all) {
  return {all.transports.empty() ? "" : beside_nobody, all.devices};
}

}  // namespace imbrex::ucx
