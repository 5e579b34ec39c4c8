import type { EvidenceItem, ExcludedHit } from '../evidence/evidence-bundle.js';
import type { EdgeKind, GraphEdge, GraphProjection } from '../graph/graph-projection.js';
import { REVOKED, findReplacements, indexGraph, isValidAt, resolveReplacement } from '../graph/supersession.js';
import type { GraphIndex } from '../graph/supersession.js';
import type { UnsupportedGap } from '../run/unsupported-gap.js';
import type { StepStop } from './reasoning-trace.js';
import type { RunRecorder } from './run-recorder.js';

export interface EvidencePlan {
  /** Items that declared relations take out, and why. */
  demoted: ExcludedHit[];
  gaps: UnsupportedGap[];
  /** The bound that kept the standing of some item from being read; then nothing may be answered. */
  unread: StepStop | null;
}

export interface PlanInput {
  items: readonly EvidenceItem[];
  graph: GraphProjection;
  /** Milliseconds since the epoch: validity is judged then. */
  at: number;
  recorder: RunRecorder;
}

/** Nearest first: what says most of a document's standing; of one kind, in the order of the graph. */
const SURROUNDINGS: readonly EdgeKind[] = ['conflicts_with', 'supersedes', 'references', 'reply_of', 'same_thread'];

/**
 * Walks the declared relations around the evidence, depth first and within the budget: first what replaced each item's
 * document, without which nothing is known of its standing, then the surroundings for as long as there is budget.
 * Every visit is a step of the trace.
 */
export function planEvidence({ items, graph, at, recorder }: PlanInput): EvidencePlan {
  const index = indexGraph(graph);
  const walk = new GraphWalk(index, recorder);
  const roots = [...new Set(items.map((item) => item.documentId))];
  const unread = walk.visit(roots, (documentId) =>
    findReplacements(index, documentId, at).map((edge) => edge.fromNodeId),
  );
  // What was left out may be what replaced an item.
  const unknown = graph.cut === 'standing' ? 'graph_cut' : unread;
  if (unknown !== null) return { demoted: [], gaps: [describeUnfinished(unknown)], unread: unknown };
  const stopped = walk.visitSurroundings(roots) ?? (graph.cut === null ? null : 'graph_cut');
  const { demoted, gaps } = judgeItems(items, index, at);
  return { demoted, gaps: stopped === null ? gaps : [...gaps, describeUnfinished(stopped)], unread: null };
}

/** Documents seen so far, each once, as long as the budget allows. */
class GraphWalk {
  private readonly visited = new Set<string>();

  constructor(
    private readonly index: GraphIndex,
    private readonly recorder: RunRecorder,
  ) {}

  /** From each root to its end before the next one. Gives the bound that stopped it; null when nothing did. */
  visit(roots: readonly string[], follow: (documentId: string) => readonly string[]): StepStop | null {
    for (const root of roots) {
      const stack = [{ documentId: root, depth: 0 }];
      for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
        const { documentId, depth } = next;
        if (this.visited.has(documentId)) continue;
        const bound = this.visitOne(documentId, depth);
        if (bound !== null) return bound;
        // Reversed, so that the first neighbour is the first to be popped.
        stack.push(
          ...[...follow(documentId)].reverse().map((neighbour) => ({ documentId: neighbour, depth: depth + 1 })),
        );
      }
    }
    return null;
  }

  /** The roots were visited; goes on from their neighbours. */
  visitSurroundings(roots: readonly string[]): StepStop | null {
    const neighboursOf = (documentId: string): string[] => listNeighbours(this.index, documentId);
    for (const root of roots) {
      const stack = neighboursOf(root)
        .reverse()
        .map((documentId) => ({ documentId, depth: 1 }));
      const expanded = new Set([root]);
      for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
        const { documentId, depth } = next;
        if (expanded.has(documentId)) continue;
        expanded.add(documentId);
        if (!this.visited.has(documentId)) {
          const bound = this.visitOne(documentId, depth);
          if (bound !== null) return bound;
        }
        stack.push(
          ...neighboursOf(documentId)
            .reverse()
            .map((id) => ({ documentId: id, depth: depth + 1 })),
        );
      }
    }
    return null;
  }

  private visitOne(documentId: string, depth: number): StepStop | null {
    const startedAt = this.recorder.start();
    const bound = this.recorder.findBound({ steps: 1, graphNodes: 1 });
    if (bound !== null) {
      this.recorder.record('visit_node', startedAt, {
        result: 'skipped',
        nodeId: documentId,
        depth,
        stopReason: bound,
      });
      return bound;
    }
    this.visited.add(documentId);
    const count = listNeighbours(this.index, documentId).length;
    this.recorder.record('visit_node', startedAt, {
      nodeId: documentId,
      depth,
      count,
      cost: { steps: 1, graphNodes: 1 },
      stopReason: count === 0 ? 'no_neighbours' : null,
    });
    return null;
  }
}

function listNeighbours(index: GraphIndex, documentId: string): string[] {
  const rank = (edge: GraphEdge): number => SURROUNDINGS.indexOf(edge.kind);
  const edges = [...index.edgesOf(documentId)].sort((left, right) => rank(left) - rank(right));
  const neighbours = edges.map((edge) => (edge.fromNodeId === documentId ? edge.toNodeId : edge.fromNodeId));
  return [...new Set(neighbours)].filter((neighbour) => neighbour !== documentId);
}

function judgeItems(
  items: readonly EvidenceItem[],
  index: GraphIndex,
  at: number,
): Pick<EvidencePlan, 'demoted' | 'gaps'> {
  const present = new Set(items.map((item) => item.documentId));
  const demoted: ExcludedHit[] = [];
  const gaps = new Map<string, UnsupportedGap>();
  for (const { chunkId, documentId } of items) {
    const node = index.documents.get(documentId);
    const replacement = resolveReplacement(index, documentId, at);
    if (replacement === 'ambiguous') {
      demoted.push({ chunkId, reason: 'declared_ambiguous' });
    } else if (replacement !== 'none') {
      demoted.push({ chunkId, reason: 'declared_superseded' });
      const name = replacement.documentId;
      if (!present.has(name)) {
        const detail =
          'A declared relation says that this document replaced retrieved evidence; it was not retrieved itself.';
        gaps.set(name, { kind: 'unretrieved_successor', name, detail });
      }
    } else if (node?.status && REVOKED.has(node.status)) {
      demoted.push({ chunkId, reason: 'declared_status' });
    } else if (!isValidAt(node, at)) {
      demoted.push({ chunkId, reason: 'declared_validity' });
    }
  }
  return { demoted, gaps: [...gaps.values()] };
}

function describeUnfinished(bound: StepStop): UnsupportedGap {
  return { kind: 'unfinished_planning', name: bound, detail: 'Declared relations were not all read.' };
}
