// Runs in its own thread because onnxruntime-node computes on the thread that calls it: on the main one every
// passage would hold up all requests. Plain JavaScript, since a thread starts from a file as it is on disk, in
// tests too. See inference-thread.ts for the other end.
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/** @type {{ modelPath: string, pooling: 'cls' | 'mean', threads: number, state: Int32Array }} */
const { modelPath, pooling, threads, state } = workerData;
const BUSY = 0;
const CLOSING = 1;

const port = parentPort;
if (!port) throw new Error('inference-worker.mjs is started as a worker thread');

const session = await InferenceSession.create(modelPath, {
  intraOpNumThreads: threads,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
  // Threads that spin while they wait take the processor from everything else in the process; on a busy machine
  // two spinning threads are slower than one.
  extra: { session: { intra_op: { allow_spinning: '0' } } },
});

/**
 * @param {BigInt64Array} tokenIds
 * @returns {Promise<Float32Array>} the L2-normalized vector
 */
async function embed(tokenIds) {
  const shape = [1, tokenIds.length];
  /** @type {Record<string, Tensor>} */
  const feeds = {
    input_ids: new Tensor('int64', tokenIds, shape),
    attention_mask: new Tensor('int64', new BigInt64Array(tokenIds.length).fill(1n), shape),
  };
  if (session.inputNames.includes('token_type_ids')) {
    feeds['token_type_ids'] = new Tensor('int64', new BigInt64Array(tokenIds.length), shape);
  }
  const outputs = await session.run(feeds);
  const hidden = outputs['last_hidden_state'];
  const dimensions = hidden?.dims[2];
  if (!hidden || !dimensions) throw new Error('the model has no output last_hidden_state');
  return pool(/** @type {Float32Array} */ (hidden.data), tokenIds.length, dimensions);
}

/**
 * @param {Float32Array} hidden token vectors, one after the other
 * @param {number} tokens
 * @param {number} dimensions
 */
function pool(hidden, tokens, dimensions) {
  const vector = new Float32Array(dimensions);
  const pooled = pooling === 'cls' ? 1 : tokens;
  for (let token = 0; token < pooled; token++) {
    for (let index = 0; index < dimensions; index++) {
      vector[index] =
        /** @type {number} */ (vector[index]) + /** @type {number} */ (hidden[token * dimensions + index]);
    }
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!(length > 0)) throw new Error('the model gave a vector without direction');
  return vector.map((value) => value / length);
}

port.on('message', async (/** @type {BigInt64Array} */ tokenIds) => {
  // Before the look at CLOSING: the main thread sets that first and then waits for BUSY.
  Atomics.store(state, BUSY, 1);
  try {
    if (Atomics.load(state, CLOSING) === 1) return;
    const vector = await embed(tokenIds);
    port.postMessage({ kind: 'vector', vector });
  } catch (error) {
    port.postMessage({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  } finally {
    becomeIdle();
  }
});

function becomeIdle() {
  Atomics.store(state, BUSY, 0);
  Atomics.notify(state, BUSY);
}

becomeIdle();
port.postMessage({ kind: 'ready' });
