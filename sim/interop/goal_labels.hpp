// The ops of one rank by label: a hash table that is emptied at no cost. Internal to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "base/labels.hpp"

namespace pipewright::goal {

class OpsByLabel {
 public:
  static constexpr uint32_t nothing = UINT32_MAX;

  void clear() {
    ++epoch_;
    count_ = 0;
  }
  uint32_t find(Label label) const {
    const Entry& entry = entries_[place(label)];
    return entry.epoch == epoch_ ? entry.op : nothing;
  }
  /// `label` must not be there yet.
  void add(Label label, uint32_t op) {
    if (2 * ++count_ > entries_.size()) grow();
    entries_[place(label)] = {label, op, epoch_};
  }

 private:
  struct Entry {
    Label label;
    uint32_t op = 0;
    uint32_t epoch = 0;  ///< of another epoch: free
  };

  /// Returns the position where `label` stands or would stand.
  size_t place(Label label) const {
    uint64_t key = uint64_t{label.prefix} << 32 | label.number;
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdu;  // MurmurHash3's mixing of 64 bits
    size_t at = ((key ^ key >> 33) * 0xc4ceb9fe1a85ec53u) >> shift_;
    while (entries_[at].epoch == epoch_ && entries_[at].label != label)
      at = (at + 1) & (entries_.size() - 1);
    return at;
  }
  void grow() {
    const std::vector<Entry> before = std::move(entries_);
    entries_.assign(2 * before.size(), {});
    --shift_;
    for (const Entry& entry : before)
      if (entry.epoch == epoch_) entries_[place(entry.label)] = entry;
  }

  std::vector<Entry> entries_ = std::vector<Entry>(256);
  int shift_ = 56;  ///< 64 less the bits of a place
  size_t count_ = 0;
  uint32_t epoch_ = 1;
};

}  // namespace pipewright::goal
