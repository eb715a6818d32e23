from megatron.bridge.recipes.llama import llama3_8b_pretrain_config
from megatron.bridge.training.gpt_step import forward_step
from megatron.bridge.training.pretrain import pretrain

if __name__ == "__main__":
    cfg = llama3_8b_pretrain_config()
    cfg.train.train_iters = 10
    cfg.train.global_batch_size = 128
    cfg.model.tensor_model_parallel_size = 2
    cfg.model.sequence_parallel = True
    pretrain(config=cfg, forward_step_func=forward_step)
