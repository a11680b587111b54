// Package video records tabs as WebM files.
//
// A recording keeps the pictures of the tab's screencast in a file, with their times. When it has ended, a
// Chromium of its own encodes them by WebCodecs, so that encoding takes no time of the page. A browser that
// conceals secrets in screenshots is recorded by screenshots, which are fewer. The package must not know
// tools, clients or what a video is for.
package video
