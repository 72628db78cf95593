import { render } from 'preact'
import { AgentPage } from './agent.tsx'
import { takeToken } from './api.ts'
import { readExported } from './exported.ts'
import { listenForSearch } from './keys.tsx'
import { ListPage } from './list.tsx'
import { route } from './route.ts'

function App() {
  const { agent } = route.value
  return agent === undefined ? <ListPage /> : <AgentPage key={agent} id={agent} />
}

const root = document.getElementById('app')
listenForSearch()
readExported().then(() => {
  takeToken()
  if (root) render(<App />, root)
})
