"""What Megatron-LM asserts of its arguments before a training starts, in words of our own: validate_args
(megatron/training/arguments.py) and the __post_init__ of TransformerConfig, MLATransformerConfig,
ModelParallelConfig, OptimizerConfig and DistributedDataParallelConfig (megatron/core), August 2026."""
import re
import shlex

# What holds where nobody says it.
DEFAULTS = {
    "tensor-model-parallel-size": 1, "pipeline-model-parallel-size": 1, "context-parallel-size": 1,
    "expert-model-parallel-size": 1, "position-embedding-type": "learned_absolute", "optimizer": "adam",
    "fp8-recipe": "delayed", "moe-token-dispatcher-type": "allgather", "ckpt-format": "torch_dist",
    "data-parallel-sharding-strategy": "no_shard", "moe-router-topk": 2, "mtp-num-layers": 0,
    "moe-router-score-function": "softmax", "moe-router-load-balancing-type": "aux_loss",
    "exp-avg-dtype": "fp32", "exp-avg-sq-dtype": "fp32", "main-grads-dtype": "fp32",
    "cp-comm-type": "p2p", "transformer-impl": "transformer_engine", "lr-warmup-iters": 0,
    "lr-warmup-samples": 0, "inference-batch-times-seqlen-threshold": -1,
}


def number(text):
    try:
        return int(text)
    except ValueError:
        return text


class Job:
    """The arguments, the variables and the processes of a script that Pipewright wrote."""

    def __init__(self, script):
        self.given, self.variables = {}, {}
        words = shlex.split(re.search(r"^ARGS=\((.*?)^\)", script, re.S | re.M).group(1))
        name = None
        for word in words:
            if word.startswith("--"):
                name = word[2:]
                self.given[name] = []
            else:
                self.given[name].append(word)
        for line in script.splitlines():
            if line.startswith("export "):
                name, value = line[7:].split("=", 1)
                self.variables[name] = value
        nodes, each = re.search(r"--nnodes (\d+) --nproc-per-node (\d+)", script).groups()
        self.devices = int(nodes) * int(each)

    def has(self, name):
        return name in self.given

    def __getitem__(self, name):
        if name not in self.given:
            return DEFAULTS.get(name)
        values = self.given[name]
        return number(values[0]) if len(values) == 1 else values or True

    def modules(self, name, otherwise):
        return self.given.get(name, otherwise)


def replicas(job):
    return job.devices // (job["tensor-model-parallel-size"] * job["pipeline-model-parallel-size"]
                           * job["context-parallel-size"])


def sequence_parallel(job):
    return job.has("sequence-parallel") and job["tensor-model-parallel-size"] > 1


def virtual_stages(job):
    """The stages of a pipeline rank."""
    layout = job["pipeline-model-parallel-layout"]
    if layout:
        return (layout.count("|") + 1) // job["pipeline-model-parallel-size"]
    return job["num-virtual-stages-per-pipeline-rank"] or 1


def expert_tensor(job):
    return job["expert-tensor-parallel-size"] or job["tensor-model-parallel-size"]


