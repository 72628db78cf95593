const SOURCE_FILE = /\.(?:pyi?|[cm]?[jt]s|[jt]sx)$/

/** The file of a node, out of its key `path:Qualified.name`; a colon may also be part of a path. */
export function pathOfNode(nodeId: string): string {
  for (let colon = nodeId.indexOf(':'); colon !== -1; colon = nodeId.indexOf(':', colon + 1)) {
    const path = nodeId.slice(0, colon)
    if (SOURCE_FILE.test(path)) return path
  }
  return nodeId
}
