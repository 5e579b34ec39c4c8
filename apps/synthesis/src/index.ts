export { answerProviderEnvironment, synthesisConfigSchema, type AnswerProviderEnvironment } from './config.js';
export { createAnswerProvider, createProviderFor, type ProviderFor } from './create-answer-provider.js';
export { main } from './main.js';
export { startSynthesis, type RunningSynthesis, type SynthesisDependencies } from './start-synthesis.js';
