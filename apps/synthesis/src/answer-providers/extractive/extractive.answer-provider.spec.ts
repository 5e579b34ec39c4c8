import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { buildEvidencePacket, normalizeWhitespace, type EvidencePassage } from '@candor/reasoning';
import { describeAnswerProviderConformance } from '../answer-provider.conformance.js';
import { BAG_OF_WORDS_SCALE, BagOfWordsEmbedder } from '../testing/bag-of-words.embedder.js';
import { ExtractiveAnswerProvider } from './extractive.answer-provider.js';

describeAnswerProviderConformance('ExtractiveAnswerProvider', async () => ({
  provider: new ExtractiveAnswerProvider(new BagOfWordsEmbedder(), { meaningScale: BAG_OF_WORDS_SCALE }),
  close: async () => undefined,
}));

const passage = (chunkId: string, content: string, documentTitle = 'Notes', documentId = `doc-of-${chunkId}`) =>
  ({ chunkId, documentId, documentTitle, content }) as EvidencePassage;
const pack = (passages: EvidencePassage[], maxTokens = 100_000) =>
  buildEvidencePacket({ passages, limit: 50, maxTokens, countTokens: (text) => Math.ceil(text.length / 4) });

describe('ExtractiveAnswerProvider', () => {
  let embedder: BagOfWordsEmbedder;
  let provider: ExtractiveAnswerProvider;
  beforeEach(() => {
    embedder = new BagOfWordsEmbedder();
    provider = new ExtractiveAnswerProvider(embedder, { meaningScale: BAG_OF_WORDS_SCALE });
  });
  const ask = async (query: string, ...passages: EvidencePassage[]) =>
    provider.synthesize({ query, packet: pack(passages) });
  const quotationsOf = (output: Awaited<ReturnType<typeof ask>>) =>
    output.statements.flatMap(({ references }) => references.map(({ quotation }) => quotation));

  it('quotes exactly, whatever the mark-up, and reads plainly', async () => {
    const content =
      '# Backups\n\n- Nightly backups are kept for **30 days** in\n  the [vault](https://vault.example).\n- Logs are kept elsewhere.';
    const output = await ask('How long are nightly backups kept?', passage('a', content));
    expect(output.statements[0]?.text).toBe('Nightly backups are kept for 30 days in the vault.');
    const [quotation = ''] = quotationsOf(output);
    expect(quotation).toBe('Nightly backups are kept for **30 days** in\n  the [vault](https://vault.example).');
    expect(normalizeWhitespace(content)).toContain(normalizeWhitespace(quotation));
  });

  it('keeps another document’s differing sentence although three of its own documents score higher', async () => {
    const output = await ask(
      'Which interface is required for the billing service, REST or GraphQL?',
      passage(
        'a',
        'For the billing service a REST interface is required. REST or GraphQL was discussed for the billing service interface.',
      ),
      passage(
        'b',
        'The billing service interface: REST or GraphQL? It was required to choose for the billing service.',
        'Minutes',
        'doc-of-a',
      ),
      passage('c', 'For the billing service a SOAP interface is required by decree.'),
    );
    expect(output.statements.flatMap(({ references }) => references.map(({ chunkId }) => chunkId))).toContain('c');
  });

  it('gives at most three quotations', async () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      passage(`c${index}`, `The rate limit of service ${index} is ${index}0 requests a minute.`),
    );
    const output = await ask('What is the rate limit of the service in requests a minute?', ...many);
    expect(quotationsOf(output)).toHaveLength(3);
  });

  it('names a second document that says the same in the same statement, and an overlapping chunk not again', async () => {
    const sentence = 'The retention period is seven years.';
    const output = await ask(
      'What is the retention period?',
      passage('a', sentence),
      passage('a-again', sentence, 'Notes', 'doc-of-a'),
      passage('b', sentence),
    );
    expect(output.statements).toHaveLength(1);
    expect(output.statements[0]?.references.map(({ chunkId }) => chunkId)).toEqual(['a', 'b']);
  });

  it('abstains and names what it did not find', async () => {
    const output = await ask('Who approved the Zephyr budget in 2031?', passage('a', 'Soup is served at noon.'));
    expect(output).toEqual({
      statements: [],
      limitations: [
        'No sentence in the one retrieved passage answers the question. Not mentioned there: "approved", "Zephyr", "budget", "2031".',
      ],
    });
  });

  it('says which names of the question the evidence never mentions', async () => {
    const output = await ask('What is the upload limit in Zephyr?', passage('a', 'The upload limit is 20 MiB.'));
    expect(output.statements).toHaveLength(1);
    expect(output.limitations).toEqual(['The retrieved evidence does not mention "Zephyr".']);
  });

  it('does not quote a sentence that the packet cut off', async () => {
    const content =
      'Deleting is allowed for admins unless a legal hold is set on the tenant by the compliance officer.';
    const packet = pack([passage('a', content)], 38);
    expect(packet.admitted[0]?.truncated).toBe(true);
    expect(packet.admitted[0]?.content).toContain('Deleting is allowed');
    expect((await provider.synthesize({ query: 'Is deleting allowed for admins?', packet })).statements).toEqual([]);
  });

  it('answers with a sentence rather than with a question or a heading of the same words', async () => {
    const output = await ask(
      'How large may an upload be?',
      passage('a', '## How large may an upload be\n\nHow large may an upload be? An upload may be 20 MiB large.'),
    );
    expect(quotationsOf(output)[0]).toBe('An upload may be 20 MiB large.');
  });

  it('finds the sentence whose subject stands in the title only', async () => {
    const output = await ask(
      'When was Orion released?',
      passage('a', 'It was released in May 2024.', 'Orion'),
      passage('b', 'It was released in June 2019.', 'Vega'),
    );
    expect(quotationsOf(output)[0]).toBe('It was released in May 2024.');
  });

  it('answers in a script without spaces', async () => {
    const output = await ask('检索服务返回多少段落？', passage('a', '食堂中午供应汤。检索服务最多返回五十个段落。'));
    expect(quotationsOf(output)).toEqual(['检索服务最多返回五十个段落。']);
  });

  it('embeds a sentence together with the title of its document', async () => {
    await ask('When was Orion released?', passage('a', 'It was released in May 2024.', 'Orion'));
    expect(embedder.embeddedTexts).toEqual(['Orion: It was released in May 2024.']);
  });

  it('does not work for a caller that went away, even without a sentence to embed', async () => {
    const packet = pack([passage('a', '# Only a heading')]);
    const call = provider.synthesize({ query: 'What is the limit?', packet, signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
  });

  it('embeds at most 24 sentences a question, and each text once', async () => {
    const passages = Array.from({ length: 30 }, (_, index) =>
      passage(
        `c${index}`,
        `Service ${index} has a rate limit. It restarts at ${index} hours. Its owner is team ${index}.`,
      ),
    );
    await ask('Which service has a rate limit?', ...passages);
    expect(embedder.embeddedTexts).toHaveLength(24);
    await ask('Which service has a rate limit?', ...passages);
    expect(embedder.embeddedTexts).toHaveLength(24);
  });

  it('lets words alone decide for an embedding model that was not measured', async () => {
    const unmeasured = new ExtractiveAnswerProvider(embedder);
    const packet = pack([passage('a', 'The upload limit is 20 MiB. Soup is served at noon.')]);
    const found = await unmeasured.synthesize({ query: 'What is the upload limit?', packet });
    expect(quotationsOf(found)).toEqual(['The upload limit is 20 MiB.']);
    const missed = await unmeasured.synthesize({ query: 'Who founded Zephyr?', packet });
    expect(missed.statements).toEqual([]);
  });

  it('passes a failing embedder on as it is, never as missing evidence', async () => {
    embedder.embedQuery = async () => {
      throw new AppError('DEPENDENCY.EMBEDDINGS_UNAVAILABLE');
    };
    await expect(ask('What is the limit?', passage('a', 'The limit is 5.'))).rejects.toMatchObject({
      code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE',
    });
  });

  it('stops between steps when its caller goes away', async () => {
    const controller = new AbortController();
    const embedQuery = embedder.embedQuery.bind(embedder);
    embedder.embedQuery = async (text) => {
      controller.abort();
      return embedQuery(text);
    };
    const packet = pack([passage('a', 'The limit is 5.')]);
    await expect(
      provider.synthesize({ query: 'What is the limit?', packet, signal: controller.signal }),
    ).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
  });
});