def of_degrees(job):
    tensor, pipeline = job["tensor-model-parallel-size"], job["pipeline-model-parallel-size"]
    context, experts = job["context-parallel-size"], job["expert-model-parallel-size"]
    groups = job["num-query-groups"] or job["num-attention-heads"]
    stages = virtual_stages(job)
    yield "the model's degrees divide the devices", job.devices % (tensor * pipeline * context) == 0
    yield "groups of experts divide the devices", job.devices % (expert_tensor(job) * experts * pipeline) == 0
    yield "tensor ranks divide the heads", job["num-attention-heads"] % tensor == 0
    yield "tensor ranks and groups of queries divide each other", \
        job.has("multi-latent-attention") or groups % tensor == 0 or tensor % groups == 0
    yield "twice the context ranks divide a sequence", \
        context == 1 or job["seq-length"] % (2 * context) == 0
    if not job.has("pipeline-model-parallel-layout"):
        yield "stages divide the layers", job["num-layers"] % (pipeline * stages) == 0
    least = 3 if job.has("no-overlap-p2p-communication") else 2
    yield "stages are interleaved over enough ranks", stages == 1 or pipeline >= least
    if experts > 1:
        yield "ranks divide the experts", job.has("num-experts") and job["num-experts"] % experts == 0
    if job.has("num-experts") and not job.has("disable-bias-linear"):
        yield "experts with biases are not cut", expert_tensor(job) == 1
    yield "experts over tensor ranks train with sequence parallelism", \
        not job.has("num-experts") or tensor == 1 or sequence_parallel(job)
    batch = job["eval-global-batch-size"] or job["global-batch-size"]
    each = job["eval-micro-batch-size"] or job["micro-batch-size"]
    yield "replicas divide the batch", \
        job["global-batch-size"] % (job["micro-batch-size"] * replicas(job)) == 0
    yield "replicas divide the batch of the evaluation", batch % (each * replicas(job)) == 0
    yield "positions hold a sequence", job["max-position-embeddings"] >= job["seq-length"]


def of_overlap(job):
    if job.has("overlap-param-gather"):
        yield "weights are gathered beside a pass where they are cut", \
            job.has("use-distributed-optimizer") or job.has("use-megatron-fsdp") \
            or job["optimizer"] == "dist_muon"
        yield "weights are gathered beside a pass as gradients are reduced", job.has("overlap-grad-reduce")
        yield "weights that are gathered later are not saved", not job.has("save-params-interval")
    if job.has("tp-comm-overlap"):
        yield "products are split with sequence parallelism", sequence_parallel(job)
    if job.has("overlap-moe-expert-parallel-comm"):
        yield "experts that overlap are spread", job["expert-model-parallel-size"] > 1
        yield "experts that overlap are sent tokens", job["moe-token-dispatcher-type"] in ("alltoall", "flex")
        yield "experts that overlap are not recomputed", job["recompute-granularity"] != "full" \
            and "moe" not in job.modules("recompute-modules", [])
        yield "experts that overlap are half as wide as fp32", job.has("bf16") or job.has("fp16")
        yield "experts that overlap in a pipeline are of interleaved stages", \
            job["pipeline-model-parallel-size"] == 1 or virtual_stages(job) > 1
        yield "experts overlap beside one predicted token", job["mtp-num-layers"] <= 1


def of_sharding(job):
    fsdp = job.has("use-megatron-fsdp")
    strategy = job["data-parallel-sharding-strategy"]
    yield "checkpoints are FSDP's where it is there", fsdp == (job["ckpt-format"] == "fsdp_dtensor")
    yield "checkpoints are of no other sharding", job["ckpt-format"] != "torch_dcp"
    if fsdp:
        yield "FSDP has an optimizer that it knows", job["optimizer"] in ("adam", "sgd")
        yield "FSDP cuts weights whose hashes nobody compares", strategy != "optim_grads_params" \
            or not job.has("check-weight-hash-across-dp-replicas-interval")
    yield "weights are made in parts where they are cut", \
        not job.has("init-model-with-meta-device") or (fsdp and strategy != "no_shard")
    yield "weights in fp8 are gathered where they are cut", \
        not job.has("fp8-param-gather") or job.has("use-distributed-optimizer") or fsdp
    yield "fusing is left out for FSDP alone", \
        job.has("use-megatron-fsdp") or not job.has("no-gradient-accumulation-fusion")


