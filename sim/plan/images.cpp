#include "plan/images.hpp"

#include <fmt/format.h>

#include "workload/model/model.hpp"

namespace pipewright {
namespace {

/// Returns the pixels of a side.
int64_t size_of(const Experiment& e, const VisionTower& tower) {
  const int64_t own = tower.patches.image, given = e.batch.image_size;
  if (own == 0 && given == 0)
    e.misfit("batch.images",
             "batch.image_size says how many pixels wide images are: this model takes them as they "
             "come");
  if (own > 0 && given > 0 && own != given)
    e.misfit("batch.image_size",
             fmt::format("batch.image_size {} must be {}: all images of this model are as wide",
                         given, own));
  return own > 0 ? own : given;
}

}  // namespace

void check_images(const Experiment& e) {
  if (e.batch.image_size > 0 && e.batch.images == 0)
    e.misfit("batch.image_size",
             "batch.image_size is about images: batch.images says how many a sequence has");
  if (e.batch.images == 0) return;
  const auto& tower = e.model_or_fail().transformer.vision;
  if (!tower)
    e.misfit("batch.images",
             "batch.images needs a model with a vision tower ('vision'), and this one has none "
             "that is known");
  const int64_t size = size_of(e, *tower), tokens = e.batch.images * tower->tokens(size);
  if (tokens > e.batch.sequence)
    e.misfit("batch.images",
             fmt::format("batch.images: {} images of {} pixels are {} tokens, but a sequence has "
                         "{}",
                         e.batch.images, size, tokens, e.batch.sequence));
}

}  // namespace pipewright
