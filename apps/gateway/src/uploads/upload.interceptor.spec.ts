import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { createDocumentRoute } from '@candor/contracts';
import { Contract, createHttpApp, createLogger, listenUntilSignal, type RunningApp } from '@candor/runtime';
import { BodyMemory } from './body-memory.js';
import type { MultipartFile } from './read-multipart.js';
import { isUpload, Upload, UploadInterceptor } from './upload.interceptor.js';
import { uploadBytesFrom, uploadsEnvironment } from './uploads-environment.js';

const BUDGET = 20_000;
const received: number[] = [];
let entered: () => void = () => undefined;
let released: Promise<void> = Promise.resolve();

@Controller()
class HoldingController {
  @Contract(createDocumentRoute)
  async hold(@Upload() file: MultipartFile | null): Promise<object> {
    received.push(file?.bytes.length ?? -1);
    entered();
    await released;
    return {};
  }
}
@Module({
  controllers: [HoldingController],
  providers: [
    { provide: BodyMemory, useValue: new BodyMemory(BUDGET) },
    { provide: APP_INTERCEPTOR, useClass: UploadInterceptor },
  ],
})
class UploadTestModule {}

describe('uploads', () => {
  let running: RunningApp;
  beforeAll(async () => {
    const app = await createHttpApp(UploadTestModule, {
      service: 'uploads',
      logger: createLogger('uploads', { level: 'silent' }),
      bodyLimits: () => 1,
      streamsBody: isUpload,
    });
    running = await listenUntilSignal(app, { port: 0, handleSignals: false, drainMs: 0 });
  });
  afterAll(() => running.stop());

  function upload(size: number, field = 'file'): Promise<Response> {
    const form = new FormData();
    form.append(field, new Blob(['x'.repeat(size)]), 'a.txt');
    return fetch(`${running.url}/v1/documents`, { method: 'POST', body: form });
  }

  it('are taken while they fit together, also when one is being stored, and else asked to come back', async () => {
    let release: () => void = () => undefined;
    released = new Promise((resolve) => (release = resolve));
    const storing = new Promise<void>((resolve) => (entered = resolve));
    const first = upload(BUDGET / 2);
    await storing;
    const refused = await upload(BUDGET / 2);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    release();
    expect((await first).status).toBe(202);
    expect((await upload(BUDGET / 2)).status).toBe(202);
    expect(received).toEqual([BUDGET / 2, BUDGET / 2]);
  });

  it('give back what they had taken when their body is refused', async () => {
    for (let count = 0; count < 3; count += 1) expect((await upload(BUDGET / 2, 'other')).status).toBe(400);
    expect((await upload(BUDGET / 2)).status).toBe(202);
  });
});

describe('UPLOADS_IN_FLIGHT_MIB', () => {
  const { UPLOADS_IN_FLIGHT_MIB } = uploadsEnvironment;

  it('has room for the largest file, and refuses less', () => {
    const largest = (createDocumentRoute.upload?.fileBytes ?? Infinity) / 1024 / 1024;
    expect(UPLOADS_IN_FLIGHT_MIB.parse(undefined)).toBeGreaterThanOrEqual(largest);
    expect(UPLOADS_IN_FLIGHT_MIB.safeParse(largest - 1).success).toBe(false);
    expect(uploadBytesFrom({ UPLOADS_IN_FLIGHT_MIB: largest })).toBe(createDocumentRoute.upload?.fileBytes);
  });
});
