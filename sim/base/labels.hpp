// Names by the million, most of which differ in a number at their end: 8 bytes each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pipewright {

/// A name as a prefix, kept once, and the number of up to nine digits that ends it: "l12" is "l"
/// and 12, "l012" is "l0" and 12, "l0" and "lane" are all prefix.
struct Label {
  static constexpr uint32_t nothing = UINT32_MAX;
  uint32_t prefix = nothing, number = nothing;
  bool operator==(const Label&) const = default;
  explicit operator bool() const { return prefix != nothing; }
};

class LabelTable {
 public:
  /// The label of `name`, which need not be new.
  Label add(std::string_view name);
  uint32_t add_prefix(std::string_view prefix);
  /// The name; nothing for an empty label.
  std::string text(Label label) const;

 private:
  std::vector<std::string> prefixes_;
  std::unordered_map<std::string, uint32_t> index_;
  uint32_t last_ = 0;  ///< the prefix that was added last: most often the next one too
};

}  // namespace pipewright
