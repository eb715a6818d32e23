#include "workload/transformer/signed_places.hpp"

#include <fmt/format.h>

#include "base/required.hpp"

namespace pipewright::transformer {

double all_tokens(const WorkloadOptions& options) {
  return static_cast<double>(options.micro_batch) * static_cast<double>(options.sequence);
}

const Share& SignedPlaces::at(const Spreads& spreads, Axis tensor_axis) {
  const int64_t samples = parts(options_.tensor_grid, spreads, Spread::batch);
  const int64_t features = parts(options_.tensor_grid, spreads, Spread::features);
  auto& place = places_[{samples, features, tensor_axis}];
  if (place) return required(place->share, "a place is made with its share");
  place = std::make_unique<Place>(Place{.options = options_, .share = {}});
  if (options_.micro_batch % samples != 0)
    where_.misfit(fmt::format("sbp cuts batch.micro {} in {}: it must be a multiple",
                              options_.micro_batch, samples));
  place->options.micro_batch /= samples;
  place->options.tensor = features;
  place->options.tensor_grid = {};
  place->options.sequence_parallel = false;
  Share& share = place->share.emplace(make_share(shape_, place->options, where_));
  share.all_tokens = all_tokens(options_);
  share.tensor_axis = tensor_axis;
  return share;
}

}  // namespace pipewright::transformer
