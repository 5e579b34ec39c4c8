export { detectFormat, type FileFormat, type NamedFile } from './formats/detect-format.js';
export { refuseUnsupported } from './formats/refuse-unsupported.js';
