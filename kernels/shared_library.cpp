#include "kernels/shared_library.hpp"

#include <dlfcn.h>

#include "base/error.hpp"

namespace pipewright::kernels {

SharedLibrary::SharedLibrary(std::string file, const std::string& product)
    : file_(std::move(file)) {
  std::string why;
  for (const std::string folder : {"", "/usr/local/cuda/lib64/"}) {
    if ((handle_ = dlopen((folder + file_).c_str(), RTLD_NOW | RTLD_LOCAL))) return;
    if (why.empty()) why = dlerror();
  }
  throw Failure("CUDA: no " + file_ + " (" + why + "): install " + product +
                " or name its folder in LD_LIBRARY_PATH");
}

void* SharedLibrary::symbol(const char* name) const {
  if (void* found = dlsym(handle_, name)) return found;
  throw Failure("CUDA: " + file_ + " has no " + name);
}

}  // namespace pipewright::kernels
