export type { NamedFile } from './detect.js';
