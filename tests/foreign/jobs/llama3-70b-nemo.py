import nemo_run as run
from nemo.collections import llm


def configure(nodes: int = 1, devices: int = 8):
    recipe = llm.llama3_70b.pretrain_recipe(name="seventy", num_nodes=nodes, num_gpus_per_node=devices)
    strategy = recipe.trainer.strategy
    strategy.tensor_model_parallel_size = 2
    strategy.pipeline_model_parallel_size = 2
    strategy.context_parallel_size = 1
    strategy.virtual_pipeline_model_parallel_size = None
    recipe.data.global_batch_size = 128
    recipe.data.micro_batch_size = 1
    return recipe


if __name__ == "__main__":
    recipe = configure()
    run.run(recipe, executor=run.LocalExecutor(ntasks_per_node=recipe.trainer.devices))
