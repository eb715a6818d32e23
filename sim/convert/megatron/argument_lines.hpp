// The arguments of a launch script as it lists them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace pipewright::megatron {

class ArgumentLines {
 public:
  void add(std::string_view name) { text_ += fmt::format("    --{}\n", name); }
  template <class T>
  void add(std::string_view name, const T& value) {
    text_ += fmt::format("    --{} {}\n", name, value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace pipewright::megatron
