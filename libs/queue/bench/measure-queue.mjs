/**
 * Pick-up latency and throughput of the job transport beside bare BullMQ, in one run.
 * Needs a build (`npx tsc -b libs/queue`), REDIS_URL and/or DATABASE_URL; ROUNDS (default 2) repeats it. Usage: node libs/queue/bench/measure-queue.mjs
 */
import 'reflect-metadata';
import { BullMqStrategy, JobHandler, JobProducer, RpcErrorFilter, migrateQueueBackend } from '@candor/queue';
import { defineJob } from '@candor/contracts';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, Payload } from '@nestjs/microservices';
import { createPostgresBackend, createRedisBackend, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { z } from 'zod';

const LATENCY_JOBS = 400;
const THROUGHPUT_JOBS = 4_000;
const CONCURRENCY = 16;
const run = `bench_${randomUUID().slice(0, 8)}`;
const backends = [
  { kind: 'redis', url: process.env.REDIS_URL, prefix: run },
  { kind: 'postgres', url: process.env.DATABASE_URL, schema: run },
];

function makeJob(queue) {
  return defineJob({
    name: 'bench.job',
    version: 1,
    queue,
    payload: z.strictObject({
      tenantId: z.uuid(),
      requestId: z.uuid(),
      itemId: z.uuid(),
      version: z.number(),
      epoch: z.number(),
    }),
    attempts: 8,
    backoffMs: 500,
    timeoutMs: 60_000,
    jobId: ({ itemId }) => `bench-${itemId}`,
  });
}
const makePayload = () => ({
  tenantId: randomUUID(),
  requestId: randomUUID(),
  itemId: randomUUID(),
  version: 1,
  epoch: 0,
});

async function openCandor(backend, queueName) {
  const job = makeJob(queueName);
  const producer = new JobProducer(backend);
  await producer.ping();
  return {
    add: (payload) => producer.add(job, payload),
    work: async (onJob) => {
      class BenchController {
        async run(payload) {
          onJob(payload.itemId);
        }
      }
      JobHandler(job)(
        BenchController.prototype,
        'run',
        Object.getOwnPropertyDescriptor(BenchController.prototype, 'run'),
      );
      Payload()(BenchController.prototype, 'run', 0);
      Ctx()(BenchController.prototype, 'run', 1);
      Controller()(BenchController);
      class BenchModule {}
      Module({ controllers: [BenchController] })(BenchModule);
      const strategy = new BullMqStrategy({
        backend,
        catalogue: [job],
        queues: { [queueName]: { concurrency: CONCURRENCY } },
        onDeadLetter: async (letter) => console.error(letter),
      });
      const app = await NestFactory.createMicroservice(BenchModule, { strategy, logger: ['error'] });
      app.useGlobalFilters(new RpcErrorFilter());
      await app.listen();
      return () => app.close();
    },
    close: () => producer.close(),
  };
}

async function openBare(backend, queueName) {
  await migrateQueueBackend(backend);
  const redis = backend.kind === 'redis';
  const factory = redis ? createRedisBackend : createPostgresBackend;
  const connection = redis
    ? { url: backend.url, maxRetriesPerRequest: null }
    : { connectionString: backend.url, schema: backend.schema };
  const options = redis ? { connection, prefix: backend.prefix } : { connection };
  const queue = new Queue(queueName, options, factory);
  await queue.waitUntilReady();
  return {
    add: (payload) =>
      queue.add('bench.job', payload, {
        jobId: `bench-${payload.itemId}`,
        attempts: 8,
        removeOnComplete: { age: 600, count: 5_000 },
      }),
    work: async (onJob) => {
      const worker = new Worker(
        queueName,
        async (job) => onJob(job.data.itemId),
        { ...options, concurrency: CONCURRENCY },
        factory,
      );
      await worker.waitUntilReady();
      return () => worker.close();
    },
    close: () => queue.close(),
  };
}

/** One job at a time, with an idle worker: from the call of `add` to the first line of the handler. */
async function measureLatency(open, backend) {
  const side = await open(backend, `latency-${randomUUID().slice(0, 8)}`);
  let onJob = () => undefined;
  const stop = await side.work((id) => onJob(id));
  const samples = [];
  for (let index = 0; index < LATENCY_JOBS + 20; index += 1) {
    const payload = makePayload();
    const picked = new Promise((resolve) => (onJob = () => resolve(performance.now())));
    const started = performance.now();
    await side.add(payload);
    const took = (await picked) - started;
    if (index >= 20) samples.push(took);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  await stop();
  await side.close();
  samples.sort((a, b) => a - b);
  const at = (quantile) => samples[Math.min(samples.length - 1, Math.floor(samples.length * quantile))].toFixed(2);
  return { 'p50 ms': at(0.5), 'p99 ms': at(0.99) };
}

/** Adds from 20 callers at once, then drains what was added. */
async function measureThroughput(open, backend) {
  const side = await open(backend, `rate-${randomUUID().slice(0, 8)}`);
  let left = THROUGHPUT_JOBS;
  const addStarted = performance.now();
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (left-- > 0) await side.add(makePayload());
    }),
  );
  const addSeconds = (performance.now() - addStarted) / 1_000;
  let done = 0;
  let started = 0;
  let stop;
  await new Promise((resolve, reject) => {
    side
      .work(() => {
        if (done === 0) started = performance.now();
        done += 1;
        if (done === THROUGHPUT_JOBS) resolve();
      })
      .then((close) => (stop = close), reject);
  });
  const seconds = (performance.now() - started) / 1_000;
  await stop?.();
  await side.close();
  return { 'adds/s': Math.round(THROUGHPUT_JOBS / addSeconds), 'jobs/s': Math.round(THROUGHPUT_JOBS / seconds) };
}

const rows = {};
for (let round = 1; round <= Number(process.env.ROUNDS ?? 2); round += 1) {
  for (const backend of backends.filter(({ url }) => url)) {
    for (const [name, open] of [
      ['bare', openBare],
      ['candor', openCandor],
    ]) {
      rows[`${backend.kind} ${name} #${round}`] = {
        ...(await measureLatency(open, backend)),
        ...(await measureThroughput(open, backend)),
      };
    }
  }
}
console.table(rows);
if (process.env.REDIS_URL) {
  const redis = new Redis(process.env.REDIS_URL);
  for await (const keys of redis.scanStream({ match: `${run}:*`, count: 1_000 })) {
    if (keys.length > 0) await redis.unlink(keys);
  }
  redis.disconnect();
}
if (process.env.DATABASE_URL) {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS "${run}" CASCADE`);
  await client.end();
}
