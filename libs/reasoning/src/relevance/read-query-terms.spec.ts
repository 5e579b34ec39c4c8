import { readQueryTerms } from './read-query-terms.js';

describe('readQueryTerms', () => {
  it('gives each content word once, stemmed and without marks', () => {
    const { words } = readQueryTerms('Why does Grünlinden print? Grunlinden prints!');
    expect(words).toEqual(['grunlinden', 'print']);
  });

  it.each([
    ['What does ERR-4711 mean?', ['err-4711']],
    ['Was INV-2026-0042 paid, and order 778812?', ['inv-2026-0042', '778812']],
    ['open 3f2b1c9a-0d4e-4f6a-8b7c-1234567890ab', ['3f2b1c9a-0d4e-4f6a-8b7c-1234567890ab']],
  ])('finds the identifiers in “%s”', (query, identifiers) => {
    expect(readQueryTerms(query).identifiers).toEqual(identifiers);
  });

  it.each(['the Q3 target', 'release 4.8', 'in 2026', 'the mid-1960s', 'the 19th century', 'a B2B shop', 'the 1990s'])(
    'takes none of “%s” for an identifier',
    (query) => {
      expect(readQueryTerms(query).identifiers).toEqual([]);
    },
  );

  it.each(['What is our parental leave policy?', 'parental leave', 'ERR-4711', 'How many patents have we filed?'])(
    'lets the words of “%s” decide',
    (query) => {
      expect(readQueryTerms(query).wordsDecide).toBe(true);
    },
  );

  it.each([
    'Wann fährt der Aufzug in Leipzig wieder?',
    'Quel est le budget des serveurs pour cette année ?',
    '夏季剧院在哪里？',
    'أين كان يقع المسرح الصيفي؟',
    'Где находится офис?',
    'What is it?',
    '???',
  ])('leaves “%s” to the cosine', (query) => {
    expect(readQueryTerms(query).wordsDecide).toBe(false);
  });
});
