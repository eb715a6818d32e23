// A shell inside of another: $(...), (...), a script that is started.
#pragma once

#include <utility>

#include "interop/shell/interpreter.hpp"

namespace pipewright::shell {

/// While it lives, the script has copies of its variables and functions. What is changed of them is
/// gone afterwards, and what refers to the others stays good.
class InnerShell {
 public:
  explicit InnerShell(Interpreter& shell)
      : shell_(shell), environment_(shell.environment()), functions_(shell.functions()) {
    exchange();
    shell.environment().record(nullptr);
  }
  ~InnerShell() { exchange(); }
  InnerShell(const InnerShell&) = delete;
  InnerShell& operator=(const InnerShell&) = delete;

 private:
  void exchange() {
    std::swap(shell_.environment(), environment_);
    std::swap(shell_.functions(), functions_);
  }

  Interpreter& shell_;
  Environment environment_;
  Functions functions_;
};

}  // namespace pipewright::shell
