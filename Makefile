# The commands of the project. "make test" is what CI runs.

GO       ?= go
FUZZTIME ?= 20s
TARGETS  := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: test build check race fuzz cross bench demo pictures

test: build check race fuzz cross

build:
	$(GO) build ./...

check:
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "not formatted:"; echo "$$files"; exit 1; fi

race:
	$(GO) test -race ./...

# A short round of every fuzz target; a fault is kept as a file in testdata.
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "fuzz $$pkg $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; \
	done

cross:
	@for t in $(TARGETS); do \
	  echo "build $$t"; \
	  CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build ./... || exit 1; \
	done

# The form on your terminal.
demo:
	$(GO) run ./hostshim/cmd/pi-agent-ask run examples/payloads/release.json
