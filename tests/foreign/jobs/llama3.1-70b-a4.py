"""Llama 3.1 70B on 128 devices, with the helpers of NeMo's scripts."""
import nemo_run as run
from nemo.collections import llm
from nemo.collections.llm.recipes import llama31_70b
from scripts.performance.helpers import set_primary_perf_configs
from scripts.performance.utils import get_comm_overlap_callback_idx


def recipe(profiles: bool = False) -> run.Partial:
    job = llama31_70b.pretrain_recipe(performance_mode=True)
    job = set_primary_perf_configs(
        job, "pre_train", num_nodes=16, num_gpus_per_node=8, mbs=2, gbs=256, max_steps=30, tp_size=2,
        pp_size=4, cp_size=2, vp_size=5, ep_size=1, enable_cuda_graphs=False, compute_dtype="bf16",
        fp8_recipe=None, use_mcore_fsdp=False, use_sharp=False)
    job.model.config.seq_length = 8192
    job.data.seq_length = 8192
    job.trainer.max_steps = 50
    if profiles:
        job.trainer.callbacks.append(run.Config(llm.NsysCallback, start_step=1))
    hiding = get_comm_overlap_callback_idx(job.trainer.callbacks)
    job.trainer.callbacks[hiding].tp_comm_bootstrap_backend = "nccl"
    job.log.ckpt = None
    return job


if __name__ == "__main__":
    run.cli.main(llm.pretrain, default_factory=recipe)
