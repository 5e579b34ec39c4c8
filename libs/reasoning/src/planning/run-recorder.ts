import type { BudgetUsage, ReasoningBudget } from './reasoning-budget.js';
import type { StepKind, StepStop, TraceStep } from './reasoning-trace.js';

/** Steps that planning is made of: they count against `maxWallTimeMs`, the others have deadlines of their own. */
const PLANNING_STEPS: ReadonlySet<StepKind> = new Set([
  'expand_depth',
  'propose_queries',
  'expand_queries',
  'load_graph',
  'propose',
  'visit_node',
]);

export interface StepOutcome {
  result?: TraceStep['result'];
  stopReason?: StepStop | null;
  count?: number;
  nodeId?: string | null;
  depth?: number | null;
  cost?: Partial<Omit<TraceStep['cost'], 'wallTimeMs'>>;
}

/** Keeps the trace and what it cost; asked before each bounded step. */
export class RunRecorder {
  readonly steps: TraceStep[] = [];
  private readonly usage: BudgetUsage = { steps: 0, graphNodes: 0, modelCalls: 0, evidenceTokens: 0, wallTimeMs: 0 };

  constructor(
    readonly budget: ReasoningBudget,
    private readonly now: () => number,
  ) {}

  /** Time to start a step's clock with. */
  start(): number {
    return this.now();
  }

  record(kind: StepKind, startedAt: number, outcome: StepOutcome = {}): void {
    const wallTimeMs = Math.max(0, this.now() - startedAt);
    const cost = { steps: 0, modelCalls: 0, graphNodes: 0, evidenceTokens: 0, ...outcome.cost, wallTimeMs };
    this.steps.push({
      index: this.steps.length + 1,
      kind,
      result: outcome.result ?? 'completed',
      nodeId: outcome.nodeId ?? null,
      depth: outcome.depth ?? null,
      count: outcome.count ?? 0,
      cost,
      stopReason: outcome.stopReason ?? null,
    });
    this.usage.steps += cost.steps;
    this.usage.graphNodes += cost.graphNodes;
    this.usage.modelCalls += cost.modelCalls;
    this.usage.evidenceTokens = Math.max(this.usage.evidenceTokens, cost.evidenceTokens);
    if (PLANNING_STEPS.has(kind)) this.usage.wallTimeMs += wallTimeMs;
  }

  /** Milliseconds that planning has left. */
  get planningTimeLeft(): number {
    return this.budget.maxWallTimeMs - this.usage.wallTimeMs;
  }

  /** The bound that forbids a step of this cost; null when it may start. */
  findBound(cost: { steps?: number; graphNodes?: number; modelCalls?: number }): StepStop | null {
    const { usage, budget } = this;
    if (usage.steps + (cost.steps ?? 0) > budget.maxSteps) return 'max_steps';
    if (usage.graphNodes + (cost.graphNodes ?? 0) > budget.maxGraphNodes) return 'max_graph_nodes';
    if (usage.modelCalls + (cost.modelCalls ?? 0) > budget.maxModelCalls) return 'max_model_calls';
    return this.planningTimeLeft <= 0 ? 'max_wall_time_ms' : null;
  }

  get used(): BudgetUsage {
    return { ...this.usage };
  }
}
