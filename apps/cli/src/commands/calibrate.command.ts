import { InvalidArgumentError, type Command } from 'commander';
import type { Calibration, CalibrationStatus, CreateCalibrationBody } from '@candor/contracts';
import { EXIT } from '../exit-codes.js';
import { readJson } from '../read-input.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CommonOptions } from '../with-client.js';

interface CalibrateOptions extends CommonOptions {
  feedback: boolean;
  generation?: string;
  growthBound?: number;
}

export function addCalibrateCommand(program: Command, context: CliContext): void {
  withCommonOptions(
    program
      .command('calibrate')
      .description(
        'Certify the live generation for strict reasoning with labelled questions; without any: say what holds.',
      )
      .argument('[file]', 'JSON list of {query, answerable}, at least 20 of each; - for standard input')
      .option('--feedback', 'add the questions that feedback has labelled', false)
      .option('--generation <id>', 'refuse if another one is live')
      .option('--growth-bound <share>', 'growth of the corpus that it allows, 0 to 1; default 0.2', readShare),
    ['calibrate questions.json', 'calibrate --feedback', 'calibrate'],
    'Exit code: 0 certified, 1 not.',
  ).action((file: string | undefined, options: CalibrateOptions) =>
    withClient(context, options, async ({ client, signal, print }) => {
      if (file === undefined && !options.feedback) {
        const page = await client.listCalibrations({ limit: 1 }, { signal });
        print(page, describeStatus(page.current));
        if (page.current.state !== 'certified') context.setExitCode(EXIT.someFailed);
        return;
      }
      const body = {
        queries: file === undefined ? [] : await readQueries(file, context),
        includeFeedback: options.feedback,
        ...(options.generation === undefined ? {} : { generationId: options.generation }),
        ...(options.growthBound === undefined ? {} : { growthBound: options.growthBound }),
      };
      const response = await client.createCalibration(body, { signal });
      print(response, describe(response.data));
      if (response.data.state !== 'certified') context.setExitCode(EXIT.someFailed);
    }),
  );
}

function describe({ state, auc, aucLowerBound, threshold, answerable, unanswerable }: Calibration): string {
  return [
    `${state}: ${answerable} answerable and ${unanswerable} unanswerable questions`,
    `AUC ${auc.toFixed(3)}, at least ${aucLowerBound.toFixed(3)} with 95 % confidence (0.900 is needed)`,
    `A hit counts as evidence from a score of ${threshold.toFixed(4)}`,
  ].join('\n');
}

function describeStatus({ state, corpusSize, corpusSizeBound, alarm }: CalibrationStatus): string {
  const bound = corpusSizeBound === null ? '' : ` of at most ${Math.floor(corpusSizeBound)}`;
  return `${state}: ${corpusSize} items${bound}${alarm ? '; calibrate again before it is outgrown' : ''}`;
}

async function readQueries(file: string, { streams }: CliContext): Promise<CreateCalibrationBody['queries']> {
  return (await readJson(file, streams.in)) as CreateCalibrationBody['queries'];
}

function readShare(text: string): number {
  const share = Number(text);
  if (!(share >= 0 && share <= 1)) throw new InvalidArgumentError('A number from 0 to 1.');
  return share;
}
