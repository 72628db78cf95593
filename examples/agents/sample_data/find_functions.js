/** The public functions and methods of the file that take arguments. */
export default async function (_, { get_node_metadata }) {
  const file = await get_node_metadata()
  const found = []
  const look = async (id) => {
    const node = await get_node_metadata(id)
    if (/^[_#]/.test(node.name)) return
    if (node.type === 'class') for (const member of node.members) await look(member)
    else if (givenTo(node).length > 0) found.push({ name: node.qualified_name, signature: node.signature })
  }
  for (const id of file.members) await look(id)
  const names = found.map(({ name }) => name)
  const signatures = found.map(({ signature }) => signature).join('; ')
  return success(
    found,
    `${found.length} functions of ${file.path} take arguments: ${signatures}`.slice(0, 300),
    {
      functions_wanted: names.slice(0, 30),
      functions_count: names.length,
    },
  )
}

/** Parameters that a caller gives: not the object that a method belongs to. */
const givenTo = ({ type, language, params, decorators }) =>
  type === 'method' && language === 'python' && !decorators.some((name) => name.includes('staticmethod'))
    ? params.slice(1)
    : params
