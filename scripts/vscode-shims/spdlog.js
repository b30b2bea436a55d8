// VS Code's log writer in plain JavaScript, in the place of a native module. Levels: 0 trace ... 5 critical, 6 off.
'use strict'
const fs = require('fs')
const path = require('path')
const NAMES = ['trace', 'debug', 'info', 'warning', 'error', 'critical']

class Logger {
  constructor(file) {
    this.level = 2
    this.formatted = true
    fs.mkdirSync(path.dirname(file), { recursive: true })
    this.file = file
  }
  write(level, text) {
    if (level < this.level) return
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '')
    fs.appendFileSync(this.file, this.formatted ? `${time} [${NAMES[level]}] ${text}\n` : text)
  }
  setLevel(level) { this.level = level }
  getLevel() { return this.level }
  setPattern() {}
  clearFormatters() { this.formatted = false }
  flush() {}
  drop() {}
}
NAMES.forEach((name, level) => {
  Logger.prototype[name === 'warning' ? 'warn' : name] = function (text) { this.write(level, text) }
})

exports.version = 0
exports.Logger = Logger
exports.setLevel = () => {}
exports.setFlushOn = () => {}
exports.shutdown = () => {}
exports.createRotatingLogger = async (name, file) => new Logger(file)
exports.createAsyncRotatingLogger = exports.createRotatingLogger
