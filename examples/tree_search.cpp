// SPDX-License-Identifier: Apache-2.0
// Counts an unbalanced tree (UTS, Olivier et al. 2006). A node's children follow from a hash of its path, so
// the distribution of work is unknown. Near the root each child gets a chare, which counts deeper levels
// itself. Shows: chares made at run time, calls of them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

using digest = std::array<std::uint32_t, 5>;

namespace {

/// SHA-1 (RFC 3174) of up to 13 words: the message is one block.
template <std::size_t Words>
digest sha1(const std::array<std::uint32_t, Words>& message) {
  std::array<std::uint32_t, 80> w{};
  std::copy(message.begin(), message.end(), w.begin());
  w[Words] = 0x80000000U;
  w[15] = 32 * Words;
  for (std::size_t t = 16; t < 80; ++t) w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  const digest start{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  auto [a, b, c, d, e] = start;
  for (std::size_t t = 0; t < 80; ++t) {
    const std::uint32_t f = t < 20              ? (b & c) | (~b & d)
                            : t < 40 || t >= 60 ? b ^ c ^ d
                                                : (b & c) | (b & d) | (c & d);
    constexpr std::array<std::uint32_t, 4> k{0x5A827999U, 0x6ED9EBA1U, 0x8F1BBCDCU, 0xCA62C1D6U};
    const std::uint32_t next = std::rotl(a, 5) + f + e + w[t] + k[t / 20];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  return {start[0] + a, start[1] + b, start[2] + c, start[3] + d, start[4] + e};
}

digest child_of(const digest& node, int number) {
  return sha1(std::array{node[0], node[1], node[2], node[3], node[4], std::uint32_t(number)});
}

/// The geometric tree T1: 4 children on average above `depth`, and none from there on.
int children_of(const digest& node, int level, int depth) {
  if (level >= depth) return 0;
  const double thrown = double(node[4] & 0x7FFFFFFFU) / 2147483648.0;
  return std::min(100, static_cast<int>(std::log(1 - thrown) / std::log(1 - 1.0 / (1.0 + 4.0))));
}

std::int64_t count(const digest& node, int level, int depth) {
  std::int64_t all = 1;
  for (int i = 0, n = children_of(node, level, depth); i < n; ++i)
    all += count(child_of(node, i), level + 1, depth);
  return all;
}

}  // namespace

class subtree : public imbrex::chare<subtree> {
 public:
  subtree(const digest& root, int level) : root_(root), level_(level) {}

  /// Counts the nodes of the subtree; the chare ends.
  imbrex::task<std::int64_t> nodes(int depth, int shared_levels) {
    std::int64_t all = 1;
    if (level_ >= shared_levels) {
      all = count(root_, level_, depth);
    } else {
      std::vector<imbrex::pending<std::int64_t>> below;
      for (int i = 0, n = children_of(root_, level_, depth); i < n; ++i)
        below.push_back(imbrex::make_chare<subtree>(child_of(root_, i), level_ + 1)
                            .call<&subtree::nodes>(depth, shared_levels));
      for (auto& b : below) all += co_await b;
    }
    destroy();
    co_return all;
  }

 private:
  digest root_;
  int level_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "tree_search [DEPTH]");
    const int depth = command_line.next("DEPTH", 6, 13);
    command_line.finish();

    const digest root = sha1(std::array<std::uint32_t, 5>{0, 0, 0, 0, 19});
    const auto nodes = co_await imbrex::make_chare<subtree>(root, 0).call<&subtree::nodes>(depth, 4);
    const bool right = nodes == (depth == 10 ? 4'130'071 : count(root, 0, depth));  // 10: published count
    std::printf("%ld nodes: %s\n", static_cast<long>(nodes), right ? "none is missing" : "wrong");
    co_return right ? 0 : 1;
  });
}
