// cuDNN, found when it is needed: it is half a gigabyte, and a program that does not use it shall
// start without it. All is done by its graph API: descriptors with attributes.
#pragma once

#include <cudnn_graph.h>

#include <string>

namespace pipewright::kernels::cuda::cudnn {

struct Library {
  decltype(&cudnnGetVersion) get_version;
  decltype(&cudnnGetErrorString) error_string;
  decltype(&cudnnGetLastErrorString) last_error;
  decltype(&cudnnCreate) create;
  decltype(&cudnnDestroy) destroy;
  decltype(&cudnnSetStream) set_stream;
  decltype(&cudnnBackendCreateDescriptor) create_descriptor;
  decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor;
  decltype(&cudnnBackendSetAttribute) set_attribute;
  decltype(&cudnnBackendGetAttribute) attribute;
  decltype(&cudnnBackendFinalize) finalize;
  decltype(&cudnnBackendExecute) execute;

  /// Loads the library; it stays for the rest of the program. Throws Failure when it is not there.
  Library();
  /// Throws Failure "cuDNN: WHAT: status: cuDNN's own reason".
  void check(cudnnStatus_t status, const char* what) const;
  /// Prints one line on stderr, where nothing may be thrown because something is given back.
  void check_closed(cudnnStatus_t status, const char* what) const noexcept;
  std::string version() const;  ///< "cuDNN 9.19.0"
};

}  // namespace pipewright::kernels::cuda::cudnn
