"""Tiny models with random weights of the architectures that profiles name, written to a folder.

Each is saved as its kind is published: a folder of transformers, with the configuration of
sentence-transformers where the published one has it. Nothing is downloaded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers import decoders as token_decoders
from tokenizers import models as token_models
from transformers import PreTrainedTokenizerFast

WIDTH = 16
SPECIALS = ["[PAD]", "[CLS]", "[SEP]", "[EOS]", "yes", "no"]
# Every byte is a token, so that any text can be read.
VOCABULARY = SPECIALS + sorted(pre_tokenizers.ByteLevel.alphabet())
QWEN_PROMPT = "Instruct: Find what answers the query\nQuery:"
PAIR_TEMPLATE = (
    "{% for message in messages %}[CLS]{{ message['role'] }}: {{ message['content'] }}{% endfor %}"
    "[SEP]"
)

PHOTO_TEMPLATE = (
    "{% for message in messages %}[CLS]{{ message['role'] }}: "
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endfor %}[SEP]"
)


def tokenizer(template: str, pair: str | None = None, **settings: Any) -> PreTrainedTokenizerFast:
    """A tokenizer of bytes that frames a text by a template such as `[CLS] $A [SEP]`."""
    ids = {token: number for number, token in enumerate(VOCABULARY)}
    bytes_of = Tokenizer(token_models.BPE(vocab=ids, merges=[]))
    bytes_of.add_special_tokens(SPECIALS[:4])
    bytes_of.add_tokens(SPECIALS[4:])
    bytes_of.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_of.decoder = token_decoders.ByteLevel()
    bytes_of.post_processor = processors.TemplateProcessing(
        single=template,
        pair=pair or f"{template} $B:1 [SEP]:1",
        special_tokens=[(token, ids[token]) for token in SPECIALS[:4]],
    )
    named = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "eos_token": "[EOS]"}
    return PreTrainedTokenizerFast(tokenizer_object=bytes_of, **named, **settings)


def seeded(make: Any, config: Any, seed: int) -> Any:
    """The model of a configuration with weights that only the seed decides, and not near zero."""
    torch.manual_seed(seed)
    model = make(config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.normal_(0, 0.3)
    return model.eval()


def save(folder: Path, model: Any, reader: Any, pooling: str = "", **settings: Any) -> Path:
    """Save a model; with a pooling, as sentence-transformers publishes it."""
    model.save_pretrained(folder)
    reader.save_pretrained(folder)
    if pooling:
        modules = [("", "Transformer"), ("1_Pooling", "Pooling")]
        if settings.pop("normalized", False):
            modules.append(("2_Normalize", "Normalize"))
        write(folder / "modules.json", [module(n, *it) for n, it in enumerate(modules)])
        write(folder / "sentence_bert_config.json", {"max_seq_length": 64})
        write(folder / "config_sentence_transformers.json", settings)
        (folder / "1_Pooling").mkdir()
        sizes = {"word_embedding_dimension": WIDTH, f"pooling_mode_{pooling}": True}
        write(folder / "1_Pooling" / "config.json", sizes)
        (folder / "2_Normalize").mkdir()
    return folder


def module(number: int, path: str, kind: str) -> dict[str, Any]:
    kind = f"sentence_transformers.models.{kind}"
    return {"idx": number, "name": str(number), "path": path, "type": kind}


def write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def sizes(layers: int = 2) -> dict[str, Any]:
    return {
        "vocab_size": len(VOCABULARY),
        "hidden_size": WIDTH,
        "intermediate_size": 32,
        "num_hidden_layers": layers,
        "num_attention_heads": 2,
        "pad_token_id": 0,
        "max_position_embeddings": 128,
    }


def decoder_sizes() -> dict[str, Any]:
    return sizes() | {"num_key_value_heads": 1, "eos_token_id": 3, "bos_token_id": 1}


def bert(folder: Path, seed: int = 1, pooling: str = "cls_token", **settings: Any) -> Path:
    """One tower of DPR: BERT, the vector of [CLS]."""
    from transformers import BertConfig, BertModel

    model = seeded(BertModel, BertConfig(**sizes()), seed)
    return save(folder, model, tokenizer("[CLS] $A [SEP]"), pooling, **settings)


def two_towers(folder: Path) -> Path:
    """Both towers of DPR in one model, chosen by the purpose."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Router

    towers = [
        SentenceTransformer(str(bert(folder / name, seed)), device="cpu", local_files_only=True)
        for name, seed in (("query_tower", 1), ("document_tower", 2))
    ]
    router = Router.for_query_document(*(list(tower.children()) for tower in towers))
    SentenceTransformer(modules=[router], device="cpu").save(
        str(folder / "both"), create_model_card=False
    )
    return folder / "both"


