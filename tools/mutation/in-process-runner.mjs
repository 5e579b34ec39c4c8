import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { PluginKind, declareClassPlugin } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  TestStatus,
  determineHitLimitReached,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { SPECS } from './validators.mjs';
import { tests } from './spec-collector.mjs';

const context = (globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {});

/**
 * Runs the specs of the validators inside Stryker's own process: jest loads everything anew for each mutant, which takes
 * seconds; here a mutant is a switch, and a run ends with the first test that fails.
 */
class InProcessTestRunner {
  #loading;

  /** A mutant of code that runs while a module loads needs a new process; Stryker makes one. */
  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun() {
    await this.#load();
    const result = await this.#run(tests, { bail: false });
    return result.status === DryRunStatus.Complete ? { ...result, mutantCoverage: context.mutantCoverage } : result;
  }

  async mutantRun({ activeMutant, testFilter, mutantActivation, disableBail, hitLimit }) {
    if (mutantActivation === 'static') context.activeMutant = activeMutant.id;
    await this.#load();
    context.activeMutant = activeMutant.id;
    context.hitCount = hitLimit === undefined ? undefined : 0;
    context.hitLimit = hitLimit;
    const covering = testFilter === undefined ? tests : tests.filter((test) => testFilter.includes(test.id));
    const result = await this.#run(covering, { bail: !disableBail });
    const endless = determineHitLimitReached(context.hitCount, hitLimit);
    return toMutantRunResult(endless ?? result);
  }

  #load() {
    const root = pathToFileURL(`${process.cwd()}/`);
    this.#loading ??= (async () => {
      for (const spec of SPECS) await import(new URL(spec, root).href);
    })();
    return this.#loading;
  }

  async #run(selected, { bail }) {
    const results = [];
    for (const { id, name, run } of selected) {
      const startedAt = performance.now();
      context.currentTestId = id;
      const failure = await runOne(run);
      const timeSpentMs = performance.now() - startedAt;
      results.push(
        failure === null
          ? { id, name, timeSpentMs, status: TestStatus.Success }
          : { id, name, timeSpentMs, status: TestStatus.Failed, failureMessage: failure },
      );
      if (failure !== null && bail) break;
    }
    context.currentTestId = undefined;
    return { status: DryRunStatus.Complete, tests: results };
  }
}

/** @returns why it failed, else null */
async function runOne(run) {
  try {
    await run();
    return null;
  } catch (error) {
    return String(error?.message ?? error);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessTestRunner)];
