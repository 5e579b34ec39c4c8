/**
 * A body, counted as it comes out of its decoder: neither a wrong Content-Length nor a compressed bomb fills the memory.
 * Undefined when it is longer than `maxBytes`; the rest is then not read, and its connection is freed. Throws what the body does.
 */
export async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  if (body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  try {
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) return Buffer.concat(chunks);
      size += value.byteLength;
      if (size > maxBytes) return undefined;
      chunks.push(value);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
