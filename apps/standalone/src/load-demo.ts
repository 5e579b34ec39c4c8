import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Calibration, IngestionStatus, IngestResponse } from '@candor/contracts';

const FILES = ['notion', 'slack', 'google-drive', 'gmail'];
const POLL_MS = 300;

const BUSY = new Set([503, 504]);
const ATTEMPTS = 10;
const PAUSE_MS = 2_000;

export interface DemoTarget {
  /** Of the public API. */
  url: string;
  key: string;
}

/** Pushes the demo workspace through the public API, as anybody would, and waits until it is searchable. Safe to repeat. */
export async function loadDemo(target: DemoTarget, onProgress: (line: string) => void): Promise<void> {
  const documents = (await Promise.all(FILES.map(readDemoFile))).flat();
  const accepted = await callApi<IngestResponse>(target, 'POST', '/v1/ingest', { documents });
  for (let shown = -1; ; await delay(POLL_MS)) {
    const status = await callApi<IngestionStatus>(target, 'GET', `/v1/ingestions/${accepted.requestId}`);
    const finished = (status.counts.indexed ?? 0) + (status.counts.skipped ?? 0);
    if (finished !== shown) onProgress(`Demo workspace: ${finished} of ${documents.length} items searchable`);
    shown = finished;
    if (!status.done) continue;
    const failed = status.items.find((item) => item.error);
    if (failed?.error) throw new Error(`demo item ${failed.externalId} failed: ${failed.error.message}`);
    return calibrate(target, onProgress);
  }
}

/** With the questions of the workspace, so that the first strict reasoning request has a certificate to stand on. */
async function calibrate(target: DemoTarget, onProgress: (line: string) => void): Promise<void> {
  const questions = (await readDemoFile('questions')) as { question: string; kind: string }[];
  const queries = questions.map(({ question, kind }) => ({ query: question, answerable: kind !== 'unanswerable' }));
  const { data } = await callApi<{ data: Calibration }>(target, 'POST', '/v1/calibrations', { queries });
  onProgress(`Demo workspace: calibrated with ${queries.length} questions, ${data.state}`);
}

async function readDemoFile(name: string): Promise<unknown[]> {
  return JSON.parse(await readFile(new URL(`../demo/${name}.json`, import.meta.url), 'utf8')) as unknown[];
}

/** Each call may be made again. A machine that is busy with other things too is no reason to end the first start. */
export async function callApi<Body>(target: DemoTarget, method: string, path: string, body?: unknown): Promise<Body> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(target, method, path, body);
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as Body;
    if (!BUSY.has(response.status) || attempt === ATTEMPTS)
      throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    await delay(PAUSE_MS);
  }
}

function send(target: DemoTarget, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${target.url}${path}`, {
    method,
    headers: {
      authorization: `API-Key ${target.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
