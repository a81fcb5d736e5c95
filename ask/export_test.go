package ask

// Content gives the tests the content of an envelope with foreign blocks.
var Content = content
