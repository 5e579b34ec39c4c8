import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { EVERY_TENANT } from '@candor/contracts';
import { Database } from '@candor/persistence';
import { createLogger } from '@candor/runtime';
import { RecordDeadLetterService } from './record-dead-letter.service.js';

describe('RecordDeadLetterService', () => {
  it('logs why a round of a schedule failed, and writes nothing that no tenant would ever see', async () => {
    let text = '';
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString();
        done();
      },
    });
    // Nobody listens there: whatever is written fails.
    const database = new Database({ url: 'postgresql://nobody@127.0.0.1:1/none', applicationName: 'test' });
    const letters = new RecordDeadLetterService(database, createLogger('test', { level: 'info', stream }));
    await letters.record({
      job: 'audit.seal',
      jobId: 'round',
      queue: 'maintenance',
      payload: { tenantId: EVERY_TENANT, requestId: EVERY_TENANT },
      error: { type: 'INTERNAL.UNEXPECTED', message: 'An unexpected error occurred.' },
      attemptsMade: 5,
    });
    expect(JSON.parse(text)).toMatchObject({
      level: 'error',
      message: 'A round of a schedule failed',
      job: 'audit.seal',
      type: 'INTERNAL.UNEXPECTED',
      attempts: 5,
    });
    await database.close();
  });
});
