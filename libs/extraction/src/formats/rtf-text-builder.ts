import { AppError } from '@candor/contracts';
import { TextCollector } from './text-collector.js';

interface Group {
  /** What its text is for: the body, a field of the info group, or nothing. */
  target: 'body' | 'skip' | 'title' | 'author';
  /** Characters to leave out after a Unicode one: the stand-in for old programs. */
  standIn: number;
}

const MAX_DEPTH = 1_000;
const SKIPPED = new Set(
  (
    'fonttbl colortbl stylesheet listtable listoverridetable revtbl rsidtbl generator pict object themedata ' +
    'colorschememapping latentstyles datastore xmlnstbl header headerl headerr headerf footer footerl footerr footerf ' +
    'fldinst bkmkstart bkmkend comment subject keywords operator company doccomm filetbl nonshppict'
  ).split(' '),
);
const TEXT_OF_WORD: Readonly<Record<string, string>> = {
  par: '\n\n',
  sect: '\n\n',
  page: '\n\n',
  row: '\n\n',
  line: '\n',
  cell: ' | ',
  tab: '\t',
  emdash: '\u2014',
  endash: '\u2013',
  bullet: '\u2022',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
  emspace: '\u2003',
  enspace: '\u2002',
};

/** Follows the groups of an RTF file and gathers what is text in them. */
export class RtfTextBuilder {
  private readonly body = new TextCollector();
  private readonly fields: Record<'title' | 'author', string> = { title: '', author: '' };
  private readonly stack: Group[] = [];
  private group: Group = { target: 'body', standIn: 1 };
  private toSkip = 0;
  private run: Buffer[] = [];

  constructor(private readonly decode: (run: Buffer) => string) {}

  word(word: string, number: number | null): void {
    if (word === 'u' && number !== null) {
      this.write(String.fromCharCode(number < 0 ? number + 65_536 : number));
      this.toSkip = this.group.standIn;
      return;
    }
    if (word === 'uc') this.group.standIn = Math.min(Math.max(number ?? 1, 0), 10);
    else if (word === 'title' || word === 'author') this.group.target = word;
    else if (SKIPPED.has(word)) this.group.target = 'skip';
    else if (word === 'info') this.group.target = 'skip';
    const text = TEXT_OF_WORD[word];
    if (text !== undefined) this.write(text);
  }

  /** Characters in the file's code page; several may make one. */
  bytes(bytes: Buffer): void {
    const kept = bytes.subarray(this.toSkip);
    this.toSkip = Math.max(0, this.toSkip - bytes.length);
    if (kept.length > 0 && this.group.target !== 'skip') this.run.push(kept);
  }

  sign(sign: string): void {
    // A group that begins with this may be left out by programs that don't know it.
    if (sign === '*') this.group.target = 'skip';
    else if (sign === '~') this.write('\u00a0');
    else if (sign === '_') this.write('\u2011');
    else if (/[\\{}]/.test(sign)) this.write(sign);
    else if (/[\r\n]/.test(sign)) this.write('\n\n');
  }

  bracket(bracket: string): void {
    this.flush();
    this.toSkip = 0;
    if (bracket === '{') {
      if (this.stack.length >= MAX_DEPTH)
        throw new AppError('EXTRACT.UNREADABLE', { message: 'The file is nested too deeply.' });
      this.stack.push(this.group);
      this.group = { ...this.group };
    } else this.group = this.stack.pop() ?? this.group;
  }

  info(name: 'title' | 'author'): string | null {
    return this.fields[name].trim() || null;
  }

  finish(): string {
    this.flush();
    return this.body
      .toString()
      .replace(/[ \t]+\n/g, '\n')
      .replace(/(?: \|)+ *(?=\n)/g, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  private write(text: string): void {
    this.flush();
    const { target } = this.group;
    if (target === 'body') this.body.add(text);
    else if (target !== 'skip') this.fields[target] = `${this.fields[target]}${text}`.slice(0, 4_000);
  }

  private flush(): void {
    if (this.run.length === 0) return;
    const text = this.decode(Buffer.concat(this.run));
    this.run = [];
    this.write(text);
  }
}
