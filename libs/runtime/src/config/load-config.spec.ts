import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@candor/contracts';
import { z } from 'zod';
import { booleanFromEnv, loadConfig, portFromEnv } from './load-config.js';

const schema = z
  .object({
    PORT: portFromEnv(8080),
    DATABASE_URL: z.url(),
    API_SECRET: z.string().min(16),
    MODE: z.enum(['standalone', 'distributed']).default('standalone'),
    TRACE: booleanFromEnv(false),
  })
  .transform(({ PORT, DATABASE_URL, API_SECRET, MODE, TRACE }) => ({
    http: { port: PORT },
    database: { url: DATABASE_URL },
    secret: API_SECRET,
    mode: MODE,
    trace: TRACE,
  }));
const valid = { DATABASE_URL: 'postgres://localhost/candor', API_SECRET: 'a-secret-of-some-length' };

function failureOf(env: Record<string, string>): AppError {
  try {
    loadConfig(schema, env);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('The configuration was accepted');
}

function fileWith(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'config-')), 'value');
  writeFileSync(path, text);
  return path;
}

describe('loadConfig', () => {
  it('gives the shaped object with real types', () => {
    expect(loadConfig(schema, { ...valid, PORT: '9000', TRACE: 'True' })).toEqual({
      http: { port: 9000 },
      database: { url: valid.DATABASE_URL },
      secret: valid.API_SECRET,
      mode: 'standalone',
      trace: true,
    });
  });

  it('takes an empty string as not given', () => {
    expect(loadConfig(schema, { ...valid, PORT: '', MODE: '' })).toMatchObject({
      http: { port: 8080 },
      mode: 'standalone',
    });
    expect(failureOf({ ...valid, API_SECRET: '' }).message).toContain('API_SECRET is required');
  });

  it('lists every broken variable by name and rule, never a value', () => {
    const error = failureOf({
      PORT: 'planted-1',
      DATABASE_URL: 'planted-2',
      API_SECRET: 'planted-3',
      MODE: 'planted-4',
      TRACE: 'planted-5',
    });
    expect(error.code).toBe('CONFIG.INVALID');
    expect(error.message.split('\n').slice(1)).toEqual([
      'PORT must be a port number from 0 to 65535',
      'DATABASE_URL must be a valid URL',
      'API_SECRET must have at least 16 characters',
      'MODE must be one of standalone, distributed',
      'TRACE must be true or false',
    ]);
    expect(JSON.stringify(error.toWire())).not.toContain('planted');
  });

  it('reads a value from the file that NAME_FILE names, without its trailing line break', () => {
    expect(
      loadConfig(schema, { DATABASE_URL: valid.DATABASE_URL, API_SECRET_FILE: fileWith('secret from a file\n') })
        .secret,
    ).toBe('secret from a file');
  });

  it('refuses a file that cannot be read, and a value given twice, without the path', () => {
    expect(failureOf({ DATABASE_URL: valid.DATABASE_URL, API_SECRET_FILE: '/planted/path' }).message).toBe(
      'The configuration is not valid:\nAPI_SECRET_FILE must name a readable file',
    );
    expect(failureOf({ ...valid, API_SECRET_FILE: fileWith('x') }).message).toContain(
      'API_SECRET must not be set together with API_SECRET_FILE',
    );
  });

  it.each(['65536', '-1', '1.5', '0x10', ' 80'])('refuses the port %p', (PORT) => {
    expect(failureOf({ ...valid, PORT }).message).toContain('PORT must be a port number');
  });

  it.each([
    ['1', true],
    ['on', true],
    ['0', false],
    ['no', false],
  ])('reads the flag %p as %p', (TRACE, expected) => {
    expect(loadConfig(schema, { ...valid, TRACE }).trace).toBe(expected);
  });

  it.each(['constructor', '__proto__', 'toString', '2'])('refuses the flag %p', (TRACE) => {
    expect(failureOf({ ...valid, TRACE }).message).toContain('TRACE must be true or false');
  });
});
