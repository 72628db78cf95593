import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { bytesOf } from './api.ts'
import { Failure } from './frame.tsx'

/** Bytes become an image in the page; nothing in an image of these kinds can run. */
export function Picture({ path }: { readonly path: string }) {
  const url = useSignal<string | undefined>(undefined)
  const error = useSignal<string | undefined>(undefined)
  useEffect(() => {
    let made: string | undefined
    bytesOf(path).then(
      (bytes) => {
        made = URL.createObjectURL(new Blob([bytes]))
        url.value = made
      },
      (thrown: Error) => {
        error.value = thrown.message
      },
    )
    return () => {
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [path])
  if (error.value !== undefined) return <Failure text={error.value} />
  return <div class="picture">{url.value && <img src={url.value} alt="What the tool gave back" />}</div>
}

/** Bytes into a file. */
export function SaveLink({
  path,
  name,
  words = 'Save',
  title,
}: {
  readonly path: string
  readonly name: string
  readonly words?: string
  readonly title?: string
}) {
  const state = useSignal('')
  const save = async () => {
    state.value = '…'
    try {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([await bytesOf(path)]))
      link.download = name
      link.click()
      URL.revokeObjectURL(link.href)
      state.value = ''
    } catch (thrown) {
      state.value = `: ${thrown instanceof Error ? thrown.message : String(thrown)}`
    }
  }
  return (
    <button type="button" class="quiet" onClick={save} title={title}>
      {words}
      {state.value}
    </button>
  )
}
