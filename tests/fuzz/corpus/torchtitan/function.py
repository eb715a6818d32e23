# A configuration of torchtitan in the form of August 2026.
from torchtitan.components.optimizer import default_adamw
from torchtitan.config import CompileConfig, ParallelismConfig, TrainingConfig
from torchtitan.distributed.activation_checkpoint import FullAC
from torchtitan.models.llama3 import model_registry
from torchtitan.trainer import Trainer

CONTEXT = 8192


def llama3_70b() -> Trainer.Config:
    return Trainer.Config(
        model_spec=model_registry("70B"),
        optimizer=default_adamw(lr=1.5e-4),
        training=TrainingConfig(
            num_tokens_per_microbatch_per_dp_rank=8 * CONTEXT,
            max_context_length=CONTEXT,
            steps=1000,
        ),
        parallelism=ParallelismConfig(tensor_parallel_degree=8),
        activation_checkpoint=FullAC.Config(),
    )


def llama3_70b_compiled() -> Trainer.Config:
    config = llama3_70b()
    config.compile = CompileConfig(enable=True)
    config.training.steps = 10
    return config
