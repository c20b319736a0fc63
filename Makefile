# Sidewire. Every target does all of its own set-up; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help demo test soak bench peers lint deps browser ffmpeg python

CARGO_TARGET_DIR ?= target
export CARGO_TARGET_DIR

# Steps share npm, apt and cargo, which wait for nobody.
.NOTPARALLEL:
# Properties are tested with the same input each time here, and with new input by a bare `cargo test`.
test: export PROPTEST_RNG_SEED := 20261201

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: deps ## Chat with the sample console page: in a window, or (HEADLESS=1) by itself
	cargo build --workspace
	npm run build --workspace web-extension
	node e2e/run.mjs e2e/demo.ts

test: deps browser ffmpeg python lint ## Every test: Rust, TypeScript, browser, clients of editors
	cargo build --workspace
	cargo test --workspace
	npm test --workspace web-extension
	npm run build --workspace web-extension
	npm test --workspace e2e

soak: deps ## The long versions of tests: agents that are killed again and again
	cargo build --workspace
	SOAK=1 cargo test --workspace --test it acp_crash

lint: deps ## Format, clippy, types
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	npm run lint --workspace web-extension
	npm run lint --workspace e2e

bench: deps ## Speed, memory and what a capture tells, each beside a baseline of the same run
	cargo build --release --package sidewire --package sidewire-host
	cargo bench --package sidewire-tests
	cargo build --workspace --example page_block
	npm run build --workspace web-extension
	node e2e/run.mjs e2e/capture-quality/main.ts

peers: ## Install the agents that `make bench` compares with (npm, 270 MB)
	npm install --no-save --no-package-lock --prefix $(CARGO_TARGET_DIR)/peers reasonix@1.38.11 @zed-industries/codex-acp@0.16.0

deps:
	npm ci

browser:
	@e2e/ensure-browser

ffmpeg:
	@e2e/ensure-ffmpeg

python:
	@e2e/ensure-python-client >/dev/null || true
