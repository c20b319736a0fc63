/** Checked files by hash, as many as fit into a budget; the one used longest ago goes first. */
import type { MediaAsset } from "./descriptor";

/** A bounded store of files. */
export class BlobCache {
  readonly #budget: number;
  // A map keeps the order of insertion: the first entry is the one used longest ago.
  readonly #files = new Map<string, Blob>();
  #bytes = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The file a description names; one of another size or type is not that file. */
  get({ ref, bytes, mimeType }: MediaAsset): Blob | undefined {
    const file = this.#files.get(ref);
    if (file === undefined || file.size !== bytes || file.type !== mimeType) return undefined;
    this.#files.delete(ref);
    this.#files.set(ref, file);
    return file;
  }

  /** Keeps a file, at the cost of older ones; one that is larger than the budget is not kept. */
  put(ref: string, file: Blob): void {
    this.#drop(ref);
    if (file.size > this.#budget) return;
    this.#files.set(ref, file);
    this.#bytes += file.size;
    for (const oldest of this.#files.keys()) {
      if (this.#bytes <= this.#budget) return;
      this.#drop(oldest);
    }
  }

  #drop(ref: string): void {
    this.#bytes -= this.#files.get(ref)?.size ?? 0;
    this.#files.delete(ref);
  }
}
