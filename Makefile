# The commands of the project. "make test" is what CI runs.

GO       ?= go
FUZZTIME ?= 20s
E2E      := PI_AGENT_ASK_E2E=1 $(GO) test -count=1 -parallel 3 -timeout 20m
TARGETS  := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: test build check race fuzz cross pi soak stress package bench demo pictures

test: build check race fuzz cross pi

build:
	$(GO) build ./...

check:
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "not formatted:"; echo "$$files"; exit 1; fi

race:
	$(GO) test -race ./...
	# What does far more without the race detector: random use, processes killed, long files.
	$(GO) test -run Random ./form/internal/ui
	$(GO) test -run 'RandomOperations|SurvivesKill' ./queue
	$(GO) test -run LineOf200MB ./journal

# A short round of every fuzz target, four at a time; a fault is kept as a file
# in testdata.
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  $(GO) test -list '^Fuzz' $$pkg | sed -n "s,^Fuzz,$$pkg Fuzz,p"; \
	done | xargs -P 4 -L 1 sh -c \
	  'echo "fuzz $$1 $$2"; $(GO) test -run "^$$" -fuzz "^$$2\$$" -fuzztime $(FUZZTIME) -parallel 1 $$1 || exit 255' fuzz

cross:
	@for t in $(TARGETS); do \
	  echo "build $$t"; \
	  CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build ./... || exit 1; \
	done

# The pi extension: types, lint and unit tests of its TypeScript, then the
# extension in the real pi with a scripted model, and random use with kills in
# between. A test that fails has one more try: pi's own start can take longer
# than a test waits on a busy machine.
pi: hostshim/pi/node_modules/.installed
	cd hostshim/pi && npm run check && npm test && npm run bundle
	@mkdir -p bin
	$(E2E) ./hostshim/e2e > bin/e2e.log 2>&1; status=$$?; cat bin/e2e.log; \
	failed=$$(sed -n 's/^--- FAIL: \(Test[A-Za-z0-9]*\).*/\1/p' bin/e2e.log | sort -u | paste -sd '|' -); \
	if [ $$status -ne 0 ] && [ -n "$$failed" ]; then \
	  echo "once more: $$failed"; $(E2E) -run "^($$failed)$$" ./hostshim/e2e; \
	else exit $$status; fi

# Ten times as much random use of pi as in the tests.
soak:
	PI_AGENT_ASK_SOAK=300 PI_AGENT_ASK_E2E=1 $(GO) test -count=1 -timeout 2h -run TestSoak ./hostshim/e2e

hostshim/pi/node_modules/.installed: hostshim/pi/package-lock.json
	cd hostshim/pi && npm ci --no-audit --no-fund
	touch $@

# The long runs of the queue: a million random operations, ten thousand kills,
# and a kill at each write and fsync in turn.
stress:
	PI_AGENT_ASK_QUEUE_OPS=1000000 $(GO) test -timeout 2h -run Random ./queue
	PI_AGENT_ASK_QUEUE_CRASHES=10000 $(GO) test -timeout 2h -run SurvivesKill ./queue
	PI_AGENT_ASK_QUEUE_CRASHES=all $(GO) test -timeout 2h -run SurvivesKill ./queue

# The npm packages as they are published, in bin/packages: the extension and an
# engine for each platform.
package: hostshim/pi/node_modules/.installed
	@for t in $(TARGETS); do \
	  os=$${t%/*}; cpu=$${t#*/}; exe=; \
	  node_os=$$os; [ $$os = windows ] && node_os=win32 && exe=.exe; \
	  node_cpu=$$cpu; [ $$cpu = amd64 ] && node_cpu=x64; \
	  echo "engine $$node_os $$node_cpu"; \
	  CGO_ENABLED=0 GOOS=$$os GOARCH=$$cpu $(GO) build -trimpath -ldflags "-s -w" \
	    -o bin/engines/pi-agent-ask-$$node_os-$$node_cpu$$exe ./hostshim/cmd/pi-agent-ask || exit 1; \
	done
	cd hostshim/pi && npm run stage -- ../../bin/engines ../../bin/packages

# The form on your terminal.
demo:
	$(GO) run ./hostshim/cmd/pi-agent-ask run examples/payloads/release.json

# The form beside what one would use in its place, as a table; a few minutes.
BENCH := $(GO) test -run '^$$' -bench
bench:
	@{ cd form/internal/bench && \
	  $(BENCH) 'Key|Preview|Paste' . && \
	  $(BENCH) Start -benchtime 30x . && \
	  $(BENCH) Idle -benchtime 1x . && \
	  cd ../../.. && \
	  $(BENCH) 'FirstList|Key/(ours|fzf)' -benchtime 10x ./form/internal/files && \
	  $(BENCH) . ./journal; } 2>&1 | $(GO) run -C form/internal/bench ./table

# The pictures in docs, from the scripts that make them. The first line of a
# script says how large the picture is.
pictures:
	@for script in examples/scripts/*.txt; do \
	  size=$$(sed -n '1s/^# size //p' $$script); \
	  $(GO) run ./hostshim/cmd/pi-agent-ask drive --payload examples/payloads/release.json \
	    --script $$script --size $$size --frame svg > $$script.out || exit 1; \
	  sed '/^<\/svg>/q' $$script.out > docs/pictures/$$(basename $$script .txt).svg; \
	  rm $$script.out; \
	done