def ance(folder: Path) -> Path:
    """ANCE: RoBERTa, the vector of the first token, a projection and a norm over it."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Dense
    from sentence_transformers.sentence_transformer.modules import LayerNorm, Pooling, Transformer
    from transformers import RobertaConfig, RobertaModel

    model = seeded(RobertaModel, RobertaConfig(**sizes()), 3)
    save(folder / "roberta", model, tokenizer("[CLS] $A [SEP]", model_max_length=120))
    torch.manual_seed(4)
    parts = [
        Transformer(str(folder / "roberta")),
        Pooling(WIDTH, "cls"),
        Dense(WIDTH, 12, activation_function=torch.nn.Identity()),
        LayerNorm(12),
    ]
    SentenceTransformer(modules=parts, device="cpu").save(
        str(folder / "ance"), create_model_card=False
    )
    return folder / "ance"


def kalm(folder: Path) -> Path:
    """KALM: a Qwen2 decoder, the mean of its tokens, normalised."""
    from transformers import Qwen2Config, Qwen2Model

    model = seeded(Qwen2Model, Qwen2Config(**decoder_sizes()), 5)
    return save(folder, model, tokenizer("$A [EOS]"), "mean_tokens", normalized=True)


def qwen3_embedding(folder: Path) -> Path:
    """Qwen3-Embedding: a decoder, the vector of its last token, an instruction before queries."""
    from transformers import Qwen3Config, Qwen3Model

    model = seeded(Qwen3Model, Qwen3Config(**decoder_sizes(), head_dim=8), 6)
    reader = tokenizer("$A [EOS]", padding_side="left")
    prompts = {"query": QWEN_PROMPT, "document": ""}
    return save(folder, model, reader, "lasttoken", prompts=prompts, normalized=True)


def llama_embed(folder: Path) -> Path:
    """Llama-Embed-Nemotron: a Llama that looks both ways, the mean of its tokens."""
    from transformers import LlamaConfig, LlamaModel

    model = seeded(LlamaModel, LlamaConfig(**decoder_sizes()), 7)
    prompts = {"query": "Instruct: Given a question, retrieve passages\nQuery: "}
    save(folder, model, tokenizer("[CLS] $A"), "mean_tokens", prompts=prompts)
    config = json.loads((folder / "config.json").read_text())
    write(folder / "config.json", config | {"is_causal": False})
    return folder


def clip(folder: Path) -> Path:
    """CLIP: texts and photos as vectors of one space."""
    from transformers import CLIPConfig, CLIPModel, CLIPProcessor
    from transformers import CLIPImageProcessorPil as ImageProcessor

    text = sizes() | {"projection_dim": WIDTH, "eos_token_id": 3, "bos_token_id": 1}
    vision = sizes() | {"image_size": 32, "patch_size": 8, "projection_dim": WIDTH}
    config = CLIPConfig(text_config=text, vision_config=vision, projection_dim=WIDTH)
    images = ImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    reader = tokenizer("[CLS] $A [EOS]", model_max_length=64)
    processor = CLIPProcessor(image_processor=images, tokenizer=reader)
    return save(folder, seeded(CLIPModel, config, 8), processor)


def cross_encoder(folder: Path, labels: int = 1) -> Path:
    """An ms-marco cross-encoder: BERT with one score for a pair."""
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(**sizes(), num_labels=labels)
    model = seeded(BertForSequenceClassification, config, 9)
    return save(folder, model, tokenizer("[CLS] $A [SEP]"))


def decoder_reranker(folder: Path) -> Path:
    """Qwen3-Reranker: a decoder whose last token says yes or no, by a chat template of its own."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    model = seeded(Qwen3ForCausalLM, Qwen3Config(**decoder_sizes(), head_dim=8), 10)
    return save(folder, model, tokenizer("$A", chat_template=PAIR_TEMPLATE))


def vision_decoder(folder: Path) -> tuple[Any, Any]:
    """A decoder that sees, and its reader: a LLaVA, as what Qwen3-VL stands for.

    Qwen3-VL itself needs torchvision even for photos, which does not load beside torch for CPUs.
    """
    from transformers import (
        CLIPImageProcessorPil,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    vision = sizes() | {"image_size": 16, "patch_size": 8}
    reader = tokenizer("$A", chat_template=PHOTO_TEMPLATE)
    reader.add_special_tokens({"additional_special_tokens": ["<image>"]})
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(**vision),
        text_config=LlamaConfig(**decoder_sizes() | {"vocab_size": len(reader)}),
        image_token_id=len(VOCABULARY),
        vision_feature_layer=-1,
    )
    images = CLIPImageProcessorPil(
        size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16}
    )
    processor = LlavaProcessor(
        image_processor=images,
        tokenizer=reader,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=PHOTO_TEMPLATE,
    )
    return seeded(LlavaForConditionalGeneration, config, 11), processor


def photo_and_text_embedder(folder: Path) -> Path:
    """Qwen3-VL-Embedding: texts and photos through one chat template, the vector of the last."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Normalize, Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    save(folder / "decoder", *vision_decoder(folder))
    parts = [Transformer(str(folder / "decoder")), Pooling(WIDTH, "lasttoken"), Normalize()]
    SentenceTransformer(modules=parts, device="cpu", prompts={"query": "Find photos."}).save(
        str(folder / "embedder"), create_model_card=False
    )
    return folder / "embedder"


def photo_reranker(folder: Path) -> Path:
    """Qwen3-VL-Reranker: a query and a photo through a chat template; yes against no."""
    from sentence_transformers import CrossEncoder
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.cross_encoder.modules import LogitScore

    save(folder / "decoder", *vision_decoder(folder))
    parts = [
        Transformer(str(folder / "decoder"), transformer_task="any-to-any"),
        LogitScore(VOCABULARY.index("yes"), VOCABULARY.index("no")),
    ]
    CrossEncoder(modules=parts, device="cpu").save(
        str(folder / "reranker"), create_model_card=False
    )
    return folder / "reranker"
