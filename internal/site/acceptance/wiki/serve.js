// Serves a wiki on a free port, and ends when the standard input does.
const [, , program, wiki] = process.argv
const http = require('http')
const {$tw} = {$tw: require(program).TiddlyWiki()}

const listen = http.Server.prototype.listen
http.Server.prototype.listen = function (...args) {
  this.once('listening', () => console.log(`serving http://127.0.0.1:${this.address().port}`))
  return listen.apply(this, args)
}
process.stdin.on('end', () => process.exit(0)).resume()
$tw.boot.argv = [wiki, '--listen', 'port=0', 'host=127.0.0.1']
$tw.boot.boot()
