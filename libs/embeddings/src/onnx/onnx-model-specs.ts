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
  /** What it was trained on (BCP 47): in another language its cosines tell little. */
  languages: readonly string[];
}

export const ONNX_MODEL_SPECS = {
  'bge-small-en-v1.5-q': {
    model: 'bge-small-en-v1.5-q',
    dimensions: 384,
    maxTokens: 512,
    pooling: 'cls',
    queryPrefix: 'Represent this sentence for searching relevant passages: ',
    passagePrefix: '',
    languages: ['en'],
  },
  'all-minilm-l6-v2-q': {
    model: 'all-minilm-l6-v2-q',
    dimensions: 384,
    maxTokens: 256,
    pooling: 'mean',
    queryPrefix: '',
    passagePrefix: '',
    languages: ['en'],
  },
} as const satisfies Record<string, OnnxModelSpec>;

export type OnnxModelName = keyof typeof ONNX_MODEL_SPECS;

/** Languages that a model's vectors are good for; null = not known here, as of a model behind an endpoint. */
export function findModelLanguages({ model }: Pick<OnnxModelSpec, 'model'>): readonly string[] | null {
  return Object.hasOwn(ONNX_MODEL_SPECS, model) ? ONNX_MODEL_SPECS[model as OnnxModelName].languages : null;
}
