import { loadConfig } from '@candor/runtime';
import { retrievalConfigSchema } from './config.js';

const MINIMAL = {
  CANDOR_SIGNING_KEY: 'x'.repeat(32),
  DATABASE_URL: 'postgres://127.0.0.1/candor',
  ELASTICSEARCH_URL: 'http://127.0.0.1:9200',
};
const load = (env: Record<string, string>) => loadConfig(retrievalConfigSchema, { ...MINIMAL, ...env });

describe('configuration', () => {
  it('listens on loopback and uses the local model unless told otherwise', () => {
    expect(load({})).toMatchObject({
      HOST: '127.0.0.1',
      GRPC_BIND: '127.0.0.1:50051',
      EMBEDDINGS_MODEL: 'bge-small-en-v1.5-q',
      LOG_LEVEL: 'info',
    });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a short signing key', { CANDOR_SIGNING_KEY: 'short' }, /^CANDOR_SIGNING_KEY /m],
    ['no database', { DATABASE_URL: '' }, /^DATABASE_URL /m],
    ['no index', { ELASTICSEARCH_URL: '' }, /^ELASTICSEARCH_URL /m],
    ['half of the TLS files', { GRPC_TLS_CA: 'pem' }, /^GRPC_TLS_CA must be set together/m],
    ['a bind address without a port', { GRPC_BIND: 'localhost' }, /^GRPC_BIND must be host:port/m],
  ])('refuses %s', (_, env, message) => {
    expect(() => load(env)).toThrow(message);
  });
});
