import { userInfo } from 'node:os'

/** Who asks for something, as the system calls them. */
export function personName(): string {
  try {
    return userInfo().username
  } catch {
    return 'user'
  }
}