def of_precision(job):
    narrow = job.has("fp8-format") or job.has("fp4-format")
    recompute = job.modules("recompute-modules", [])
    yield "half formats exclude each other", not (job.has("bf16") and job.has("fp16"))
    yield "narrow formats exclude each other", not (job.has("fp8-format") and job.has("fp4-format"))
    yield "logits in fp16 are of a model in fp16", not job.has("fp16-lm-cross-entropy") or job.has("fp16")
    for name in ("moe-router-padding-for-fp8", "moe-router-padding-for-quantization"):
        if job.has(name):
            yield f"{name} pads for a narrow format", narrow
            yield f"{name} pads what is sent", job["moe-token-dispatcher-type"] != "allgather"
    if job.has("fp8-format") and job["fp8-recipe"] == "delayed" and \
            job["recompute-granularity"] == "selective":
        yield "the delayed recipe does without norms that run again", \
            not {"moe_act", "layernorm"} & set(recompute)


def of_optimizer(job):
    precise = job.has("use-precision-aware-optimizer")
    yield "the precision-aware optimizer is Adam", not precise or job["optimizer"] == "adam"
    yield "moments are fp32 elsewhere", precise or job["exp-avg-dtype"] == job["exp-avg-sq-dtype"] == "fp32"
    if job.has("optimizer-cpu-offload"):
        yield "an optimizer on the host is precision-aware", precise
        yield "an optimizer on the host steps no weights in fp8", \
            not job.has("fp8-param-gather") or job["fp8-recipe"] == "delayed"
    for unit, other in (("iters", "samples"), ("samples", "iters")):
        if job.has(f"train-{unit}"):
            yield f"a training in {unit} has rates in {unit}", not job.has(f"train-{other}") \
                and not job.has(f"lr-decay-{other}") and not job[f"lr-warmup-{other}"]
            yield "a warm-up has one length", \
                not job.has("lr-warmup-fraction") or not job[f"lr-warmup-{unit}"]


def of_model(job):
    if job["mtp-num-layers"]:
        yield "tokens are predicted with rotated positions", job["position-embedding-type"] in ("rope", "none")
    if job.has("num-experts"):
        yield "the only expert of a token has its share", job["moe-router-topk"] != 1 \
            or job["moe-router-score-function"] != "softmax" or job.has("moe-router-pre-softmax")
        yield "a bias for balance is of a sigmoid", not job.has("moe-router-enable-expert-bias") \
            or job["moe-router-score-function"] in ("sigmoid", "sqrtsoftplus")
    modules = job.modules("recompute-modules", [])
    granularity = job["recompute-granularity"]
    yield "layers that run again are counted", granularity != "full" or (
        job.has("recompute-method") and job.has("recompute-num-layers"))
    yield "modules that run again are not counted", granularity != "selective" or not (
        job.has("recompute-method") or job.has("recompute-num-layers"))
    yield "mla_up_proj is of latent attention", "mla_up_proj" not in modules or job.has("multi-latent-attention")
    offloaded = job.modules("offload-modules", [])
    if job.has("fine-grained-activation-offloading"):
        yield "something is offloaded", bool(offloaded)
        yield "attn_proj follows core_attn", "attn_proj" not in offloaded or "core_attn" in offloaded
        yield "Transformer Engine offloads as it did", job.variables.get("NVTE_CPU_OFFLOAD_V1") == "1"


def of_environment(job, is_blackwell):
    one = job.variables.get("CUDA_DEVICE_MAX_CONNECTIONS") == "1"
    if job.has("use-megatron-fsdp"):
        yield "FSDP has several queues", not one
    elif (job["tensor-model-parallel-size"] > 1 or job["context-parallel-size"] > 1) and not is_blackwell \
            and not job.has("overlap-moe-expert-parallel-comm"):
        yield "shared layers and sequences have one queue", one
    if not is_blackwell:
        yield "Hopper has no MXFP8 and no NVFP4", not job.has("fp4-format") and not (
            job.has("fp8-format") and job["fp8-recipe"] == "mxfp8")


def broken(script, is_blackwell):
    """Returns the assertions at which Megatron-LM would stop a script."""
    job = Job(script)
    rules = [of_degrees, of_overlap, of_sharding, of_precision, of_optimizer, of_model]
    lines = [line for rule in rules for line, holds in rule(job) if not holds]
    return lines + [line for line, holds in of_environment(job, is_blackwell) if not holds]
