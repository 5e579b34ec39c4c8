import { FOREIGN_WORDS, SHARED_WORDS, UNCERTAIN_WORDS } from './function-words.js';
import { looksForeign } from './looks-foreign.js';
import { isStopWord } from './tokenize-words.js';

describe('looksForeign', () => {
  it.each([
    'Welche Fristen gelten?',
    'Was war die durchschnittliche Haushaltsgröße?',
    'Quelle est la politique de congés ?',
    '¿Cuál es la política de vacaciones?',
    'Chi approva le ferie, e quando?',
    'Quem aprova as férias?',
    'Wat is het verlofbeleid?',
    'Hvad er feriepolitikken?',
    'Jaka jest polityka urlopowa?',
    'İzin politikası nedir?',
    'Mikä on lomapolitiikka?',
    'Siapa yang menyetujui cuti?',
    'Müller Verträge',
    '剧院在哪里？',
    'サマーシアター',
    'متى فاز فريق بولونيا وارسو ببطولة البلاد قبل عام 2000؟',
    'Какой отпуск положен?',
    '휴가 정책',
  ])('says so of “%s”', (query) => {
    expect(looksForeign(query)).toBe(true);
  });

  it.each([
    '',
    'ERR-4711',
    'vacation policy',
    'What was die casting used for in the war?',
    'Rio de Janeiro office lease',
    'MIT license',
    'naïve Bayes classifier',
    'how do we reset the Zürich firewall of Müller & Söhne?',
    "5'-nucleotidase metabolizes 6MP.",
    'TNF-α and IL-6 induce β cell death',
    'Deleting Raptor increases G-CSF levels.',
    'what does 合同 mean in the lease?',
    'restart the k8s pod on call',
  ])('not of “%s”', (query) => {
    expect(looksForeign(query)).toBe(false);
  });

  it('counts every word once', () => {
    const sets = [FOREIGN_WORDS, UNCERTAIN_WORDS, SHARED_WORDS];
    for (const [place, words] of sets.entries()) {
      for (const word of words) {
        expect([word, sets.findIndex((other) => other.has(word))]).toEqual([word, place]);
        if (words !== SHARED_WORDS) expect([word, isStopWord(word)]).toEqual([word, false]);
      }
    }
  });
});
