export { runCli, type CliStreams } from './run-cli.js';
