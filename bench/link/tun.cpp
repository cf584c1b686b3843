// SPDX-License-Identifier: Apache-2.0
#include "tun.hpp"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace bench::link {
namespace {

int checked(int result, const std::string& what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

descriptor open_file(const std::string& path, int flags) {
  return descriptor(checked(open(path.c_str(), flags | O_CLOEXEC), "open " + path));
}

ifreq request_for(const std::string& device) {
  ifreq request{};
  device.copy(request.ifr_name, sizeof request.ifr_name - 1);
  return request;
}

// TUN devices report 10 Mbit/s, and communication libraries choose their protocols by that speed. Some
// kernels do not allow changing it; packets are still delayed correctly.
void announce_speed(const std::string& device, double bits_per_second) {
  const descriptor control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request = request_for(device);
  ethtool_cmd settings{};
  settings.cmd = ETHTOOL_GSET;
  request.ifr_data = reinterpret_cast<char*>(&settings);
  if (ioctl(control.number(), SIOCETHTOOL, &request) < 0) return;
  settings.cmd = ETHTOOL_SSET;
  ethtool_cmd_speed_set(&settings, static_cast<std::uint32_t>(std::max(1.0, bits_per_second / 1e6)));
  ioctl(control.number(), SIOCETHTOOL, &request);
}

}  // namespace

descriptor::~descriptor() {
  if (number_ >= 0) close(number_);
}

descriptor open_tun(const std::string& name_space, const std::string& device, double bits_per_second) {
  const descriptor home = open_file("/proc/self/ns/net", O_RDONLY);
  const descriptor there = open_file(name_space, O_RDONLY);
  checked(setns(there.number(), CLONE_NEWNET), "enter " + name_space);
  descriptor tun = open_file("/dev/net/tun", O_RDWR | O_NONBLOCK);
  ifreq request = request_for(device);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  checked(ioctl(tun.number(), TUNSETIFF, &request), "make the TUN device " + device);
  announce_speed(device, bits_per_second);
  checked(setns(home.number(), CLONE_NEWNET), "leave " + name_space);
  return tun;
}

}  // namespace bench::link
