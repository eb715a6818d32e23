// Any bytes are a topology of NCCL's that becomes a node, or an InputError.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "config/emit.hpp"
#include "convert/nccl_node.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  const std::string xml(reinterpret_cast<const char*>(data), size);
  try {
    config::to_yaml(node_of_nccl(nccl::read_topology(xml, "fuzz.xml"), {"fuzz.xml", "", ""}));
  } catch (const InputError&) {  // it is none
  }
  return 0;
}
