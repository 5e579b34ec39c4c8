import { Writable } from 'node:stream';
import { AppError, callerScopeSchema } from '@candor/contracts';
import { createRequestContext, runInRequestContext } from '../request-context/request-context.js';
import { createLogger, type Logger } from './create-logger.js';
import { NestPinoLogger } from './nest-pino-logger.js';

const caller = callerScopeSchema.parse({
  tenantId: '11111111-1111-4111-8111-111111111111',
  apiKeyId: '22222222-2222-4222-8222-222222222222',
  actorType: 'agent',
  allowedActions: [],
  allowedProviders: null,
  principals: null,
});

function capture(level: 'info' | 'trace' = 'info'): {
  logger: Logger;
  lines: () => Record<string, unknown>[];
  text: () => string;
} {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString();
      done();
    },
  });
  const lines = () =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger: createLogger('test-service', { level, stream }), lines, text: () => text };
}

describe('createLogger', () => {
  it('adds service, request id and tenant of the context to every line', () => {
    const { logger, lines } = capture();
    logger.info('outside');
    runInRequestContext(createRequestContext('request-1', { caller }), () => logger.info({ count: 2 }, 'inside'));
    expect(lines()[0]).toMatchObject({ level: 'info', service: 'test-service', message: 'outside' });
    expect(lines()[0]).not.toHaveProperty('requestId');
    expect(lines()[1]).toMatchObject({
      requestId: 'request-1',
      tenantId: caller.tenantId,
      count: 2,
      message: 'inside',
    });
  });

  it.each([
    ['authorization'],
    ['key'],
    ['apiKey'],
    ['caller_token'],
    ['accessToken'],
    ['secret'],
    ['client-secret'],
    ['password'],
    ['token'],
    ['content'],
    ['body'],
    ['query'],
  ])('redacts the field %s at any depth and in child loggers', (name) => {
    const { logger, text } = capture();
    logger.info({
      [name]: 'planted',
      deep: { list: [{ [name]: { nested: 'planted' } }] },
      headers: { [name]: 'planted' },
    });
    logger.child({ [name]: 'planted', deep: { [name]: 'planted' } }).warn('from a child');
    expect(text()).toContain('[redacted]');
    expect(text()).not.toContain('planted');
  });

  it('keeps fields that only sound alike', () => {
    const { logger, lines } = capture();
    logger.info({ apiKeyId: 'a', queryLength: 3, contentHash: 'h', tokens: 12 });
    expect(lines()[0]).toMatchObject({ apiKeyId: 'a', queryLength: 3, contentHash: 'h', tokens: 12 });
  });

  it('logs an error by type, code, message, stack and cause, without what drivers hang on it', () => {
    const { logger, lines, text } = capture();
    const driver = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'planted',
      parameters: ['planted'],
      query: 'planted',
    });
    logger.error(
      { error: new AppError('INTERNAL.UNEXPECTED', { cause: driver, details: { sample: 'planted' } }) },
      'failed',
    );
    logger.error(driver);
    expect(lines()[0]?.['error']).toMatchObject({
      type: 'AppError',
      code: 'INTERNAL.UNEXPECTED',
      stack: expect.stringContaining('at '),
      cause: { type: 'Error', code: '23505', message: 'duplicate key' },
    });
    expect(lines()[1]).toMatchObject({ error: { code: '23505' }, message: 'duplicate key' });
    expect(text()).not.toContain('planted');
  });

  it('removes API keys and authorization values from messages', () => {
    const { logger, text } = capture();
    logger.info('key gm_abc123_S3cretPart-x was sent as Authorization: Bearer planted.value');
    logger.error(new Error('upstream said: API-Key planted'));
    expect(text()).not.toMatch(/S3cretPart|planted/);
  });

  it('logs cycles, bigints and buffers without failing', () => {
    const { logger, lines } = capture();
    const cycle: Record<string, unknown> = { big: 12n, bytes: Buffer.from('planted') };
    cycle['self'] = cycle;
    logger.info(cycle, 'cycle');
    expect(lines()[0]).toMatchObject({ big: '12', bytes: '[7 bytes]' });
  });
});

describe('NestPinoLogger', () => {
  it('maps levels and keeps the source and the error', () => {
    const { logger, lines } = capture('trace');
    const nest = new NestPinoLogger(logger);
    nest.log('Mapped', 'RouterExplorer');
    nest.error(new Error('broken'), 'stack text', 'ExceptionsHandler');
    expect(lines()).toEqual([
      expect.objectContaining({ level: 'debug', message: 'Mapped', source: 'RouterExplorer' }),
      expect.objectContaining({
        level: 'error',
        message: 'broken',
        source: 'ExceptionsHandler',
        error: expect.objectContaining({ message: 'broken' }),
      }),
    ]);
  });
});
