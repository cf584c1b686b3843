// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/page/bins.hpp>

#include <algorithm>

namespace imbrex::tools {

namespace {

// Shares kept per bin; pages show fewer. With 300,000 bins and the capacity of vectors this takes 150 MB.
constexpr std::size_t most_shares = 24;

}  // namespace

void share_bins::add(std::vector<share>& bin, const share& added) {
  const auto by_what = [](const share& l, std::uint32_t what) { return l.what < what; };
  auto found = std::lower_bound(bin.begin(), bin.end(), added.what, by_what);
  if (found != bin.end() && found->what == added.what) {
    found->time += added.time;
    return;
  }
  bin.insert(found, added);
  if (bin.size() <= most_shares) return;
  const auto apart = std::lower_bound(bin.begin(), bin.end(), always_apart, by_what);
  const auto least =
      std::min_element(bin.begin(), apart, [](const share& l, const share& r) { return l.time < r.time; });
  const share other{other_things, least->time};
  bin.erase(least);
  add(bin, other);
}

void share_bins::add(const bin_scale& scale, std::uint32_t what, interval time) {
  while (time.begin < time.end) {
    const std::size_t k = time.begin / scale.width;
    const std::uint64_t until = std::min<std::uint64_t>(time.end, (k + 1) * scale.width);
    if (k >= bins_.size()) bins_.resize(k + 1);
    add(bins_[k], {what, until - time.begin});
    time.begin = until;
  }
}

void share_bins::fold() {
  for (std::size_t k = 0; 2 * k < bins_.size(); ++k) {
    std::vector<share> both = std::move(bins_[2 * k]);
    if (2 * k + 1 < bins_.size())
      for (const share& one : bins_[2 * k + 1]) add(both, one);
    bins_[k] = std::move(both);
  }
  bins_.resize((bins_.size() + 1) / 2);
}

load_bins::bin& load_bins::at(std::size_t k) {
  if (k >= bins_.size()) bins_.resize(k + 1);
  return bins_[k];
}

void load_bins::add(const bin_scale& scale, interval time, std::uint64_t amount) {
  if (time.begin >= time.end) return;
  const auto of = static_cast<double>(amount);
  const std::size_t first = time.begin / scale.width;
  const std::size_t last = (time.end - 1) / scale.width;
  const auto part = [&](std::size_t k, std::uint64_t length) {
    at(k).parts.count += static_cast<double>(length);
    at(k).parts.amount += static_cast<double>(length) * of;
  };
  if (first == last) return part(first, time.end - time.begin);
  part(first, (first + 1) * scale.width - time.begin);
  part(last, time.end - last * scale.width);
  at(first).begins += 1;
  at(first).amounts += of;
  at(last - 1).begins -= 1;
  at(last - 1).amounts -= of;
}

std::vector<load_bins::load> load_bins::loads(const bin_scale& scale) const {
  std::vector<load> all;
  all.reserve(bins_.size());
  load whole;  // number of things that span this whole bin
  const auto width = static_cast<double>(scale.width);
  for (const bin& one : bins_) {
    all.push_back({one.parts.count + whole.count * width, one.parts.amount + whole.amount * width});
    whole.count += one.begins;
    whole.amount += one.amounts;
  }
  return all;
}

void load_bins::fold(const bin_scale& before) {
  const auto all = loads(before);
  std::vector<bin>((all.size() + 1) / 2).swap(bins_);
  for (std::size_t k = 0; k < all.size(); ++k) {
    bins_[k / 2].parts.count += all[k].count;
    bins_[k / 2].parts.amount += all[k].amount;
  }
}

}  // namespace imbrex::tools
