// A library that is found when it is needed: it is large, and a program that does not use it shall
// start without it.
#pragma once

#include <string>

namespace pipewright::kernels {

class SharedLibrary {
 public:
  /// Loads `file`, which stays for the rest of the program: where the system looks, beside the
  /// program ($ORIGIN/lib), then where the toolkit is installed. Throws Failure when it is not
  /// there.
  SharedLibrary(std::string file, const std::string& product);

  /// Throws Failure where the library has no such function.
  template <class F>
  void find(const char* name, F& function) const {
    function = reinterpret_cast<F>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  std::string file_;
  void* handle_ = nullptr;
};

}  // namespace pipewright::kernels
