// What NCCL saw of a machine. What the XML says, see interop/nccl_topology.hpp; what becomes of it,
// see convert/nccl_node.hpp.
#include "interop/nccl_topology.hpp"

#include "config/emit.hpp"
#include "config/small_file.hpp"
#include "convert/formats/registry.hpp"
#include "convert/nccl_node.hpp"

namespace pipewright::convert {
namespace {

std::string import_nccl_topology(const ImportRequest& request) {
  const std::string& file = request.file;
  const nccl::System system = nccl::read_topology(config::read_small_file(file), file);
  return config::to_yaml(
      node_of_nccl(system, {file, request.option("name"), request.option("device")}));
}

bool recognises_nccl_topology(std::string_view head, const std::string&) {
  return head.find("<system version=") != std::string_view::npos;
}

void fuzz_nccl_topology(std::string_view bytes) {
  const nccl::System system = nccl::read_topology(std::string(bytes), "fuzz.xml");
  config::to_yaml(node_of_nccl(system, {"fuzz.xml", "", ""}));
}

}  // namespace

const Format format::nccl_topology{
    .name = "nccl-topology",
    .summary = "the XML that NCCL writes where NCCL_TOPO_DUMP_FILE says",
    .reading =
        {.makes = "a node, link by link",
         .help =
             R"(The node has its PCIe switches, sockets, NVLinks and NICs; 'pipewright list nodes FILE.yaml --dot'
draws it.
)",
         .run = import_nccl_topology,
         .options = {{"name", "NAME", "what the node is called"},
                     {"device", "DEVICE",
                      "the device that its GPUs are, where their number does not say it"}}},
    .recognises = recognises_nccl_topology,
    .fuzz = fuzz_nccl_topology};

}  // namespace pipewright::convert
