/** What a model's card asks for; the files themselves are found by the caller. */
export interface OnnxModelSpec {
  model: string;
  dimensions: number;
  /** Special tokens included. */
  maxTokens: number;
  /** How token vectors become one: the first token's, or the mean of all. */
  pooling: 'cls' | 'mean';
  queryPrefix: string;
  passagePrefix: string;
}

export const ONNX_MODEL_SPECS = {
  'bge-small-en-v1.5-q': {
    model: 'bge-small-en-v1.5-q',
    dimensions: 384,
    maxTokens: 512,
    pooling: 'cls',
    queryPrefix: 'Represent this sentence for searching relevant passages: ',
    passagePrefix: '',
  },
  'all-minilm-l6-v2-q': {
    model: 'all-minilm-l6-v2-q',
    dimensions: 384,
    maxTokens: 256,
    pooling: 'mean',
    queryPrefix: '',
    passagePrefix: '',
  },
} as const satisfies Record<string, OnnxModelSpec>;

export type OnnxModelName = keyof typeof ONNX_MODEL_SPECS;
