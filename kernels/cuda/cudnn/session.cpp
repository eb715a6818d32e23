// cuDNN on a device: a handle, and a plan for each shape that was asked for.
#include <fmt/format.h>

#include <map>
#include <variant>

#include "base/error.hpp"
#include "kernels/cuda/cudnn/attention.hpp"
#include "kernels/cuda/cudnn/convolution.hpp"
#include "kernels/cuda/cudnn/open.hpp"
#include "kernels/cuda/cudnn/plan.hpp"

namespace pipewright::kernels::cuda {
namespace cudnn {
namespace {

/// The last version whose gradients want whole tiles of keys, or a mask for what is beyond (so
/// cudnn-frontend 1.16, which masks them).
constexpr size_t last_in_whole_tiles = 91500;
constexpr int64_t tile = 128;

class Session final : public Cudnn {
 public:
  Session(Kernels& memory, std::function<cudaStream_t()> stream)
      : memory_(memory), stream_(std::move(stream)) {
    library_.check(library_.create(&handle_), "starting");
  }
  ~Session() override {
    plans_.clear();
    library_.check_closed(library_.destroy(handle_), "ending");
  }

  std::string version() const override { return library_.version(); }

  void attention(const FusedAttention& shape, const Tensor& q, const Tensor& k, const Tensor& v,
                 const Tensor& y, const Tensor& log_sums) override {
    run(Attention{shape, false}, {q.data, k.data, v.data, y.data, log_sums.data});
  }
  void attention_gradient(const FusedAttention& shape, const Tensor& q, const Tensor& k,
                          const Tensor& v, const Tensor& y, const Tensor& log_sums,
                          const Tensor& dy, const Tensor& dq, const Tensor& dk,
                          const Tensor& dv) override {
    run(Attention{shape, true},
        {q.data, k.data, v.data, y.data, log_sums.data, dy.data, dq.data, dk.data, dv.data});
  }
  void convolution(const Convolution& shape, const Tensor& x, const Tensor& w,
                   const Tensor& y) override {
    run(Pass{shape, Graph::Pass::forward}, {x.data, w.data, y.data});
  }
  void convolution_input_gradient(const Convolution& shape, const Tensor& w, const Tensor& dy,
                                  const Tensor& dx) override {
    run(Pass{shape, Graph::Pass::input_gradient}, {dx.data, w.data, dy.data});
  }
  void convolution_weight_gradient(const Convolution& shape, const Tensor& x, const Tensor& dy,
                                   const Tensor& dw) override {
    run(Pass{shape, Graph::Pass::weight_gradient}, {x.data, dw.data, dy.data});
  }

 private:
  struct Attention {
    FusedAttention shape;
    bool gradient = false;
    auto operator<=>(const Attention&) const = default;
  };
  struct Pass {
    Convolution shape;
    Graph::Pass pass = Graph::Pass::forward;
    auto operator<=>(const Pass&) const = default;
  };
  using Call = std::variant<Attention, Pass>;

  std::unique_ptr<Graph> graph_of(const Attention& call) const {
    const FusedAttention& s = call.shape;
    if (s.numbers == Stored::fp32) throw Failure("cuDNN: fused attention is in bf16 or fp16");
    if (!call.gradient) return attention_graph(library_, s);
    if (library_.get_version() <= last_in_whole_tiles && s.tokens % tile)
      throw Failure(
          fmt::format("cuDNN: the gradient of attention over {} tokens: {} serves multiples of {}",
                      s.tokens, library_.version(), tile));
    return attention_gradient_graph(library_, s);
  }
  std::unique_ptr<Graph> graph_of(const Pass& call) const {
    return convolution_graph(library_, call.shape, call.pass);
  }

  const Plan& plan(const Call& call) {
    std::unique_ptr<Plan>& plan = plans_[call];
    if (!plan)
      plan = std::make_unique<Plan>(
          library_, std::visit([&](const auto& one) { return graph_of(one); }, call),
          Target{.handle = handle_});
    return *plan;
  }

  void run(const Call& call, std::initializer_list<void*> given) {
    const Plan& made = plan(call);
    library_.check(library_.set_stream(handle_, stream_()), "a stream");
    const int64_t numbers = made.workspace_bytes() / int64_t{sizeof(float)};
    // Given back at once: whoever gets it works after this on the same stream.
    const Array workspace = numbers > 0 ? memory_.array(1, numbers) : Array{};
    made.run(handle_, {given.begin(), given.size()}, workspace.tensor.data);
  }

  Kernels& memory_;
  std::function<cudaStream_t()> stream_;
  Library library_;
  cudnnHandle_t handle_ = nullptr;
  std::map<Call, std::unique_ptr<Plan>> plans_;
};

}  // namespace
}  // namespace cudnn

std::unique_ptr<Cudnn> open_cudnn(Kernels& memory, std::function<cudaStream_t()> stream) {
  return std::make_unique<cudnn::Session>(memory, std::move(stream));
}

}  // namespace pipewright::kernels::cuda
