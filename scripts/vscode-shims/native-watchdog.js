// Ends this process when the one that started it is gone, in the place of a native module.
'use strict'
exports.start = pid => {
  const timer = setInterval(() => {
    try {
      process.kill(pid, 0)
    } catch {
      process.exit(87)
    }
  }, 3000)
  timer.unref()
}
exports.exit = code => process.exit(code)
