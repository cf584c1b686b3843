// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/balance/python_strategies.hpp>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <imbrex/balance/edges.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/process/program_start.hpp>

namespace imbrex::tools::balance {
namespace {

using imbrex::balance::problem;

constexpr const char* server = "imbrex._strategy_server";

inherited_state state_of_this_process() {
  inherited_state state{};
  ::sigprocmask(SIG_SETMASK, nullptr, &state.mask);
  ::getrlimit(RLIMIT_NOFILE, &state.open_files);
  state.broken_pipe = SIG_DFL;
  return state;
}

}  // namespace

python_strategies::python_strategies(std::string file) : file_(std::move(file)) {
  start();
  try {
    read_names();
  } catch (...) {
    stop();
    throw;
  }
}

python_strategies::~python_strategies() { stop(); }

void python_strategies::stop() noexcept {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void python_strategies::start() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail_to_start("python3", errno);
  connection_ = descriptor(ends[0]);
  const descriptor end_of_python(ends[1]);
  try {
    process_ = start_program({"python3", "-m", server, file_}, state_of_this_process(), "python3",
                             [&] { ::dup2(end_of_python.get(), STDIN_FILENO); });
  } catch (const usage_error& e) {
    throw usage_error("--strategy " + printable(file_) + ": " + e.what());
  }
}

void python_strategies::read_names() {
  const std::int64_t number = read_number();
  if (number < 0) throw usage_error("--strategy " + printable(file_) + ": " + printable(read_text()));
  if (number == 0)
    throw usage_error("--strategy " + printable(file_) +
                      ": the file has no strategies; give it a function with @imbrex.strategy(\"mine\")");
  for (std::int64_t i = 0; i < number; ++i)
    strategies_.emplace_back(
        read_text(), [this, i](const problem& p) { return solve(static_cast<std::uint64_t>(i), p); },
        imbrex::balance::strategy::needs{.sent = true, .coordinates = true});
  has_begun_ = true;
}

std::vector<std::string> python_strategies::names() const {
  std::vector<std::string> all;
  for (const auto& each : strategies_) all.push_back(each.name());
  return all;
}

std::vector<int> python_strategies::solve(std::uint64_t number, const problem& p) {
  const std::vector<double> no_load(p.load.empty() ? p.size() : 0);
  const std::vector<std::uint8_t> all_movable(p.movable.empty() ? p.size() : 0, 1);
  const std::vector<imbrex::balance::sent_amount> nothing_sent(p.sent.empty() ? p.size() : 0);
  const std::vector<int> one_node(p.on.node.empty() ? static_cast<std::size_t>(p.on.pes) : 0);
  const std::vector<float> one_byte(p.edge_bytes.empty() ? p.edge_to.size() : 0, 1);
  const std::array<std::uint64_t, 6> head{number,
                                          p.size(),
                                          static_cast<std::uint64_t>(p.on.pes),
                                          static_cast<std::uint64_t>(p.dimensions),
                                          p.edge_to.size(),
                                          p.seed};
  write_all(head);
  write_all(p.pe);
  write_all(p.load);
  write_all(no_load);
  write_all(p.movable);
  write_all(all_movable);
  write_all(p.sent);
  write_all(nothing_sent);
  write_all(p.coordinates);
  write_all(edges_of(p));
  write_all(p.edge_bytes);
  write_all(one_byte);
  write_all(p.on.node);
  write_all(one_node);
  const std::int64_t size = read_number();
  if (size < 0) throw error(printable(file_) + ": " + printable(read_text()));
  std::vector<int> pes(static_cast<std::size_t>(size));
  read(pes.data(), pes.size() * sizeof(int));
  return pes;
}

void python_strategies::write(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(connection_.get(), from, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) fail();
    from += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void python_strategies::read(void* data, std::size_t bytes) {
  auto* to = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t got = ::recv(connection_.get(), to, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail();
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

std::int64_t python_strategies::read_number() {
  std::int64_t number = 0;
  read(&number, sizeof number);
  return number;
}

std::string python_strategies::read_text() {
  std::string text(static_cast<std::size_t>(read_number()), ' ');
  read(text.data(), text.size());
  return text;
}

void python_strategies::fail() {
  int status = 0;
  ::waitpid(std::exchange(process_, -1), &status, 0);
  const std::string how = WIFSIGNALED(status) ? "by signal " + std::to_string(WTERMSIG(status))
                                              : "with status " + std::to_string(WEXITSTATUS(status));
  if (has_begun_) throw error(printable(file_) + ": python3, which runs its strategies, has ended " + how);
  throw usage_error("--strategy " + printable(file_) + ": python3 has ended " + how +
                    " before it could run the strategies; it needs the package imbrex (pip install imbrex)");
}

}  // namespace imbrex::tools::balance
