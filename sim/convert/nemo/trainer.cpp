#include "convert/nemo/trainer.hpp"

#include <algorithm>

#include "convert/megatron/document.hpp"
#include "convert/megatron/lengths.hpp"
#include "interop/words.hpp"

namespace pipewright::nemo {
namespace {

/// Returns the steps (max_steps) of a trainer; 0 where it says none, or where there is none.
int64_t steps_of(const config::Value* trainer) {
  const config::Value* steps = trainer ? trainer->find("max_steps") : nullptr;
  return steps ? interop::number_of<int64_t>(steps->text).value_or(0) : 0;
}

}  // namespace

job::Devices trainer_devices(job::Settings& settings, const job::Source& source) {
  job::Devices devices = megatron::defined_devices(source);
  const config::Value* each = settings.find("trainer.devices");
  const bool says_nodes = settings.has("trainer.num_nodes");
  const int64_t nodes = settings.integer({"trainer.num_nodes"}, 1);
  if (devices.all) return devices;
  if (nodes > 1'048'576) throw InputError(settings.where("trainer.num_nodes"), "too many nodes");
  if (each && each->is_list())
    devices.per_node = std::max<int64_t>(1, static_cast<int64_t>(each->items.size()));
  else if (each && each->text != "auto" && each->text != "-1")
    devices.per_node = config::as_int(*each, 1, 65536);
  // One node, where nobody says it.
  if (says_nodes || !devices.per_node) devices.nodes = nodes;
  return devices;
}

std::string with_stretched_rates(config::Value* optim, const config::Value& along,
                                 const config::Value& written) {
  const int64_t before = steps_of(along.find("trainer")), now = steps_of(written.find("trainer"));
  const std::vector<megatron::Stretched> stretched =
      optim ? megatron::stretch(*optim, before, now) : std::vector<megatron::Stretched>();
  return megatron::stretched_lines(stretched, "trainer.max_steps", before, now);
}

}  // namespace pipewright::nemo
