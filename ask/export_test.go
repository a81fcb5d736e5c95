package ask

// Content gives the tests the content of an envelope with foreign blocks.
var Content = content

// RealFS is the file system behind a nil FS.
var RealFS FS = osFS{}
