import { matchWords, type PassageText, type QueryTerms, type WordMatch } from '@candor/reasoning/relevance';

/**
 * What of the query a passage holds, read when somebody asks: of sixty candidates the first few settle whether anything is
 * relevant, and one that is near enough is shown whatever its words.
 */
export class MatchOnDemand implements WordMatch {
  private found: WordMatch | undefined;

  constructor(
    private readonly terms: QueryTerms,
    private readonly text: PassageText,
  ) {}

  get coverage(): number {
    return this.read().coverage;
  }

  get isComplete(): boolean {
    return this.read().isComplete;
  }

  get hasIdentifier(): boolean {
    return this.terms.identifiers.length > 0 && this.read().hasIdentifier;
  }

  private read(): WordMatch {
    this.found ??= matchWords(this.terms, this.text);
    return this.found;
  }
}
