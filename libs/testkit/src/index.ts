export { createTestDatabase, TestTenant, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
export { ApiClient, fillPath, type ApiResponse, type CallInput, type SendOptions } from './api-client.js';
export { buildDocument, type DocumentFields } from './build-document.js';
export { findProcessesOf, type FoundProcess } from './find-processes.js';
export { runRedisCommand } from './redis-command.js';
export { runStatements, type Statement } from './run-statements.js';
export {
  answerWith,
  answerWithText,
  closeSocket,
  failWith,
  hang,
  readShownChunks,
  ScriptedModelServer,
  type ModelCall,
  type ModelScript,
  type ShownChunk,
} from './scripted-model.server.js';
export {
  RunningProfile,
  type ProfileName,
  type ServiceProcessName,
  type StartProfileOptions,
  type StoppedProfile,
} from './start-profile.js';
export { findStandaloneDatabase, readStoredText, RedisMonitor } from './stored-text.js';
export { TcpProxy } from './tcp-proxy.js';
export { waitFor, type WaitOptions } from './wait-for.js';
