import { Argument, type Command } from 'commander';
import { EXPAND_DIRECTIONS, type ExpandDirection } from '@candor/contracts';
import { indent } from '../format.js';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CommonOptions } from '../with-client.js';
import { wholeNumber } from './read-options.js';

export function addReadCommand(program: Command, context: CliContext): void {
  withCommonOptions(
    program
      .command('read')
      .description('Read one passage, with its place in its document.')
      .argument('<chunkId>', 'of a citation or a hit'),
    ['read a54d4559-3aec-55fa-9d6e-cafd1249999c'],
  ).action((chunkId: string, options: CommonOptions) =>
    withClient(context, options, async ({ client, signal, paint, print }) => {
      const response = await client.readChunk({ chunkId }, { signal });
      const { content, level, hierarchy, metadata } = response.data;
      const { documentTitle, documentId, sectionPath, position } = hierarchy;
      const place = `${level} ${position.ordinal + 1} of ${position.total}, version ${position.version}, characters ${metadata.startIndex}–${metadata.endIndex}`;
      print(
        response,
        [
          paint.bold([documentTitle, ...sectionPath].join(' › ')),
          paint.dim(`${place}, document ${documentId}`),
          '',
          content,
        ].join('\n'),
      );
    }),
  );
}

interface ExpandOptions extends CommonOptions {
  count?: number;
}

export function addExpandCommand(program: Command, context: CliContext): void {
  withCommonOptions(
    program
      .command('expand')
      .description('Read what stands above, below or beside a passage.')
      .argument('<chunkId>', 'of a citation or a hit')
      .addArgument(new Argument('[direction]', 'where to look').choices(EXPAND_DIRECTIONS).default('surrounding'))
      .option('--count <count>', 'most passages (of surrounding, on each side)', wholeNumber(1, 50)),
    ['expand <chunkId>', 'expand <chunkId> next --count 3'],
  ).action((chunkId: string, direction: ExpandDirection, options: ExpandOptions) =>
    withClient(context, options, async ({ client, signal, paint, print }) => {
      const response = await client.expandChunk({ chunkId, direction, count: options.count }, { signal });
      const { chunks } = response.data;
      const parts = chunks.map((chunk) =>
        [
          `${paint.bold(chunk.documentTitle)} ${paint.dim(`${chunk.level} ${chunk.chunkId}`)}`,
          indent(chunk.content),
        ].join('\n'),
      );
      print(response, parts.length > 0 ? parts.join('\n\n') : 'There is nothing there.');
    }),
  );
}
