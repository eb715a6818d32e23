#include "base/labels.hpp"

#include <charconv>

namespace pipewright {

Label LabelTable::add(std::string_view name) {
  size_t digits = 0;
  while (digits < name.size() && digits < 9) {
    const char c = name[name.size() - 1 - digits];
    if (c < '0' || c > '9') break;
    ++digits;
  }
  while (digits > 0 && name[name.size() - digits] == '0') --digits;
  Label label{add_prefix(name.substr(0, name.size() - digits)), Label::nothing};
  if (digits > 0)
    std::from_chars(name.data() + name.size() - digits, name.data() + name.size(), label.number);
  return label;
}

uint32_t LabelTable::add_prefix(std::string_view prefix) {
  if (last_ < prefixes_.size() && prefixes_[last_] == prefix) return last_;
  const auto [found, is_new] =
      index_.try_emplace(std::string(prefix), static_cast<uint32_t>(prefixes_.size()));
  if (is_new) prefixes_.emplace_back(prefix);
  return last_ = found->second;
}

std::string LabelTable::text(Label label) const {
  if (!label) return {};
  std::string text = prefixes_[label.prefix];
  if (label.number != Label::nothing) text += std::to_string(label.number);
  return text;
}

}  // namespace pipewright
