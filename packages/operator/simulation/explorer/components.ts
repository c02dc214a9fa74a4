/** A directed graph as arrays: edge i leads from `from[i]` to `to[i]`. */
export interface Graph {
  readonly nodes: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** The strongly connected component of each node (Tarjan, without recursion). */
export function componentsOf(graph: Graph): { readonly of: Int32Array; readonly count: number } {
  const { nodes, from, to } = graph;
  const first = new Int32Array(nodes + 1);
  for (const node of from) first[node + 1] = (first[node + 1] ?? 0) + 1;
  for (let node = 0; node < nodes; node += 1) first[node + 1] = at(first, node + 1) + at(first, node);
  const targets = new Int32Array(from.length);
  const filled = first.slice();
  from.forEach((node, edge) => {
    targets[at(filled, node)] = to[edge] ?? 0;
    filled[node] = at(filled, node) + 1;
  });

  const index = new Int32Array(nodes).fill(-1);
  const low = new Int32Array(nodes);
  const onStack = new Uint8Array(nodes);
  const of = new Int32Array(nodes).fill(-1);
  const next = first.slice();
  const stack: number[] = [];
  const path: number[] = [];
  let visited = 0;
  let count = 0;
  for (let root = 0; root < nodes; root += 1) {
    if (at(index, root) !== -1) continue;
    path.push(root);
    while (path.length > 0) {
      const node = path[path.length - 1] ?? 0;
      if (at(index, node) === -1) {
        index[node] = low[node] = visited;
        visited += 1;
        stack.push(node);
        onStack[node] = 1;
      }
      const edge = at(next, node);
      if (edge < at(first, node + 1)) {
        next[node] = edge + 1;
        const target = at(targets, edge);
        if (at(index, target) === -1) path.push(target);
        else if (onStack[target] === 1) low[node] = Math.min(at(low, node), at(index, target));
        continue;
      }
      path.pop();
      const parent = path[path.length - 1];
      if (parent !== undefined) low[parent] = Math.min(at(low, parent), at(low, node));
      if (at(low, node) !== at(index, node)) continue;
      for (;;) {
        const member = stack.pop() ?? 0;
        onStack[member] = 0;
        of[member] = count;
        if (member === node) break;
      }
      count += 1;
    }
  }
  return { of, count };
}

function at(numbers: Int32Array, position: number): number {
  return numbers[position] ?? 0;
}
