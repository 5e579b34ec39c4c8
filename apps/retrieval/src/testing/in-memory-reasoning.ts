import type { ItemStanding, RelationGraph } from '@candor/persistence/views';
import type { ReasoningReads } from '../features/reasoning/reasoning-reads.js';

/** What reasoning reads of the truth, in memory: every passage is as stored, unless told otherwise. */
export class InMemoryReasoning implements ReasoningReads {
  itemCount = 1;
  /** null = the key doesn't hold. */
  modelConsent: boolean | null = false;
  calibration: unknown = null;
  graph: RelationGraph = { documents: [], relations: [], cut: null, dismissedProposalIds: [], approvedProposalIds: [] };
  readonly standings = new Map<string, ItemStanding>();
  /** Chunk ids whose text is not what is stored. */
  readonly altered = new Set<string>();
  /** Item ids that are gone. */
  readonly gone = new Set<string>();
  readonly asked: unknown[] = [];

  async readStandings(...[viewer, itemIds, knownAsOf]: Parameters<ReasoningReads['readStandings']>) {
    this.asked.push({ viewer, itemIds, knownAsOf });
    const nothing = { sourceDate: null, successors: [] };
    const present = itemIds.filter((id) => !this.gone.has(id));
    return new Map(present.map((id) => [id, this.standings.get(id) ?? nothing]));
  }

  async findVerified(...[, passages]: Parameters<ReasoningReads['findVerified']>): Promise<Set<string>> {
    return new Set(passages.map(({ chunkId }) => chunkId).filter((id) => !this.altered.has(id)));
  }

  async readModelConsent(): Promise<boolean | null> {
    return this.modelConsent;
  }

  async countItems(): Promise<number> {
    return this.itemCount;
  }

  async findCalibration(): Promise<unknown> {
    return this.calibration;
  }

  async readRelationGraph(...parameters: Parameters<ReasoningReads['readRelationGraph']>): Promise<RelationGraph> {
    this.asked.push(parameters);
    return this.graph;
  }
}
