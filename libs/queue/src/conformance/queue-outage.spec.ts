import type { QueueBackendOptions } from '../queue-backend.js';
import { JobProducer } from '../job-producer.js';
import { BreakableProxy } from './breakable-proxy.js';
import { QueueHarness, until } from './queue-harness.js';
import { isMissing, removeTestData, testBackends } from './test-backends.js';
import { testPayload } from './test-jobs.js';

const UNAVAILABLE = { code: 'DEPENDENCY.QUEUE_UNAVAILABLE', retryable: true };

for (const backend of testBackends()) {
  const suite = isMissing(backend) ? describe.skip : describe;
  suite(`Outage of ${backend.name}`, () => {
    let proxy: BreakableProxy;
    let options: QueueBackendOptions;
    let harness: QueueHarness;
    beforeEach(async () => {
      if (!backend.options) throw new Error('unreachable');
      proxy = new BreakableProxy(new URL(backend.options.url));
      await proxy.up();
      options = { ...backend.options, url: proxy.url };
      harness = new QueueHarness(options);
    });
    afterEach(async () => {
      await harness.close();
      await proxy.down();
    });
    afterAll(() => removeTestData(backend));

    it('fails an add while the backend is down, and adds again when it is back', async () => {
      await harness.producer.add(harness.jobs.work, testPayload('before'));
      await proxy.down();
      await expect(harness.producer.add(harness.jobs.work, testPayload('lost'))).rejects.toMatchObject(UNAVAILABLE);
      await expect(harness.producer.ping()).rejects.toMatchObject(UNAVAILABLE);
      await proxy.up();
      await until(() => succeeds(harness.producer.add(harness.jobs.work, testPayload('after'))));
      // What was refused is not added behind the caller's back.
      expect(await harness.producer.counts(harness.queue)).toMatchObject({ waiting: 2 });
    });

    it('fails an add while the backend hangs', async () => {
      await harness.producer.add(harness.jobs.work, testPayload());
      proxy.freeze();
      await expect(harness.producer.add(harness.jobs.work, testPayload())).rejects.toMatchObject(UNAVAILABLE);
      await proxy.down();
      await proxy.up();
      await until(() => succeeds(harness.producer.ping()));
    });

    it('starts while the backend is down, and works when it comes', async () => {
      await proxy.down();
      const producer = new JobProducer(options);
      await expect(producer.add(harness.jobs.work, testPayload())).rejects.toMatchObject(UNAVAILABLE);
      await proxy.up();
      await until(() => succeeds(producer.add(harness.jobs.work, testPayload())));
      await producer.close();
    });

    it('lets workers go on by themselves after an outage', async () => {
      await harness.startWorker();
      await harness.producer.add(harness.jobs.work, testPayload('before'));
      await until(() => harness.runs.length === 1);
      await proxy.down();
      await proxy.up();
      await until(() => succeeds(harness.producer.add(harness.jobs.work, testPayload('after'))));
      await until(() => harness.runs.some(({ payload }) => payload.key === 'after'));
    }, 20_000);

    it('refuses to start a worker without its backend', async () => {
      await proxy.down();
      await expect(harness.startWorker({ startTimeoutMs: 700 })).rejects.toMatchObject(UNAVAILABLE);
    });
  });
}

async function succeeds(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch {
    return false;
  }
}
