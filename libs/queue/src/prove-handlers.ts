import { isOneShot, type CatalogueJob } from './catalogue-job.js';

export interface HandlerRegistration {
  pattern: string;
  isEventHandler: boolean;
}

/**
 * Startup proof: every job of the selected queues has exactly one handler, every handler a job of the catalogue.
 * Returns what is wrong, one sentence each.
 */
export function findHandlerProblems(
  catalogue: readonly CatalogueJob[],
  queues: readonly string[],
  registrations: readonly HandlerRegistration[],
): string[] {
  const problems: string[] = [];
  const known = new Set(catalogue.map((job) => job.name));
  for (const queue of queues) {
    const jobs = catalogue.filter((job) => job.queue === queue);
    if (jobs.length === 0) problems.push(`The catalogue has no job of the queue "${queue}".`);
    if (jobs.some(isOneShot) && !jobs.every(isOneShot)) {
      problems.push(`The queue "${queue}" mixes jobs of one attempt with others: stall settings are per queue.`);
    }
  }
  for (const job of catalogue.filter(({ queue }) => queues.includes(queue))) {
    const count = registrations.filter(({ pattern }) => pattern === job.name).length;
    if (count === 0)
      problems.push(
        `The job "${job.name}" (queue "${job.queue}") has no handler: add @JobHandler or @EventPattern('${job.name}').`,
      );
    if (count > 1) problems.push(`The job "${job.name}" (queue "${job.queue}") has ${count} handlers: keep one.`);
  }
  for (const { pattern, isEventHandler } of registrations) {
    if (!known.has(pattern)) problems.push(`A handler listens to "${pattern}", which is no job of the catalogue.`);
    else if (!isEventHandler) problems.push(`The handler of "${pattern}" must use @EventPattern.`);
  }
  return [...new Set(problems)];
}
