// Kernel times from a measured profile.
#pragma once

#include "cost/profile.hpp"
#include "cost/roofline.hpp"

namespace pipewright {

/// The source of a kernel's time.
enum class Basis : uint8_t {
  measured,      ///< between measured shapes
  extrapolated,  ///< the fitted physics, outside their range
  datasheet,     ///< the roofline: nobody measured such a kernel
};

class ProfileCost final : public CostModel {
 public:
  explicit ProfileCost(Profile profile, FusedAttention fused = FusedAttention::fastest)
      : profile_(std::move(profile)), fused_(fused) {}
  Time duration(const Work& work, const Device& device) const override;

  struct Trust {
    Basis basis = Basis::datasheet;
    double error = 0;  ///< standard deviation to expect, relative; from points held out of the fit
  };
  /// Returns how the duration is known; far cheaper than the duration.
  Trust trust(const Work& work, const Device& device) const;
  const Profile& profile() const { return profile_; }

 private:
  /// Returns what the device keeps of its peak beside what was measured of the other's.
  double rate_fraction(const Device& device, DType dtype) const;
  const AttentionProfile* attention(const Work& work) const;
  double gemm_seconds(const Work& work, const Device& device, const GemmProfile& family) const;
  double attention_seconds(const Work& work, const Device& device,
                           const AttentionProfile& family) const;
  double fused_attention_seconds(const Work& work, const Device& device,
                                 const FusedAttentionProfile& fused) const;
  double stream_seconds(const Work& work, const Device& device, const StreamProfile& stream) const;
  double fused_seconds(const Work& work, const Device& device, double newest) const;

  Profile profile_;
  FusedAttention fused_;
  Roofline roofline_;
};

}  // namespace pipewright
