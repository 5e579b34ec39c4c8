import type { Command } from 'commander';
import { AppError, type VerifyCitationsBody } from '@candor/contracts';
import { EXIT } from '../exit-codes.js';
import { indent } from '../format.js';
import { readJson } from '../read-input.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CommonOptions } from '../with-client.js';

interface VerifyOptions extends CommonOptions {
  file?: string;
}

export function addVerifyCommand(program: Command, context: CliContext): void {
  withCommonOptions(
    program
      .command('verify')
      .description('Check whether quotations occur in the passages they are cited from.')
      .argument('[chunkId]', 'of the citation')
      .argument('[quotation]', 'what it quotes')
      .option('--file <path>', 'JSON list of {chunkId, quotation, contentHash?}; - for standard input'),
    [
      'verify a54d4559-3aec-55fa-9d6e-cafd1249999c "We decided to keep the lime-green accent"',
      'verify --file citations.json',
    ],
    'Exit code: 0 all verified or repaired, 1 one was rejected.',
  ).action((chunkId: string | undefined, quotation: string | undefined, options: VerifyOptions) =>
    withClient(context, options, async ({ client, signal, paint, print }) => {
      const citations = await readCitations(chunkId, quotation, options.file, context);
      const response = await client.verifyCitations({ citations }, { signal });
      const { results } = response.data;
      const colors = { verified: paint.green, repaired: paint.yellow, rejected: paint.red };
      const lines = results.map(({ chunkId: id, status, reason, quotation: exact }) =>
        [
          `${colors[status](status)} ${id}${reason === undefined ? '' : ` (${reason})`}`,
          ...(exact === undefined ? [] : [indent(exact)]),
        ].join('\n'),
      );
      print(response, lines.join('\n'));
      if (results.some(({ status }) => status === 'rejected')) context.setExitCode(EXIT.someFailed);
    }),
  );
}

async function readCitations(
  chunkId: string | undefined,
  quotation: string | undefined,
  file: string | undefined,
  { streams }: CliContext,
): Promise<VerifyCitationsBody['citations']> {
  if (file === undefined) {
    if (chunkId !== undefined && quotation !== undefined) return [{ chunkId, quotation }];
    throw new AppError('REQUEST.INVALID', { message: 'Give a chunkId and a quotation, or --file.' });
  }
  return (await readJson(file, streams.in)) as VerifyCitationsBody['citations'];
}
