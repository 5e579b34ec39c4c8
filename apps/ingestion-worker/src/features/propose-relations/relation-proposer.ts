import { AppError } from '@candor/contracts';
import {
  dropOutdatedProposals,
  finishScan,
  listProposalIds,
  listScannedPassages,
  ReasoningViews,
  saveProposals,
  serviceViewer,
  takeScanTask,
  type Database,
  type NewProposal,
  type ScannedPassage,
  type ScanRest,
  type ScanTask,
  type Transaction,
} from '@candor/persistence';
import { projectGraph, proposeConflicts, type EvidenceItem, type InferenceProposal } from '@candor/reasoning';
import type { Logger } from '@candor/runtime';

const EVERY_MS = 15_000;
/** A scan of each gap within a large import would cost a tenth of the worker, and say the same as the one after it. */
const REST: ScanRest = { quietSeconds: 10, longestSeconds: 600 };
/** Compared with each other: the newest of a tenant. */
const BOUNDS = { mostItems: 100, mostBytes: 200_000 };
const MOST_DOCUMENTS = 250;
/** New ones of a scan: what is left is found by the next, since those that are there take no place. */
const MOST_PROPOSALS = 200;

/**
 * Looks a tenant's newest items through for disagreements, by rules, once its corpus changed and nothing is being
 * ingested any more, nor was just now. What it finds waits for a person: requests propose and write nothing.
 */
export class RelationProposer {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    private readonly everyMs = EVERY_MS,
    private readonly rest = REST,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.running = this.running.then(async () => {
        const { stored } = await this.scanAll();
        if (stored > 0) this.logger.info({ stored }, 'Proposed relations for review');
      });
    }, this.everyMs);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  /**
   * Every tenant that waits, one after the other: a round each would make the last of many wait for minutes. One that fails
   * keeps no other waiting; the next round tries it again.
   *
   * @returns how many proposals are new, and of which tenants the scan failed.
   */
  async scanAll(): Promise<{ stored: number; failed: string[] }> {
    const failed: string[] = [];
    let stored = 0;
    while (!this.stopped) {
      let task: ScanTask | null = null;
      try {
        const found = await this.scan(failed, (taken) => (task = taken));
        if (found === null) break;
        stored += found;
      } catch (error) {
        // Read through the callback, which the compiler doesn't follow.
        const taken = task as ScanTask | null;
        const tenantId = taken?.tenantId ?? null;
        this.logger.warn({ code: AppError.from(error).code, tenantId }, 'Looking for relations failed');
        // No tenant's own failure: the others would fail too.
        if (tenantId === null) break;
        failed.push(tenantId);
      }
    }
    return { stored, failed };
  }

  /** One tenant; null when there is nothing to do, else how many proposals are new. */
  private scan(except: readonly string[], notify: (task: ScanTask) => void): Promise<number | null> {
    return this.database.system('relation-scan').transaction(async (transaction) => {
      const task = await takeScanTask(transaction, except, this.rest);
      if (!task) return null;
      notify(task);
      await dropOutdatedProposals(transaction, task.tenantId);
      const proposals = await this.propose(transaction, task);
      const stored = await saveProposals(transaction, task.tenantId, proposals);
      await finishScan(transaction, task);
      return stored;
    });
  }

  private async propose(transaction: Transaction, task: ScanTask): Promise<NewProposal[]> {
    const passages = await listScannedPassages(transaction, task, BOUNDS);
    const itemIds = [...new Set(passages.map(({ itemId }) => itemId))];
    const { relations } = await new ReasoningViews(this.database).readRelationGraph(
      serviceViewer(task.tenantId),
      itemIds,
      { maxDocuments: MOST_DOCUMENTS, knownAsOf: null },
    );
    const known = await listProposalIds(transaction, task.tenantId, itemIds);
    const evidence = passages.map(toEvidence);
    const graph = projectGraph({
      identity: {
        tenantId: task.tenantId,
        generationId: task.generationId,
        pipelineFingerprint: task.pipelineFingerprint,
        corpusFingerprint: null,
      },
      documents: [],
      relations: relations.map(({ fromItemId, toItemId, declaredAt, ...relation }) => ({
        ...relation,
        fromDocumentId: fromItemId,
        toDocumentId: toItemId,
        declaredAt: declaredAt.toISOString(),
      })),
      evidence,
    });
    const versions = new Map(passages.map((passage) => [passage.chunkId, passage.version]));
    const onCut = (uncompared: number): void =>
      this.logger.warn({ tenantId: task.tenantId, uncompared }, 'Statements of the newest items were not compared');
    const proposals = proposeConflicts(evidence, graph, { known, most: MOST_PROPOSALS, onCut });
    return proposals.map((proposal) => toNewProposal(proposal, versions));
  }
}

function toEvidence(passage: ScannedPassage, index: number): EvidenceItem {
  return {
    chunkId: passage.chunkId,
    documentId: passage.itemId,
    documentTitle: passage.title,
    text: passage.text,
    score: 1,
    verdict: 'ok',
    sourceDate: passage.sourceDate?.toISOString() ?? null,
    validFrom: passage.validFrom?.toISOString() ?? null,
    validUntil: passage.validUntil?.toISOString() ?? null,
    version: passage.version,
    contentHash: null,
    ordinal: index + 1,
    retrievedBy: 'initial',
  };
}

function toNewProposal(proposal: InferenceProposal, versions: ReadonlyMap<string, number>): NewProposal {
  const [left, right] = proposal.claims;
  const toClaim = ({ evidenceId, documentId, quotation }: typeof left) => ({
    chunkId: evidenceId,
    itemId: documentId,
    version: versions.get(evidenceId) ?? 0,
    quotation,
  });
  return {
    id: proposal.proposalId,
    generationId: proposal.generationId,
    kind: proposal.kind,
    subject: proposal.subject,
    explanation: proposal.explanation,
    confidence: proposal.confidence,
    claims: [toClaim(left), toClaim(right)],
  };
}
