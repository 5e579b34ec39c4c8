import { TestEnvironment } from 'jest-environment-node';

/**
 * Native add-ons (onnxruntime, LanceDB) make typed arrays in Node's own realm and check `instanceof`,
 * so a test's realm has to share those constructors.
 */
export default class NativeArraysEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    for (const name of ['Float32Array', 'Float64Array', 'BigInt64Array', 'Int32Array', 'Uint8Array', 'ArrayBuffer']) {
      this.global[name] = globalThis[name];
    }
  }
}
