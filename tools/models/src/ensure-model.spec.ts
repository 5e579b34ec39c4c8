import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureModelFrom } from './ensure-model.js';
import type { ModelSource } from './model-catalogue.js';

const MODEL_BYTES = Buffer.from('not really a model '.repeat(5_000));
const TOKENIZER_BYTES = Buffer.from('{"version":"1.0"}');

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const source: ModelSource = {
  name: 'tiny',
  licence: 'MIT',
  sha256: { 'model.onnx': sha256(MODEL_BYTES), 'tokenizer.json': sha256(TOKENIZER_BYTES) },
  bytes: MODEL_BYTES.length + TOKENIZER_BYTES.length,
  maven: { artifact: 'example.invalid:tiny:1', jarSha256: '0' },
  hub: { repository: 'example/tiny', files: { 'model.onnx': 'onnx/model.onnx', 'tokenizer.json': 'tokenizer.json' } },
};

async function fillFolder(folder: string, model: Buffer = MODEL_BYTES): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.onnx'), model);
  await writeFile(join(folder, 'tokenizer.json'), TOKENIZER_BYTES);
}

describe('ensureModelFrom', () => {
  let root: string;
  let cacheDir: string;
  let hub: Server;
  let served: Map<string, Buffer>;
  let requests: string[];
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'candor-models-'));
    hub = createServer((request, response) => {
      requests.push(request.url ?? '');
      const body = served.get(request.url ?? '');
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    hub.closeAllConnections();
    await new Promise((resolve) => hub.close(resolve));
    await rm(root, { recursive: true, force: true });
  });

  beforeEach(async () => {
    cacheDir = await mkdtemp(join(root, 'cache-'));
    requests = [];
    served = new Map([
      ['/example/tiny/resolve/main/onnx/model.onnx', MODEL_BYTES],
      ['/example/tiny/resolve/main/tokenizer.json', TOKENIZER_BYTES],
    ]);
    // No PATH, so no Maven: the hub on loopback is the only way.
    env = { PATH: '', HF_ENDPOINT: `http://127.0.0.1:${(hub.address() as AddressInfo).port}/` };
  });

  it('fetches once, then answers from the cache', async () => {
    const first = await ensureModelFrom(source, { cacheDir, env });
    expect(await readFile(first.modelPath)).toEqual(MODEL_BYTES);
    expect(await readFile(first.tokenizerPath)).toEqual(TOKENIZER_BYTES);
    expect(first).toMatchObject({ dir: join(cacheDir, 'tiny'), sha256: source.sha256['model.onnx'] });

    requests = [];
    expect(await ensureModelFrom(source, { cacheDir, env })).toEqual(first);
    expect(requests).toEqual([]);
    expect(await readdir(cacheDir)).toEqual(['tiny']);
  });

  it('downloads once for callers at the same time', async () => {
    const models = await Promise.all([1, 2, 3, 4].map(() => ensureModelFrom(source, { cacheDir, env })));
    expect(new Set(models.map((model) => model.dir)).size).toBe(1);
    expect(requests).toHaveLength(2);
    expect(await readdir(cacheDir)).toEqual(['tiny']);
  });

  it('takes over the lock of a process that died', async () => {
    await writeFile(join(cacheDir, 'tiny.lock'), '2147483646');
    await expect(ensureModelFrom(source, { cacheDir, env })).resolves.toMatchObject({ name: 'tiny' });
  });

  it('replaces a damaged cache entry', async () => {
    await fillFolder(join(cacheDir, 'tiny'), Buffer.from('damaged'));
    const model = await ensureModelFrom(source, { cacheDir, env });
    expect(await readFile(model.modelPath)).toEqual(MODEL_BYTES);
  });

  it('refuses downloaded files with a wrong hash and leaves nothing behind', async () => {
    served.set('/example/tiny/resolve/main/onnx/model.onnx', Buffer.from('tampered'));
    const attempt = ensureModelFrom(source, { cacheDir, env });
    await expect(attempt).rejects.toThrow(/has SHA-256 [0-9a-f]{64}, expected/);
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it('names the three ways when none works', async () => {
    served.clear();
    const attempt = ensureModelFrom(source, { cacheDir, env });
    await expect(attempt).rejects.toMatchObject({ name: 'ModelUnavailableError' });
    await expect(attempt).rejects.toThrow(
      /CANDOR_MODEL_DIR[\s\S]*mvn[\s\S]*huggingface\.co[\s\S]*mvn is not on PATH[\s\S]*answered 404/,
    );
  });

  describe('CANDOR_MODEL_DIR', () => {
    it('is used as it is', async () => {
      const folder = join(cacheDir, 'mine');
      await fillFolder(folder);
      const model = await ensureModelFrom(source, { cacheDir, env: { ...env, CANDOR_MODEL_DIR: folder } });
      expect(model.dir).toBe(folder);
      expect(requests).toEqual([]);
    });

    it('is refused when its files are others than the pinned ones', async () => {
      const folder = join(cacheDir, 'mine');
      await fillFolder(folder, Buffer.from('another model'));
      const attempt = ensureModelFrom(source, { cacheDir, env: { ...env, CANDOR_MODEL_DIR: folder } });
      await expect(attempt).rejects.toMatchObject({ name: 'ChecksumMismatchError', path: join(folder, 'model.onnx') });
    });

    it('is refused when a file is missing', async () => {
      const attempt = ensureModelFrom(source, {
        cacheDir,
        env: { ...env, CANDOR_MODEL_DIR: join(cacheDir, 'absent') },
      });
      await expect(attempt).rejects.toThrow(/has no model\.onnx/);
    });
  });
});
